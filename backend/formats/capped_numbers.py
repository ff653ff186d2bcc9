"""Parses query parameters that limit how many items a response has."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)


def cap_at(maximum: int, *, minimum: int = 1) -> BeforeValidator:
    """Build a validator that counts larger numbers of any length as ``maximum``.

    It rejects texts that are no whole numbers. ``minimum`` is for the schema: the field rejects smaller ones.
    """

    def cap(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if not _WHOLE_NUMBER.fullmatch(value):
            raise ValueError("must be a whole number")
        digits = value.lstrip("+-0") or "0"
        # int() refuses thousands of digits.
        number = maximum if len(digits) > len(str(maximum)) else min(int(digits), maximum)
        return -number if value.startswith("-") else number

    return BeforeValidator(cap, json_schema_input_type=Annotated[int, Field(ge=minimum)])
