"""Converts US dollars to the reader's currency, exactly, and formats the amounts. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Context, Decimal

from dashboard.client.market_schemas import Currency
from dashboard.frame import formats
from dashboard.frame.formats import US_DOLLAR_STYLE, CurrencyStyle
from dashboard.i18n.languages import Language

CURRENCY_STYLES: Mapping[Currency, CurrencyStyle] = {
    "USD": US_DOLLAR_STYLE,
    "EUR": CurrencyStyle("€"),
    "JPY": CurrencyStyle("¥", is_whole=True),
    "CNY": CurrencyStyle("CN¥"),
    "KRW": CurrencyStyle("₩", is_whole=True),
    "GBP": CurrencyStyle("£"),
    "BTC": CurrencyStyle("BTC\u00a0", max_digits=8),  # many fonts lack the sign of bitcoin
}
LOCAL_SYMBOLS: Mapping[tuple[Language, Currency], str] = {("zh", "CNY"): "¥", ("zh", "JPY"): "JP¥"}
"""Symbols that differ in a language, because ``¥`` alone means its own currency there (Unicode CLDR)."""
_EXACT_CONTEXT = Context(prec=300)
"""More digits than any product of two figures of the service has."""


@dataclass(frozen=True, slots=True)
class DisplayCurrency:
    """The currency in which amounts are shown, and what one US dollar is worth in it.

    ``source`` and ``as_of`` are those of the rate; a source that ends in ``:stale`` means the last known
    good rate.
    """

    code: Currency = "USD"
    rate: Decimal = Decimal(1)
    style: CurrencyStyle = US_DOLLAR_STYLE
    source: str | None = None
    as_of: datetime | None = None

    @property
    def is_converted(self) -> bool:
        return self.code != "USD"

    @property
    def is_stale(self) -> bool:
        return self.source is not None and self.source.endswith(":stale")

    def convert(self, usd: Decimal | int) -> Decimal:
        """Returns the exact amount in this currency."""
        return _EXACT_CONTEXT.multiply(Decimal(usd), self.rate)

    def format_price(self, usd: Decimal | None) -> str:
        """Formats a price in US dollars as :func:`dashboard.frame.formats.price` in this currency."""
        return formats.price(None if usd is None else self.convert(usd), self.style)

    def format_full_price(self, usd: Decimal | None, lang: Language) -> str:
        """Formats a price with all its zeros, and behind it the exact US dollars of a converted price."""
        if usd is None or not self.is_converted:
            return formats.full_price(usd, lang)
        return f"{formats.full_price(self.convert(usd), lang, self.style)} · {_format_exact_usd(usd)}"

    def format_exact_total(self, usd: Decimal) -> str:
        """Formats a sum without a unit, and behind it the exact US dollars of a converted sum."""
        exact = _format_exact_usd(usd)
        return f"{formats.price(self.convert(usd), self.style)} · {exact}" if self.is_converted else exact

    def format_compact(self, usd: Decimal | int | None, lang: Language) -> str:
        """Formats a sum in US dollars in this currency, with three digits and a unit."""
        return formats.format_compact_amount(None if usd is None else self.convert(usd), lang, self.style)


US_DOLLARS = DisplayCurrency()


def build_currency_style(code: Currency, lang: Language) -> CurrencyStyle:
    """Builds the style of a currency, with the symbol that a reader of ``lang`` knows it by."""
    style = CURRENCY_STYLES[code]
    return style._replace(symbol=LOCAL_SYMBOLS.get((lang, code), style.symbol))


def _format_exact_usd(usd: Decimal) -> str:
    return f"${usd:,f}"
