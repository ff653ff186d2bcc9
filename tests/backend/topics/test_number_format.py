"""Figures as each language writes them."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.model import Language
from backend.sources.claims import quantities
from backend.topics.number_format import format_day, format_days, format_money, format_percent, format_price


@pytest.mark.parametrize(
    ("value", "language", "shown"),
    [
        ("1234567890123", "en", "$1.23 trillion"),
        ("1234567890123", "ja", "1兆2,300億ドル"),
        ("1234567890123", "zh", "1.23万亿美元"),
        ("45600000000", "en", "$45.6 billion"),
        ("45600000000", "ja", "456億ドル"),
        ("45600000000", "zh", "456亿美元"),
        ("2650000000", "ja", "26億5,000万ドル"),
        ("7890000", "en", "$7.89 million"),
        ("7890000", "ja", "789万ドル"),
        ("7890000", "zh", "789万美元"),
        ("999", "en", "$999"),
        ("999", "zh", "999美元"),
        ("0", "ja", "0ドル"),
    ],
)
def test_a_large_amount_has_three_digits_and_the_scale_of_the_language(
    value: str, language: Language, shown: str
) -> None:
    assert format_money(Decimal(value), language) == shown


@given(st.decimals("1e6", "9.9e13", places=0), st.sampled_from(["en", "ja", "zh"]))
def test_a_formatted_amount_parses_back_within_its_rounding(value: Decimal, language: Language) -> None:
    parsed = quantities.find_quantities(format_money(value, language), language)
    assert [quantity.unit for quantity in parsed] == ["USD"]
    assert abs(parsed[0].value - value) <= value * Decimal("0.005")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("70958.704", "$70,958.70"),
        ("1", "$1.00"),
        ("0.99941", "$0.9994"),
        ("0.00000000122345", "$0.000000001223"),
    ],
)
def test_a_price_has_cents_or_four_significant_digits_and_no_exponent(value: str, expected: str) -> None:
    assert format_price(Decimal(value), "en") == expected


@pytest.mark.parametrize(
    ("value", "expected"), [("2.94", "+2.9%"), ("-12.36", "−12.4%"), ("0.034", "+0.03%"), ("0", "0.00%")]
)
def test_a_change_shows_its_sign(value: str, expected: str) -> None:
    assert format_percent(Decimal(value)) == expected


def test_a_share_has_no_sign() -> None:
    assert format_percent(Decimal("53.84"), signed=False) == "53.8%"


def test_days_are_formatted_for_each_language() -> None:
    then = date(2024, 4, 20)
    assert [format_day(then, language) for language in ("en", "ja", "zh")] == [
        "20 April 2024",
        "2024年4月20日",
        "2024年4月20日",
    ]


@pytest.mark.parametrize(
    ("last", "language", "shown"),
    [
        (date(2026, 12, 9), "en", "8–9 December 2026"),
        (date(2027, 1, 2), "en", "8 December 2026 – 2 January 2027"),
        (date(2026, 12, 9), "ja", "2026年12月8日〜9日"),
        (date(2027, 1, 2), "zh", "2026年12月8日至2027年1月2日"),
        (None, "en", "8 December 2026"),
    ],
)
def test_several_days_in_a_row_are_written_as_one_span(
    last: date | None, language: Language, shown: str
) -> None:
    assert format_days(date(2026, 12, 8), last, language) == shown
