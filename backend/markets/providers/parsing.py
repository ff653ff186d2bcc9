"""Reading numbers, instants and words out of a provider's JSON, where anything may be anything.

Pure. A reader answers null for what it cannot use; none raises. Numbers become
:class:`~decimal.Decimal` from the literal, so that no float ever exists. A number is usable within
1e-30 to 1e30 and 50 digits: what lies beyond is an error of the provider's, and would fill a page
when printed without an exponent.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation

AHEAD = timedelta(seconds=60)
"""How far a provider's clock may be ahead of ours."""
_LONGEST_NUMBER = 100
_MAGNITUDE = 30
_DIGITS = 50
_NUMERAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,6})?", re.ASCII)
_UNUSABLE = Decimal("NaN")


class UnreadableError(ValueError):
    """A body that is not JSON; the message completes the sentence "the answer ..."."""


def load(body: bytes) -> object:
    """The JSON value in ``body``; an extraordinary number becomes a NaN, which no reader takes."""
    try:
        return json.loads(
            body.decode("utf-8-sig"),
            parse_float=_decimal_literal,
            parse_int=_integer_literal,
            parse_constant=lambda _: _UNUSABLE,
        )
    except (ValueError, RecursionError):
        start = body.lstrip()[:1].lower()
        if start == b"<":
            raise UnreadableError("is a web page and not JSON") from None
        if start in (b"{", b"["):
            raise UnreadableError("is JSON that breaks off or is damaged") from None
        raise UnreadableError("is not JSON" if start else "is empty") from None


def _decimal_literal(literal: str) -> Decimal:
    if len(literal) > _LONGEST_NUMBER:
        return _UNUSABLE
    try:
        return Decimal(literal)
    except InvalidOperation:
        return _UNUSABLE


def _integer_literal(literal: str) -> int | Decimal:
    # int() is quadratic in the digits and refuses more than 4,300 of them.
    return int(literal) if len(literal) <= _LONGEST_NUMBER else _UNUSABLE


def number(value: object) -> Decimal | None:
    """A finite number of ordinary size, given as a JSON number or as a numeral in a string."""
    if isinstance(value, str):
        text = value.strip()
        value = _decimal_literal(text) if _NUMERAL.fullmatch(text) else None
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    found = Decimal(value)
    if not found.is_finite() or len(found.as_tuple().digits) > _DIGITS:
        return None
    if not found:
        return Decimal(0)
    return found if -_MAGNITUDE <= found.adjusted() <= _MAGNITUDE else None


def positive(value: object) -> Decimal | None:
    found = number(value)
    return found if found is not None and found > 0 else None


def not_negative(value: object) -> Decimal | None:
    found = number(value)
    return found if found is not None and found >= 0 else None


def whole(value: object) -> int | None:
    """An integer, also when it comes as ``58.0`` or ``"58"``."""
    found = number(value)
    return int(found) if found is not None and found == found.to_integral_value() else None


def rank(value: object) -> int | None:
    found = whole(value)
    return found if found is not None and 1 <= found <= 1_000_000 else None


def words(value: object, limit: int = 300) -> str | None:
    """A string that can be stored, logged and sent: one line, no lone surrogates, not endless."""
    if not isinstance(value, str):
        return None
    clean = "".join(
        c if c.isprintable() and not "\ud800" <= c <= "\udfff" else " " for c in value[: 2 * limit]
    )
    return " ".join(clean.split())[:limit] or None


def instant(value: object) -> datetime | None:
    """An RFC 3339 instant; one without a time zone could be any."""
    if not isinstance(value, str) or len(value) > 40:
        return None
    try:
        moment = datetime.fromisoformat(value)
        return None if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def epoch(value: object) -> datetime | None:
    """An instant in seconds since 1970; later than the year 5000 it is not seconds."""
    seconds = number(value)
    if seconds is None or not 0 <= seconds < 95_617_584_000:
        return None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(seconds * 1_000_000))


def mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def rows(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def price_at(price: object, when: object, now: datetime) -> tuple[Decimal, datetime] | str:
    """The price and its time, or why the two are no quote, completing "refused: ..."."""
    found = positive(price)
    if found is None:
        return (
            "the answer holds no price" if price in (None, {}, "") else "its price is not a number above zero"
        )
    moment = instant(when)
    if moment is None:
        return "the answer holds no time" if when in (None, "") else "its time is not an instant"
    if moment > now + AHEAD:
        return f"its time is {(moment - now).total_seconds():,.0f} s in the future"
    return found, moment
