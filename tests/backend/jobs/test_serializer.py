import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import ServiceError
from backend.jobs.serializer import JsonSerializer, RecordedError
from backend.markets.model import Fault, ProviderError

serializer = JsonSerializer()

instants = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=9))]))
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.decimals(allow_nan=False)
    | instants
    | st.dates()
    | st.timedeltas()
    | st.uuids()
)
keys = st.text() | st.sampled_from(["$decimal", "$object", "$tuple", "$exception", "$"])
data = st.recursive(
    scalars,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(keys, inner, max_size=3),
)


def back(value: Any) -> Any:
    return serializer.deserialize(serializer.serialize(value))


def shape(value: Any) -> Any:
    """The value with the type of each part, since ``True == 1`` and ``1.0 == Decimal(1)``."""
    if isinstance(value, list | tuple):
        return type(value), [shape(item) for item in value]
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    return type(value), value


@given(data)
def test_data_come_back_as_they_went_in_and_are_stored_as_json_in_ascii(value: Any) -> None:
    stored = serializer.serialize(value)

    assert shape(serializer.deserialize(stored)) == shape(value)
    assert stored.isascii()
    json.loads(stored)


def test_a_lone_surrogate_and_a_null_character_survive() -> None:
    assert back("\ud800\x00") == "\ud800\x00"


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_an_infinity_survives_although_json_has_none(value: float) -> None:
    assert back(value) == value


def test_not_a_number_survives_although_json_has_none() -> None:
    assert str(back(float("nan"))) == "nan"
    assert back(Decimal("NaN")).is_nan()


def test_a_decimal_keeps_its_trailing_zeros_and_touches_no_float() -> None:
    assert str(back(Decimal("0.10000000000000000000000001000"))) == "0.10000000000000000000000001000"


@pytest.mark.parametrize("value", [{1, 2}, object(), b"bytes", [{"a": {3}}]])
def test_other_kinds_of_data_are_refused_with_a_sentence(value: Any) -> None:
    with pytest.raises(TypeError, match="Job data is stored as JSON and cannot hold"):
        serializer.serialize(value)


def test_a_key_that_is_no_string_is_refused_with_a_sentence() -> None:
    with pytest.raises(TypeError, match="whose keys are strings, not int"):
        serializer.serialize({1: "one"})


@pytest.mark.parametrize(
    "error",
    [
        ValueError("a plain one", 7, Decimal("1.5")),
        FileNotFoundError(2, "No such file", "x.txt"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
        KeyError("missing"),
        ExceptionGroup("two", [ValueError("one"), TypeError("other")]),
    ],
)
def test_a_built_in_exception_comes_back_as_itself_or_says_what_it_was(error: Exception) -> None:
    found = back(error)

    if isinstance(found, RecordedError):
        assert found.kind == type(error).__name__
        assert found.message == str(error)
    else:
        assert type(found) is type(error)
        assert str(found) == str(error)


def test_an_exception_of_our_own_comes_back_with_its_attributes_whatever_its_parameters() -> None:
    error = ProviderError("coingecko", Fault.THROTTLED, "asked too often", retry_after=2.5)
    found = back(error)

    assert type(found) is ProviderError
    assert str(found) == "coingecko: asked too often"
    assert (found.provider, found.fault, found.retry_after) == ("coingecko", Fault.THROTTLED, 2.5)


def test_an_exceptions_notes_come_back() -> None:
    error = ServiceError("The statement is blank.", code="blank")
    error.add_note("while checking the statement")

    assert back(error).__notes__ == ["while checking the statement"]


class HoldsSomething(Exception):
    def __init__(self, held: object) -> None:
        super().__init__("it holds something")
        self.held = held


class CannotSpeak(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


def test_an_exception_that_holds_what_cannot_be_stored_still_tells_its_class_and_message() -> None:
    found = back(HoldsSomething(object()))

    assert isinstance(found, RecordedError)
    assert found.kind.endswith(".HoldsSomething")
    assert found.message == "it holds something"


def test_an_exception_that_cannot_speak_still_tells_its_class() -> None:
    assert back(CannotSpeak()).kind.endswith(".CannotSpeak")


def test_an_exception_whose_class_is_not_loaded_is_not_imported_but_named() -> None:
    stored = {"$exception": {"class": "antigravity:Fall", "args": ["down", 3], "attributes": {}}}
    found = serializer.deserialize(json.dumps(stored))

    assert isinstance(found, RecordedError)
    assert str(found) == "antigravity.Fall: down, 3"


@pytest.mark.parametrize("name", ["os:system", "builtins:print", "builtins:SystemExit", "decimal:Decimal"])
def test_only_exceptions_are_built_from_what_is_stored(name: str) -> None:
    stored = {"$exception": {"class": name, "args": ["echo"], "attributes": {}}}

    assert isinstance(serializer.deserialize(json.dumps(stored)), RecordedError)


def test_the_stored_form_is_as_documented() -> None:
    value = {
        "at": datetime(2026, 5, 18, 12, tzinfo=UTC),
        "day": date(2026, 5, 18),
        "price": Decimal("1.50"),
        "id": UUID(int=1),
        "pair": (1, 2),
    }

    assert json.loads(serializer.serialize(value)) == {
        "at": {"$datetime": "2026-05-18T12:00:00+00:00"},
        "day": {"$date": "2026-05-18"},
        "price": {"$decimal": "1.50"},
        "id": {"$uuid": "00000000-0000-0000-0000-000000000001"},
        "pair": {"$tuple": [1, 2]},
    }
