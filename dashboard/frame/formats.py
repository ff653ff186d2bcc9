"""Formats figures for the screen. No I/O. Amounts stay :class:`~decimal.Decimal` until here."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dashboard.i18n.languages import Language

Direction = Literal["up", "down", "flat"]
UNKNOWN = "–"
UNKNOWN_LABEL: Mapping[Language, str] = {"en": "not known", "ja": "不明", "zh": "未知"}
"""Read by a screen reader in place of :data:`UNKNOWN`."""
MINUS = "\u2212"
ARROWS: Mapping[Direction, str] = {"up": "▲", "down": "▼", "flat": "•"}


class CurrencyStyle(NamedTuple):
    """How amounts of a currency are written."""

    symbol: str = "$"
    is_whole: bool = False
    """Prices of three digits and more have none after the point, because the currency has no cents."""
    max_digits: int | None = None
    """Maximum number of significant digits, in place of cents, of prices that are not tiny."""


US_DOLLAR_STYLE = CurrencyStyle()
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_TINY_ZEROS = 4
"""Minimum number of zeros after the point that a subscript counts instead of writing them."""
_UNITS: Mapping[Language, Sequence[tuple[int, str]]] = {
    "en": ((12, "T"), (9, "B"), (6, "M"), (3, "K")),
    "ja": ((12, "兆"), (8, "億"), (4, "万")),
    "zh": ((12, "万亿"), (8, "亿"), (4, "万")),
}
_SPANS: Sequence[tuple[int, Mapping[Language, str]]] = (
    (86_400, {"en": "{n} d", "ja": "{n}日", "zh": "{n}天"}),
    (3_600, {"en": "{n} h", "ja": "{n}時間", "zh": "{n}小时"}),
    (60, {"en": "{n} min", "ja": "{n}分", "zh": "{n}分钟"}),
    (1, {"en": "{n} s", "ja": "{n}秒", "zh": "{n}秒"}),
)
_AGO: Mapping[Language, str] = {"en": "{span} ago", "ja": "{span}前", "zh": "{span}前"}
_NOW: Mapping[Language, str] = {"en": "just now", "ja": "たった今", "zh": "刚刚"}


def parse_decimal(value: object) -> Decimal | None:
    """Parses a wire figure (decimal string or number) exactly; ``None`` stays ``None``."""
    if value is None or isinstance(value, Decimal):
        return value
    return Decimal(str(value))


def price(value: Decimal | None, style: CurrencyStyle = US_DOLLAR_STYLE) -> str:
    """Formats a price: ``$67,012.51``, ``$0.5204``, ``$0.0₆2153`` (six zeros after the point)."""
    return _format_price(value, style, compress=True)


def full_price(value: Decimal | None, lang: Language = "en", style: CurrencyStyle = US_DOLLAR_STYLE) -> str:
    """Formats a price with all its zeros, for titles and screen readers."""
    return UNKNOWN_LABEL[lang] if value is None else _format_price(value, style, compress=False)


def _format_price(value: Decimal | None, style: CurrencyStyle, *, compress: bool) -> str:
    if value is None:
        return UNKNOWN
    sign = MINUS if value < 0 else ""
    return f"{sign}{style.symbol}{_format_price_digits(abs(value), style, compress=compress)}"


def _format_price_digits(value: Decimal, style: CurrencyStyle, *, compress: bool) -> str:
    if style.max_digits is not None and (value == 0 or -value.adjusted() <= _TINY_ZEROS):
        return _format_significant_digits(value, style.max_digits)
    size = _round_to_digits(value, 4) if 0 < value < 1 else value
    if size >= 1 or size == 0:
        is_whole = style.is_whole and _round_to_places(size, 2) >= 100
        return f"{_round_to_places(size, 0 if is_whole else 2):,f}"
    zeros = -size.adjusted() - 1
    digits = "".join(map(str, size.as_tuple().digits)).ljust(4, "0")
    if compress and zeros >= _TINY_ZEROS:
        return f"0.0{str(zeros).translate(_SUBSCRIPTS)}{digits}"
    return f"0.{'0' * zeros}{digits}"


def _format_significant_digits(value: Decimal, max_digits: int) -> str:
    """Formats without trailing zeros, but with at least two places if that many digits are significant."""
    rounded = _round_to_digits(value, max_digits).normalize()
    least_places = min(2, max(0, max_digits - 1 - rounded.adjusted()))
    places = max(least_places, -int(rounded.as_tuple().exponent))
    return f"{_round_to_places(rounded, places):,f}"


def format_compact_amount(
    value: Decimal | int | None,
    lang: Language = "en",
    style: CurrencyStyle = US_DOLLAR_STYLE,
    *,
    trim: bool = False,
) -> str:
    """Formats three digits and a unit: ``$2.45T``, ``$2.45兆``, ``$2.45万亿``; a price below the first unit.

    ``trim`` drops zeros after the point, for round limits: ``$10M``.
    """
    if value is None:
        return UNKNOWN
    amount = Decimal(value)
    if _round_to_places(abs(amount), 2) < Decimal(10) ** _UNITS[lang][-1][0]:
        return price(amount, style)
    return f"{MINUS if amount < 0 else ''}{style.symbol}{compact(abs(amount), lang, trim=trim)}"


def compact(value: Decimal, lang: Language = "en", *, trim: bool = False) -> str:
    """Formats a count or an amount without currency, with at least three significant digits."""
    sign, size = (MINUS, -value) if value < 0 else ("", value)
    cents = _round_to_places(size, 2)
    for power, unit in _UNITS[lang]:
        share = size.scaleb(-power)
        if cents >= Decimal(10) ** power or (power > _UNITS[lang][-1][0] and _round_to_digits(share, 3) >= 1):
            places = max(0, 2 - _round_to_digits(share, 3).adjusted())
            return f"{sign}{_format_trimmed(_round_to_places(share, places), trim)}{unit}"
    return f"{sign}{_format_trimmed(cents, trim)}"


def _format_trimmed(value: Decimal, trim: bool) -> str:
    formatted = f"{value:,f}"
    return formatted.rstrip("0").rstrip(".") if trim and "." in formatted else formatted


def percent(value: Decimal | int | None, *, signed: bool = True, places: int = 2) -> str:
    """Formats ``+1.23%``, ``−4.21%``; a change that rounds to zero has no sign."""
    if value is None:
        return UNKNOWN
    number = Decimal(value)
    rounded = _round_to_places(number, 0 if abs(number) >= 1000 else places)
    sign = MINUS if rounded < 0 else "+" if signed and rounded > 0 else ""
    return f"{sign}{abs(rounded):,f}%"


def significant(value: Decimal, digits: int) -> str:
    """Rounds to ``digits`` significant digits, without trailing zeros or an exponent: ``0.025``, ``5``."""
    return f"{_round_to_digits(value, digits).normalize():f}"


def drop_stale(value: Decimal | None, source: str | None) -> Decimal | None:
    """Returns ``None`` in place of a change or volume whose ``source`` ends in ``:stale``.

    Such a figure is the last known good one and does not describe the present. Every count, filter
    and chart applies this.
    """
    return None if source is not None and source.endswith(":stale") else value


def direction(change: Decimal | int | None, *, places: int = 2) -> Direction | None:
    """Returns the direction of a change after rounding; ``None`` if it is unknown."""
    if change is None:
        return None
    rounded = _round_to_places(Decimal(change), places)
    return "up" if rounded > 0 else "down" if rounded < 0 else "flat"


def percent_with_arrow(change: Decimal | int | None, *, mark_flat: bool = True) -> str:
    """Formats ``▲ +1.23%``. A change that rounds to zero is ``• 0.00%``, or ``0.00%`` without the mark."""
    change_direction = direction(change)
    if change_direction is None:
        return UNKNOWN
    is_marked = mark_flat or change_direction != "flat"
    return f"{ARROWS[change_direction]} {percent(change)}" if is_marked else percent(change)


def integer(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"


def duration(seconds: float, lang: Language = "en") -> str:
    """Formats seconds in the largest unit, rounded down: ``12 s``, ``2 min``, ``3時間``."""
    whole_seconds = max(0, int(seconds))
    for size, pattern in _SPANS:
        if whole_seconds >= size:
            return pattern[lang].format(n=f"{whole_seconds // size:,}")
    return _SPANS[-1][1][lang].format(n=0)


def age(seconds: float, lang: Language = "en") -> str:
    """Formats ``12 s ago``; below a second, or ahead of our clock, ``just now``."""
    return _NOW[lang] if seconds < 1 else _AGO[lang].format(span=duration(seconds, lang))


class LocalTime(NamedTuple):
    """The reader's local time (with its date on another day), and the exact UTC."""

    text: str
    utc: str


def local_time(instant: datetime, timezone: str | None, now: datetime | None = None) -> LocalTime:
    """Formats ``instant`` (aware) in the IANA ``timezone``; an unknown zone counts as UTC."""
    zone = parse_zone(timezone)
    local = instant.astimezone(zone)
    today = (now or datetime.now(UTC)).astimezone(zone).date()
    text = f"{local:%H:%M:%S}" if local.date() == today else f"{local:%Y-%m-%d %H:%M}"
    return LocalTime(text, f"{instant.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC")


def parse_instant(text: str | None) -> datetime | None:
    """Parses an RFC 3339 timestamp of the wire."""
    return None if text is None else datetime.fromisoformat(text)


def parse_zone(name: str | None) -> ZoneInfo:
    """Returns the IANA zone ``name``; an unknown zone counts as UTC."""
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def _round_to_digits(value: Decimal, digits: int) -> Decimal:
    return Context(prec=digits, rounding=ROUND_HALF_UP).plus(value)


def _round_to_places(value: Decimal, places: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, Context(prec=60))
