import re
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.markets.numbers import (
    EXACT_CONTEXT,
    format_compact_usd,
    format_plain,
    format_timestamp,
    is_sane,
    json_number,
    mean,
    pct_change,
    pct_spread,
    round_significant,
)

figures = st.decimals(
    min_value=Decimal("-1e20"), max_value=Decimal("1e20"), allow_nan=False, allow_infinity=False, places=18
)
prices = st.builds(
    lambda digits, exponent: Decimal(digits).scaleb(exponent),
    st.integers(min_value=1, max_value=10**17),
    st.integers(min_value=-26, max_value=4),
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("67012.51", "67012.51"),
        ("1.223e-09", "0.000000001223"),
        ("1E+5", "100000"),
        ("100", "100"),
        ("1.500", "1.5"),
        ("2.000", "2"),
        ("0.00", "0"),
        ("-0", "0"),
        ("-0.000", "0"),
        ("-12.50", "-12.5"),
        ("0E-20", "0"),
    ],
)
def test_a_decimal_is_formatted_in_plain_notation(value, text):
    assert format_plain(Decimal(value)) == text


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "sNaN"])
def test_a_non_finite_value_has_no_plain_notation(value):
    with pytest.raises(ValueError, match="finite"):
        format_plain(Decimal(value))


@given(figures)
def test_plain_notation_matches_the_schema_pattern_and_is_exact(value):
    text = format_plain(value)
    assert re.fullmatch(r"-?\d+(\.\d+)?", text)
    assert Decimal(text) == value
    assert not text.endswith(".0")


@given(prices)
def test_a_json_number_is_valid_json_without_an_exponent(value):
    literal = json_number(value)
    assert b"e" not in literal.lower()
    assert orjson.loads(b"[" + literal + b"]")[0] == pytest.approx(float(value))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("1.00", "1.00", "1.00"),
        ("1.00", "1.01", "1.005"),
        ("67012.51", "67013.1234", "67012.8167"),
        ("1E+5", "3E+5", "2E+5"),
        ("1e-9", "2e-9", "1.5e-9"),
    ],
)
def test_a_mean_has_at_most_one_digit_more_than_the_more_precise_figure(a, b, expected):
    result = mean(Decimal(a), Decimal(b))
    assert result == Decimal(expected)
    assert format_plain(result) == format_plain(Decimal(expected))


@given(prices, prices)
def test_a_mean_is_exact_symmetric_and_within_the_range(a, b):
    result = mean(a, b)
    assert result == mean(b, a)
    assert min(a, b) <= result <= max(a, b)
    assert EXACT_CONTEXT.multiply(result, Decimal(2)) == EXACT_CONTEXT.add(a, b)
    finer = min(a.as_tuple().exponent, b.as_tuple().exponent)
    assert result.as_tuple().exponent >= finer - 1


def test_a_mean_of_a_non_finite_value_is_refused():
    with pytest.raises(ValueError, match="finite"):
        mean(Decimal("NaN"), Decimal(1))


def test_the_spread_is_relative_to_the_middle_of_both():
    assert pct_spread(Decimal(99), Decimal(101)) == 2
    assert pct_spread(Decimal(101), Decimal(99)) == 2


def test_a_change_is_relative_to_the_earlier_value():
    assert pct_change(Decimal(100), Decimal(80)) == -20


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("3421000000000", "$3.42T"),
        ("812400000", "$812.4M"),
        ("45678000000", "$45.68B"),
        ("999960000", "$1.00B"),
        ("99996000", "$100.0M"),
        ("999999.999", "$1.00M"),
        ("999.999", "$1.00K"),
        ("1500", "$1.50K"),
        ("45.1", "$45.10"),
        ("1", "$1.00"),
        ("0.001234567", "$0.001235"),
        ("0.9999999", "$1.00"),
        ("0", "$0.00"),
        ("-812400000", "-$812.4M"),
        ("1234500000000000", "$1234.5T"),
    ],
)
def test_dollars_are_formatted_compactly(value, text):
    assert format_compact_usd(Decimal(value)) == text


def test_dollars_that_are_not_a_number_are_refused():
    with pytest.raises(ValueError, match="finite"):
        format_compact_usd(Decimal("NaN"))


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 5, 18, 12, 49, 21, tzinfo=UTC), "2026-05-18T12:49:21Z"),
        (datetime(2026, 5, 18, 12, 49, 21, 250_000, tzinfo=UTC), "2026-05-18T12:49:21.250Z"),
        (datetime(2026, 5, 18, 12, 49, 21, 999, tzinfo=UTC), "2026-05-18T12:49:21Z"),
        (datetime(2026, 5, 18, 21, 49, 21, tzinfo=timezone(timedelta(hours=9))), "2026-05-18T12:49:21Z"),
    ],
)
def test_an_instant_is_formatted_in_utc_with_milliseconds_only_if_it_has_any(moment, text):
    assert format_timestamp(moment) == text


def test_an_instant_without_a_time_zone_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        format_timestamp(datetime(2026, 5, 18))  # noqa: DTZ001


@pytest.mark.parametrize(
    "value", ["1E+999999", "1E-999999", "NaN", "Infinity", "1e31", "1e-31", "0." + "1" * 41]
)
def test_implausible_figures_are_not_sane(value):
    assert not is_sane(Decimal(value))


@pytest.mark.parametrize("value", ["0", "-5.2", "67012.51", "1.223e-09", "3.4e12"])
def test_figures_of_a_market_are_sane(value):
    assert is_sane(Decimal(value))


def test_significant_digits_round_half_to_even():
    assert round_significant(Decimal("0.00123450"), 4) == Decimal("0.001234")
