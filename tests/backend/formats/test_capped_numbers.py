"""Tests limits of lists as query parameters."""

from typing import Annotated

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from backend.formats.capped_numbers import cap_at

LIMIT = TypeAdapter(Annotated[int, Field(ge=1), cap_at(100)])


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("1", 1),
        ("+7", 7),
        ("100", 100),
        ("101", 100),
        ("0" * 5000 + "99", 99),
        ("9" * 20, 100),
        ("1" + "0" * 5000, 100),
    ],
)
def test_larger_numbers_of_any_length_count_as_the_maximum(text: str, limit: int) -> None:
    assert LIMIT.validate_python(text) == limit


@pytest.mark.parametrize(
    "text", ["0", "-0", "-1", "-" + "9" * 5000, "", "x", "1.0", "1_0", "1e3", " 1", "\uff15"]
)
def test_other_values_are_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        LIMIT.validate_python(text)


def test_the_schema_has_a_minimum_and_no_maximum() -> None:
    assert LIMIT.json_schema() == {"type": "integer", "minimum": 1}
