"""Parses numbers, times and texts in a provider's JSON. Pure.

Values may have any type. A function returns null for a value that it cannot use; only :func:`load_json`
raises. Numbers become :class:`~decimal.Decimal` straight from the literal, never a float. A number is usable
from 1e-30 to 1e30 and with up to 50 digits: anything beyond is the provider's error and would fill a page
when printed without an exponent.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation

MAX_CLOCK_SKEW = timedelta(seconds=60)
"""How far a provider's clock may be ahead of ours."""
_MAX_LITERAL_CHARS = 100
_MAX_EXPONENT = 30
_MAX_DIGITS = 50
_NUMERAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,6})?", re.ASCII)
_UNUSABLE = Decimal("NaN")


class UnreadableBodyError(ValueError):
    """A body that is not JSON; the message completes the sentence "the answer ..."."""


def load_json(body: bytes) -> object:
    """The JSON value in ``body``. An overlong number becomes NaN, which no other function here accepts.

    Raises :class:`UnreadableBodyError`.
    """
    try:
        return json.loads(
            body.decode("utf-8-sig"),
            parse_float=_parse_decimal_literal,
            parse_int=_parse_integer_literal,
            parse_constant=lambda _: _UNUSABLE,
        )
    except (ValueError, RecursionError):
        start = body.lstrip()[:1].lower()
        if start == b"<":
            raise UnreadableBodyError("is a web page and not JSON") from None
        if start in (b"{", b"["):
            raise UnreadableBodyError("is JSON that breaks off or is damaged") from None
        raise UnreadableBodyError("is not JSON" if start else "is empty") from None


def _parse_decimal_literal(literal: str) -> Decimal:
    if len(literal) > _MAX_LITERAL_CHARS:
        return _UNUSABLE
    try:
        return Decimal(literal)
    except InvalidOperation:
        return _UNUSABLE


def _parse_integer_literal(literal: str) -> int | Decimal:
    # int() is quadratic in the digits and refuses more than 4,300 of them.
    return int(literal) if len(literal) <= _MAX_LITERAL_CHARS else _UNUSABLE


def parse_number(value: object) -> Decimal | None:
    """A finite number within the usable range, from a JSON number or a numeral in a string."""
    if isinstance(value, str):
        text = value.strip()
        value = _parse_decimal_literal(text) if _NUMERAL.fullmatch(text) else None
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    number = Decimal(value)
    if not number.is_finite() or len(number.as_tuple().digits) > _MAX_DIGITS:
        return None
    if not number:
        return Decimal(0)
    return number if -_MAX_EXPONENT <= number.adjusted() <= _MAX_EXPONENT else None


def parse_positive(value: object) -> Decimal | None:
    number = parse_number(value)
    return number if number is not None and number > 0 else None


def parse_not_negative(value: object) -> Decimal | None:
    number = parse_number(value)
    return number if number is not None and number >= 0 else None


def parse_int(value: object) -> int | None:
    """An integer; ``58.0`` and ``"58"`` count as one."""
    number = parse_number(value)
    return int(number) if number is not None and number == number.to_integral_value() else None


def parse_rank(value: object) -> int | None:
    number = parse_int(value)
    return number if number is not None and 1 <= number <= 1_000_000 else None


def parse_text(value: object, limit: int = 300) -> str | None:
    """A string safe to store, log and send: one line, no lone surrogates, up to ``limit`` characters."""
    if not isinstance(value, str):
        return None
    clean = "".join(
        c if c.isprintable() and not "\ud800" <= c <= "\udfff" else " " for c in value[: 2 * limit]
    )
    return " ".join(clean.split())[:limit] or None


def parse_timestamp(value: object) -> datetime | None:
    """An RFC 3339 timestamp in UTC; None without a time zone, since its instant is then unknown."""
    if not isinstance(value, str) or len(value) > 40:
        return None
    try:
        moment = datetime.fromisoformat(value)
        return None if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def parse_epoch_seconds(value: object) -> datetime | None:
    """A time in seconds since 1970; None beyond the year 5000, where the unit is not seconds."""
    seconds = parse_number(value)
    if seconds is None or not 0 <= seconds < 95_617_584_000:
        return None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(seconds * 1_000_000))


def as_mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def parse_price_and_time(price: object, timestamp: object, now: datetime) -> tuple[Decimal, datetime] | str:
    """The price and its time, or the reason to reject them, which completes "refused: ..."."""
    parsed_price = parse_positive(price)
    if parsed_price is None:
        return (
            "the answer holds no price" if price in (None, {}, "") else "its price is not a number above zero"
        )
    moment = parse_timestamp(timestamp)
    if moment is None:
        return "the answer holds no time" if timestamp in (None, "") else "its time is not an instant"
    if moment > now + MAX_CLOCK_SKEW:
        return f"its time is {(moment - now).total_seconds():,.0f} s in the future"
    return parsed_price, moment
