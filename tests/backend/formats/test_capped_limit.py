"""Tests the type of parameters that limit a list."""

from typing import Annotated

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from backend.formats.capped_limit import cap_at


@pytest.mark.parametrize(
    ("text", "result"), [("1", 1), ("99", 99), ("100", 100), ("101", 100), ("9" * 5000, 100), ("+7", 7)]
)
def test_numbers_of_any_size_are_cut_to_the_maximum(text: str, result: int) -> None:
    assert TypeAdapter(Annotated[int, Field(ge=1), cap_at(100)]).validate_python(text) == result


@pytest.mark.parametrize("text", ["0", "-1", "-" + "9" * 5000, "1.0", "1_0", "x", "", "\u0661"])
def test_other_numbers_and_texts_are_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Annotated[int, Field(ge=1), cap_at(100)]).validate_python(text)


def test_the_schema_names_the_minimum_and_no_maximum() -> None:
    schema = TypeAdapter(Annotated[int, Field(ge=0), cap_at(1024, minimum=0)]).json_schema()
    assert schema == {"type": "integer", "minimum": 0}
