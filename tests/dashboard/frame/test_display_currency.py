"""Amounts in the reader's currency: exact conversion, and the digits and symbol that suit the currency."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.client.market_schemas import CURRENCIES, Currency
from dashboard.frame.display_currency import (
    CURRENCY_STYLES,
    US_DOLLARS,
    DisplayCurrency,
    build_currency_style,
)
from dashboard.frame.formats import UNKNOWN, UNKNOWN_LABEL
from dashboard.i18n import LANGUAGES

RATES: dict[Currency, str] = {
    "USD": "1",
    "EUR": "0.9091",
    "JPY": "142.9",
    "CNY": "7.2",
    "KRW": "1400",
    "GBP": "0.7692",
    "BTC": "0.0000149253731343284",
}
usd_amounts = st.decimals("1e-18", "1e15", allow_nan=False, allow_infinity=False)
rates = st.decimals("1e-9", "1e6", allow_nan=False, allow_infinity=False).filter(lambda rate: rate > 0)
codes = st.sampled_from(CURRENCIES)


def build_currency(code: Currency, rate: str | Decimal | None = None) -> DisplayCurrency:
    return DisplayCurrency(code, Decimal(rate or RATES[code]), CURRENCY_STYLES[code])


def parse(label: str) -> Decimal:
    return Decimal(label.split(" · ")[0].lstrip("$€¥₩£BTCN\u00a0").replace(",", ""))


@given(usd_amounts, rates)
def test_a_conversion_is_exact(usd: Decimal, rate: Decimal) -> None:
    assert Fraction(build_currency("EUR", rate).convert(usd)) == Fraction(usd) * Fraction(rate)


@given(usd_amounts, usd_amounts, rates, codes)
def test_a_larger_amount_never_reads_as_a_smaller_one_in_any_currency(
    first: Decimal, second: Decimal, rate: Decimal, code: Currency
) -> None:
    low, high = sorted((first, second))
    shown = build_currency(code, rate)
    assert shown.convert(low) <= shown.convert(high)
    assert parse(shown.format_full_price(low, "en")) <= parse(shown.format_full_price(high, "en"))


@pytest.mark.parametrize(
    ("code", "usd", "price"),
    [
        ("EUR", "67012.51", "€60,921.07"),
        ("GBP", "0.5204", "£0.4003"),
        ("JPY", "67012.51", "¥9,576,088"),
        ("JPY", "0.6999", "¥100"),
        ("JPY", "0.5204", "¥74.37"),
        ("JPY", "0.0012", "¥0.1715"),
        ("JPY", "0.00000021", "¥0.0₄3001"),
        ("KRW", "67012.51", "₩93,817,514"),
        ("KRW", "0.0012", "₩1.68"),
        ("CNY", "1", "CN¥7.20"),
        ("BTC", "67000", "BTC\u00a01.00"),
        ("BTC", "3000", "BTC\u00a00.044776119"),
        ("BTC", "6700000", "BTC\u00a0100.00"),
        ("BTC", "6.7", "BTC\u00a00.0001"),
        ("BTC", "1", "BTC\u00a00.0₄1493"),
        ("BTC", "0", "BTC\u00a00.00"),
        ("USD", "67012.51", "$67,012.51"),
    ],
)
def test_a_price_has_the_digits_that_suit_its_currency(code: Currency, usd: str, price: str) -> None:
    assert build_currency(code).format_price(Decimal(usd)) == price


@pytest.mark.parametrize(
    ("code", "usd", "en", "ja"),
    [
        ("JPY", "2451300000000", "¥350T", "¥350兆"),
        ("KRW", "2451300000000", "₩3,432T", "₩3,432兆"),
        ("BTC", "1340000000000", "BTC\u00a020.0M", "BTC\u00a02,000万"),
        ("JPY", "60", "¥8.57K", "¥8,574"),
        ("BTC", "68", "BTC\u00a00.0010149254", "BTC\u00a00.0010149254"),
    ],
)
def test_a_large_amount_has_three_digits_and_a_unit(code: Currency, usd: str, en: str, ja: str) -> None:
    assert [build_currency(code).format_compact(Decimal(usd), lang) for lang in ("en", "ja")] == [en, ja]


def test_yen_and_yuan_have_the_symbols_that_readers_of_the_language_know() -> None:
    symbols = {
        lang: [build_currency_style(code, lang).symbol for code in ("JPY", "CNY")] for lang in LANGUAGES
    }
    assert symbols == {"en": ["¥", "CN¥"], "ja": ["¥", "CN¥"], "zh": ["JP¥", "¥"]}


def test_the_title_of_a_converted_amount_has_the_exact_us_dollars() -> None:
    yen, usd = build_currency("JPY"), Decimal("0.000000215312")
    assert yen.format_full_price(usd, "en") == "¥0.00003077 · $0.000000215312"
    assert yen.format_exact_total(Decimal(2451300000000)) == "¥350,290,770,000,000 · $2,451,300,000,000"
    assert US_DOLLARS.format_full_price(usd, "en") == "$0.0000002153"
    assert US_DOLLARS.format_exact_total(Decimal("1234.5")) == "$1,234.5"


@pytest.mark.parametrize("code", CURRENCIES)
def test_an_unknown_amount_is_zero_in_no_currency(code: Any) -> None:
    assert (
        build_currency(code).format_price(None) == build_currency(code).format_compact(None, "en") == UNKNOWN
    )
    assert build_currency(code).format_full_price(None, "ja") == UNKNOWN_LABEL["ja"]
