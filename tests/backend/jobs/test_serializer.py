import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import BadRequest, ServiceError
from backend.jobs.serializer import JsonSerializer, RecordedError

serializer = JsonSerializer()
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
scalars |= st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=9))]))
data = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner, max_size=3))


def back(value: Any) -> Any:
    return serializer.deserialize(serializer.serialize(value))


@given(data)
def test_plain_data_come_back_as_they_went_in_and_are_stored_as_json_in_ascii(value: Any) -> None:
    stored = serializer.serialize(value)

    assert serializer.deserialize(stored) == value
    assert stored.isascii()
    json.loads(stored)


def test_a_lone_surrogate_and_a_null_character_survive() -> None:
    assert back("\ud800\x00") == "\ud800\x00"


@pytest.mark.parametrize("value", [{1, 2}, object(), b"bytes", [{"a": {3}}], Decimal("1.50")])
def test_other_kinds_of_data_are_refused_with_a_sentence(value: Any) -> None:
    with pytest.raises(TypeError, match="Job data is stored as JSON and cannot hold"):
        serializer.serialize(value)


def test_an_answer_comes_back_with_its_sentence_so_that_a_resumed_job_fails_with_the_same_words() -> None:
    found = back(BadRequest("The page has no text."))

    assert isinstance(found, ServiceError)
    assert found.detail == "The page has no text."


def test_any_other_exception_comes_back_by_its_name_and_message_and_imports_nothing() -> None:
    assert str(back(ZeroDivisionError("division by zero"))) == "ZeroDivisionError: division by zero"
    unknown = {"$exception": {"class": "antigravity:Fall", "message": "down", "is_answer": False}}
    assert isinstance(serializer.deserialize(json.dumps(unknown)), RecordedError)


def test_what_an_earlier_release_stored_is_read() -> None:
    stored = {
        "args": {"$tuple": ["sources", ["an-id"], "2026-05-18T12:00:00+00:00"]},
        "kwargs": {},
        "at": {"$datetime": "2026-05-18T12:00:00+00:00"},
        "refused": {
            "$exception": {
                "class": "backend.errors:BadRequest",
                "args": ["The page has no text."],
                "attributes": {"detail": "The page has no text.", "code": "bad_request"},
            }
        },
        "failed": {"$exception": {"class": "builtins:KeyError", "args": ["x", 1], "attributes": {}}},
        "unspeakable": {"$exception": {"class": "a:B", "message": "(its message cannot be shown)"}},
    }
    found = serializer.deserialize(json.dumps(stored))

    assert found["args"] == ["sources", ["an-id"], "2026-05-18T12:00:00+00:00"]
    assert found["at"] == datetime(2026, 5, 18, 12, tzinfo=UTC)
    assert found["refused"].detail == "The page has no text."
    assert str(found["failed"]) == "KeyError: x, 1"
    assert str(found["unspeakable"]) == "B: (its message cannot be shown)"
