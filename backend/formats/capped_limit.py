"""Builds the type of a query parameter that limits a list: larger numbers of any size count as the maximum."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_MAX_DIGITS = 18
"""Digits of a number that is read; a longer one is larger than every maximum."""


def capped_limit(maximum: int, *, minimum: int = 1) -> Any:
    """Build the annotated type of an integer from ``minimum`` on, which is cut to ``maximum``."""

    def cap(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if not _WHOLE_NUMBER.fullmatch(value):
            raise ValueError(f"must be a whole number from {minimum} on")
        is_negative, digits = value.startswith("-"), value.lstrip("+-0")
        if len(digits) > _MAX_DIGITS:
            return -1 if is_negative else maximum
        return min(int(value), maximum)

    bounded = Annotated[int, Field(ge=minimum)]
    return Annotated[bounded, BeforeValidator(cap, json_schema_input_type=bounded)]
