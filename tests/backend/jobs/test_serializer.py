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


def round_trip(value: Any) -> Any:
    return serializer.deserialize(serializer.serialize(value))


@given(data)
def test_plain_data_round_trips_as_ascii_json(value: Any) -> None:
    stored = serializer.serialize(value)

    assert serializer.deserialize(stored) == value
    assert stored.isascii()
    json.loads(stored)


def test_lone_surrogate_and_null_character_round_trip() -> None:
    assert round_trip("\ud800\x00") == "\ud800\x00"


@pytest.mark.parametrize("value", [{1, 2}, object(), b"bytes", [{"a": {3}}], Decimal("1.50")])
def test_unsupported_data_types_are_rejected_with_a_message(value: Any) -> None:
    with pytest.raises(TypeError, match="Job data is stored as JSON and cannot hold"):
        serializer.serialize(value)


def test_service_error_round_trips_with_its_detail() -> None:
    found = round_trip(BadRequest("The page has no text."))

    assert isinstance(found, ServiceError)
    assert found.detail == "The page has no text."


def test_other_exceptions_round_trip_as_name_and_message_without_imports() -> None:
    assert str(round_trip(ZeroDivisionError("division by zero"))) == "ZeroDivisionError: division by zero"
    unknown = {"$exception": {"class": "antigravity:Fall", "message": "down", "is_answer": False}}
    assert isinstance(serializer.deserialize(json.dumps(unknown)), RecordedError)


def test_data_stored_by_an_earlier_release_is_deserialized() -> None:
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
