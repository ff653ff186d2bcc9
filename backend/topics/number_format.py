"""Formats amounts, prices, percentages and days as each language writes them."""

from datetime import date, datetime
from decimal import ROUND_HALF_EVEN, Decimal

from backend.entities.model import Language

_TRILLION, _BILLION, _MILLION = Decimal(10) ** 12, Decimal(10) ** 9, Decimal(10) ** 6
_OKU, _MAN = Decimal(10) ** 8, Decimal(10) ** 4
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def format_money(value: Decimal, language: Language) -> str:
    """Format a large sum in US dollars to three digits: $1.23 trillion, 1兆2,300億ドル, 1.23万亿美元."""
    if language == "ja":
        return f"{_format_japanese(value)}ドル"
    if language == "zh":
        return f"{_format_chinese(value)}美元"
    for scale, word in ((_TRILLION, "trillion"), (_BILLION, "billion"), (_MILLION, "million")):
        if value >= scale:
            return f"${_format_short(value / scale)} {word}"
    return f"${_format_grouped(value.quantize(Decimal(1)))}"


def format_price(value: Decimal, language: Language) -> str:
    """Format a price in US dollars: with cents from one dollar up, with four significant digits below."""
    if value >= 1:
        number = _format_grouped(value.quantize(Decimal("0.01"), ROUND_HALF_EVEN))
    else:
        number = format(_round_to_digits(value, 4), "f")
    return {"en": f"${number}", "ja": f"{number}ドル", "zh": f"{number}美元"}[language]


def format_percent(value: Decimal, *, signed: bool = True) -> str:
    """Format a change in percent with one decimal place, with two below one tenth."""
    precision = Decimal("0.1") if abs(value) >= Decimal("0.1") else Decimal("0.01")
    rounded = value.quantize(precision, ROUND_HALF_EVEN)
    sign = "+" if signed and rounded > 0 else "−" if signed and rounded < 0 else ""
    return f"{sign}{format(abs(rounded) if signed else rounded, 'f')}%"


def format_day(value: date | datetime, language: Language) -> str:
    if language == "en":
        return f"{value.day} {_MONTHS[value.month - 1]} {value.year}"
    return f"{value.year}年{value.month}月{value.day}日"


def format_days(first: date, last: date | None, language: Language) -> str:
    """Format several days in a row, or one: 8–9 December 2026, 2026年12月8日〜9日, 2026年12月8日至9日."""
    if last is None or last <= first:
        return format_day(first, language)
    is_same_month = (first.year, first.month) == (last.year, last.month)
    if language == "en":
        return (
            f"{first.day}–{format_day(last, 'en')}"
            if is_same_month
            else (f"{format_day(first, 'en')} – {format_day(last, 'en')}")
        )
    behind = f"{last.day}日" if is_same_month else format_day(last, language)
    return f"{format_day(first, language)}{'〜' if language == 'ja' else '至'}{behind}"


def _format_japanese(value: Decimal) -> str:
    """Format with three significant digits: 1兆2,300億, 456億, 7,890万."""
    rounded = _round_to_digits(value, 3)
    remaining = int(rounded)
    parts = []
    for scale, word in ((10**12, "兆"), (10**8, "億"), (10**4, "万")):
        count, remaining = divmod(remaining, scale)
        if count:
            parts.append(f"{count:,}{word}")
    return "".join(parts) or f"{int(rounded):,}"


def _format_chinese(value: Decimal) -> str:
    for scale, word in ((_TRILLION, "万亿"), (_OKU, "亿"), (_MAN, "万")):
        if value >= scale:
            return f"{_format_short(value / scale)}{word}"
    return _format_grouped(value.quantize(Decimal(1)))


def _format_short(value: Decimal) -> str:
    return format(_round_to_digits(value, 3), "f")


def _round_to_digits(value: Decimal, digits: int) -> Decimal:
    if not value:
        return value
    precision = Decimal(1).scaleb(value.adjusted() - digits + 1)
    return (
        value.quantize(precision, ROUND_HALF_EVEN)
        if precision < 1
        else (value / precision).quantize(1) * precision
    )


def _format_grouped(value: Decimal) -> str:
    return f"{value:,}"
