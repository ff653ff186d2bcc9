"""Tests the parsing of values in a provider's JSON, where any value may have any type."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.markets.providers import parsing

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)


def floats_in(value: object) -> list[float]:
    if isinstance(value, float):
        return [value]
    if isinstance(value, dict):
        return [found for item in value.values() for found in floats_in(item)]
    if isinstance(value, list):
        return [found for item in value for found in floats_in(item)]
    return []


def test_numbers_keep_the_digits_of_their_literal() -> None:
    value = parsing.load_json(b'{"a": 1.223e-09, "b": 77671, "c": 0.10, "d": 123456789012345678.123456789}')
    assert value == {
        "a": Decimal("1.223e-09"),
        "b": 77671,
        "c": Decimal("0.10"),
        "d": Decimal("123456789012345678.123456789"),
    }


@pytest.mark.parametrize(
    "literal", ["NaN", "Infinity", "-Infinity", "1e999999999", "9" * 5000, "0." + "1" * 500]
)
def test_an_unusable_number_leaves_other_values_readable(literal: str) -> None:
    value = parsing.load_json(b'{"a": ' + literal.encode() + b', "b": 1}')
    assert isinstance(value, dict)
    assert parsing.parse_number(value["a"]) is None
    assert value["b"] == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "is empty"),
        (b"  ", "is empty"),
        (b"<!DOCTYPE html>", "is a web page and not JSON"),
        (b'{"a": ', "is JSON that breaks off or is damaged"),
        (b"[" * 100_000, "is JSON that breaks off or is damaged"),
        (b"error code: 1015", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
    ],
)
def test_a_body_that_is_not_json_raises_with_the_reason(body: bytes, message: str) -> None:
    with pytest.raises(parsing.UnreadableBodyError, match=f"^{message}$"):
        parsing.load_json(body)


@settings(deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes_give_a_json_value_or_a_reason(body: bytes) -> None:
    reason = "is JSON"
    try:
        parsing.load_json(body)
    except parsing.UnreadableBodyError as error:
        reason = str(error)
    assert reason.startswith("is ")


@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=True)), st.integers())
def test_parsed_json_contains_no_float(numbers: list[float], integer: int) -> None:
    value = parsing.load_json(json.dumps({"a": numbers, "b": [{"c": integer}]}).encode())
    assert floats_in(value) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, Decimal(5)),
        ("0.5", Decimal("0.5")),
        (" 47 ", Decimal(47)),
        ("1e-9", Decimal("1e-9")),
        (Decimal("-0.0"), Decimal(0)),
        (Decimal("1e30"), Decimal("1e30")),
        (Decimal("1e31"), None),
        (Decimal("1e-31"), None),
        ("1e400", None),
        ("1e9999999999", None),
        ("1_000", None),
        ("0x10", None),
        ("٤٢", None),
        ("NaN", None),
        ("sNaN", None),
        ("", None),
        (True, None),
        (None, None),
        ([], None),
        ({}, None),
    ],
)
def test_a_number_must_be_finite_and_within_the_usable_range(value: object, expected: Decimal | None) -> None:
    assert parsing.parse_number(value) == expected


@settings(deadline=None)
@given(st.decimals() | st.integers() | st.text())
def test_a_parsed_number_prints_in_under_130_characters_without_exponent(value: object) -> None:
    found = parsing.parse_number(value)
    if found is not None:
        assert found.is_finite()
        assert len(format(found, "f")) < 130


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1),
        ("7", 7),
        (Decimal("3.0"), 3),
        (Decimal("3.5"), None),
        (0, None),
        (-1, None),
        (10**9, None),
        (True, None),
    ],
)
def test_a_rank_is_an_integer_of_at_least_one(value: object, expected: int | None) -> None:
    assert parsing.parse_rank(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-05-18T12:49:21.599Z", datetime(2026, 5, 18, 12, 49, 21, 599_000, tzinfo=UTC)),
        ("2026-05-18T14:49:21+02:00", datetime(2026, 5, 18, 12, 49, 21, tzinfo=UTC)),
        ("2026-05-18T12:49:21", None),
        ("2026-05-18", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("yesterday", None),
        (1779108561, None),
        (None, None),
    ],
)
def test_a_timestamp_needs_a_time_zone(value: object, expected: datetime | None) -> None:
    assert parsing.parse_timestamp(value) == expected


@pytest.mark.parametrize("value", ["1779108561", 1779108561, Decimal("1779108561.0")])
def test_epoch_seconds_are_parsed_from_a_number_or_a_string(value: object) -> None:
    assert parsing.parse_epoch_seconds(value) == datetime.fromtimestamp(1779108561, UTC)


@pytest.mark.parametrize("value", [-1, 1779108561000, "soon", None, True])
def test_epoch_seconds_out_of_range_are_none(value: object) -> None:
    assert parsing.parse_epoch_seconds(value) is None


@settings(deadline=None)
@given(st.text())
def test_parsed_text_can_be_stored_and_sent(text: str) -> None:
    found = parsing.parse_text(text + "\ud800\n\x00x", 50)
    assert found is None or (len(found) <= 50 and found.isprintable() and found.encode())


@pytest.mark.parametrize(
    ("price", "when", "reason"),
    [
        (None, "2026-05-18T12:00:00Z", "the answer holds no price"),
        ({}, "2026-05-18T12:00:00Z", "the answer holds no price"),
        (0, "2026-05-18T12:00:00Z", "its price is not a number above zero"),
        (Decimal("-1"), "2026-05-18T12:00:00Z", "its price is not a number above zero"),
        ([1], "2026-05-18T12:00:00Z", "its price is not a number above zero"),
        (1, None, "the answer holds no time"),
        (1, "soon", "its time is not an instant"),
        (1, "2026-05-18T13:00:00Z", "its time is 3,600 s in the future"),
    ],
)
def test_an_invalid_price_or_time_gives_the_reason(price: object, when: object, reason: str) -> None:
    assert parsing.parse_price_and_time(price, when, NOW) == reason


def test_a_provider_clock_may_be_a_minute_ahead() -> None:
    moment = NOW + timedelta(seconds=60)
    assert parsing.parse_price_and_time(1, moment.isoformat(), NOW) == (Decimal(1), moment)
