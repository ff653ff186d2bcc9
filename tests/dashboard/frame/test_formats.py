"""Formats of figures: exact until the last step, and never zero for an unknown figure."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.frame.formats import (
    MINUS,
    UNKNOWN,
    Language,
    age,
    compact,
    direction,
    duration,
    format_compact_amount,
    full_price,
    integer,
    local_time,
    parse_decimal,
    parse_instant,
    percent,
    price,
)

UNITS = {"K": 3, "M": 6, "B": 9, "T": 12, "万": 4, "億": 8, "亿": 8, "兆": 12, "万亿": 12}
positive = st.decimals("1e-18", "1e18", allow_nan=False, allow_infinity=False).filter(lambda value: value > 0)
languages = st.sampled_from(["en", "ja", "zh"])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("67012.51", "$67,012.51"),
        ("1", "$1.00"),
        ("0.99996", "$1.00"),
        ("0.5204", "$0.5204"),
        ("0.001234", "$0.001234"),
        ("0.00009999", "$0.0₄9999"),
        ("0.000000215312", "$0.0₆2153"),
        ("1.2e-9", "$0.0₈1200"),
        ("0", "$0.00"),
        ("-3.456", f"{MINUS}$3.46"),
    ],
)
def test_a_price_shows_the_digits_that_matter(value: str, expected: str) -> None:
    assert price(Decimal(value)) == expected


def test_the_label_of_a_tiny_price_has_all_its_zeros() -> None:
    assert full_price(Decimal("0.000000215312")) == "$0.0000002153"
    assert full_price(None, "ja") == "不明"


@given(positive)
def test_a_full_price_is_within_its_rounding_and_never_an_exponent(value: Decimal) -> None:
    label = full_price(value)
    assert "E" not in label.upper()
    parsed = Decimal(label.removeprefix("$").replace(",", ""))
    assert abs(parsed - value) <= (Decimal("0.005") if value >= 1 else value / 1000)


@pytest.mark.parametrize(
    ("value", "en", "ja", "zh"),
    [
        ("2451300000000", "$2.45T", "$2.45兆", "$2.45万亿"),
        ("98123000000", "$98.1B", "$981億", "$981亿"),
        ("123456789012", "$123B", "$1,235億", "$1,235亿"),
        ("999960", "$1.00M", "$100万", "$100万"),
        ("999.994", "$999.99", "$999.99", "$999.99"),
        ("9999.996", "$10.0K", "$1.00万", "$1.00万"),
        ("0", "$0.00", "$0.00", "$0.00"),
        ("1e15", "$1,000T", "$1,000兆", "$1,000万亿"),
    ],
)
def test_large_amounts_take_the_units_of_the_language(value: str, en: str, ja: str, zh: str) -> None:
    assert [format_compact_amount(Decimal(value), lang) for lang in ("en", "ja", "zh")] == [en, ja, zh]


def test_a_round_amount_has_no_trailing_zeros() -> None:
    assert format_compact_amount(10**7, trim=True) == "$10M"
    assert format_compact_amount(10**7, "ja", trim=True) == "$1,000万"
    assert format_compact_amount(None) == UNKNOWN


@given(positive.filter(lambda value: value >= Decimal("0.01")), languages)
def test_a_compact_amount_is_within_half_a_percent_and_has_the_largest_unit_that_fits(
    value: Decimal, lang: Language
) -> None:
    formatted = compact(value, lang)
    digits = formatted.rstrip("KMBT万億亿兆")
    power = UNITS.get(formatted[len(digits) :], 0)
    number = Decimal(digits.replace(",", ""))
    assert abs(number.scaleb(power) - value) <= max(value / 200, Decimal("0.005"))
    assert number >= 1 or power == 0
    largest = 12
    assert power == largest or number < 1000 or lang != "en"
    assert power == largest or number <= 10_000 or lang == "en"


@given(positive, positive)
def test_a_larger_price_never_reads_as_a_smaller_one(first: Decimal, second: Decimal) -> None:
    low, high = sorted((first, second))
    parsed = [Decimal(full_price(value).removeprefix("$").replace(",", "")) for value in (low, high)]
    assert parsed[0] <= parsed[1]


@pytest.mark.parametrize(
    ("value", "expected", "expected_direction"),
    [
        ("1.234", "+1.23%", "up"),
        ("-4.215", f"{MINUS}4.22%", "down"),
        ("-0.004", "0.00%", "flat"),
        ("0", "0.00%", "flat"),
        ("12345.6", "+12,346%", "up"),
    ],
)
def test_a_change_has_the_sign_of_its_rounded_value(
    value: str, expected: str, expected_direction: str
) -> None:
    assert (percent(Decimal(value)), direction(Decimal(value))) == (expected, expected_direction)


def test_an_unknown_figure_is_never_zero() -> None:
    assert {price(None), format_compact_amount(None), percent(None), integer(None)} == {UNKNOWN}
    assert direction(None) is None
    assert parse_decimal(None) is None


@given(st.decimals("-1e6", "1e6", allow_nan=False, allow_infinity=False))
def test_the_sign_of_a_percentage_agrees_with_its_direction(value: Decimal) -> None:
    formatted = percent(value)
    signs = {"up": "+", "down": MINUS}
    change_direction = direction(value)
    assert change_direction is not None
    assert (formatted[0] in (MINUS, "+")) == (change_direction != "flat")
    assert change_direction == "flat" or formatted.startswith(signs[change_direction])


def test_ages_use_the_largest_unit() -> None:
    assert [age(seconds) for seconds in (0, -5, 12, 125, 7300, 200_000)] == [
        "just now",
        "just now",
        "12 s ago",
        "2 min ago",
        "2 h ago",
        "2 d ago",
    ]
    assert age(125, "ja") == "2分前"
    assert age(7300, "zh") == "2小时前"
    assert duration(0) == "0 s"


def test_a_time_is_local_with_the_exact_utc() -> None:
    noon = datetime(2026, 5, 18, 12, 0, 5, tzinfo=UTC)
    assert local_time(noon, "Asia/Tokyo", noon) == ("21:00:05", "2026-05-18 12:00:05 UTC")
    assert local_time(noon, "Asia/Tokyo", noon + timedelta(hours=5)).text == "2026-05-18 21:00"
    assert local_time(noon, "No/Such", noon).text == local_time(noon, None, noon).text == "12:00:05"


def test_wire_numbers_and_times_keep_their_value() -> None:
    assert parse_decimal("0.10") == Decimal("0.10")
    assert parse_decimal(12) == Decimal(12)
    assert parse_instant("2026-05-18T12:00:05Z") == datetime(2026, 5, 18, 12, 0, 5, tzinfo=UTC)
    assert parse_instant(None) is None
