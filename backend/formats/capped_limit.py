"""Builds the type of a query parameter that limits a list: a larger number counts as the maximum."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_MAX_DIGITS = 18
"""Digits of a number that is read; a longer one is larger than every maximum."""


def cap_at(maximum: int, *, minimum: int = 1) -> BeforeValidator:
    """Build a validator for ``Annotated[int, Field(ge=minimum), cap_at(maximum)]``."""

    def cap(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if not _WHOLE_NUMBER.fullmatch(value):
            raise ValueError(f"must be a whole number from {minimum} on")
        if len(value.lstrip("+-0")) > _MAX_DIGITS:
            return -1 if value.startswith("-") else maximum
        return min(int(value), maximum)

    return BeforeValidator(cap, json_schema_input_type=Annotated[int, Field(ge=minimum)])
