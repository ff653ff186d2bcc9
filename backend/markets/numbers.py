"""Exact figures as text: plain decimals, compact dollars, percent spreads, RFC 3339 instants. Pure."""

from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Context, Decimal

WIDE = Context(prec=80, rounding=ROUND_HALF_EVEN)
"""Wide enough that sums and halves of any figure accepted by :func:`is_sane` are exact."""

MOST_FRACTION_DIGITS = 40
SMALLEST = Decimal("1e-30")
LARGEST = Decimal("1e30")

UNITS = ((Decimal(10) ** 12, "T"), (Decimal(10) ** 9, "B"), (Decimal(10) ** 6, "M"), (Decimal(10) ** 3, "K"))


def is_sane(value: Decimal) -> bool:
    """Whether ``value`` is a figure that a market can have: finite, of bounded size and length.

    Guards arithmetic and rendering: ``1E+999999`` is a valid decimal and a megabyte of text.
    """
    if not value.is_finite():
        return False
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -MOST_FRACTION_DIGITS:
        return False
    return value.is_zero() or SMALLEST <= abs(value) <= LARGEST


def plain(value: Decimal) -> str:
    """``value`` in plain notation: no exponent, no trailing zeros, never ``-0``.

    Raises :class:`ValueError` for NaN and infinities, which have no plain notation.
    """
    if not value.is_finite():
        raise ValueError(f"{value} is not a finite number and has no plain decimal notation.")
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def json_number(value: Decimal) -> bytes:
    """``value`` as a JSON number literal (RFC 8259 section 6), digit for digit."""
    return plain(value).encode("ascii")


def mean(a: Decimal, b: Decimal) -> Decimal:
    """The exact mean of two figures.

    Half of a sum needs at most one digit more than the finer of the two, so nothing is rounded and
    the mean cannot leave their range; the additional digit is dropped where it is zero.
    """
    finer = min(_exponent(a), _exponent(b))
    half = WIDE.divide(WIDE.add(a, b), Decimal(2))
    digits = max(finer - 1, min(finer, _exponent(half)))
    return WIDE.quantize(half, Decimal((0, (1,), digits)))


def pct_spread(a: Decimal, b: Decimal) -> Decimal:
    """``|a - b|`` over the mean of both, in percent. Both must be above zero."""
    middle = WIDE.divide(WIDE.add(a, b), Decimal(2))
    return WIDE.divide(WIDE.multiply(abs(WIDE.subtract(a, b)), Decimal(100)), middle)


def pct_change(before: Decimal, after: Decimal) -> Decimal:
    """The signed move from ``before`` (above zero) to ``after``, in percent."""
    return WIDE.divide(WIDE.multiply(WIDE.subtract(after, before), Decimal(100)), before)


def compact_usd(value: Decimal) -> str:
    """Dollars for a glance: ``$3.42T``, ``$812.4M``, ``$45.10``, ``$0.001234``.

    Two decimals below a hundred of the unit and one from there on; amounts under a dollar keep four
    significant digits.
    """
    if not value.is_finite():
        raise ValueError(f"{value} is not a finite number of dollars.")
    sign, size = ("-" if value < 0 else ""), abs(value)
    small = round_significant(size, 4)
    if 0 < small < 1:
        return f"{sign}${plain(small)}"
    for position, (unit, letter) in enumerate(UNITS):
        # 999,999 is a thousand thousands once rounded: then the larger unit above says it better.
        shown = _two_or_one(WIDE.divide(size, unit))
        if shown >= 1000 and position > 0:
            larger, its_letter = UNITS[position - 1]
            return f"{sign}${_two_or_one(WIDE.divide(size, larger)):f}{its_letter}"
        if size >= unit:
            return f"{sign}${shown:f}{letter}"
    cents = WIDE.quantize(size, Decimal("0.01"))
    return f"{sign}$1.00K" if cents >= 1000 else f"{sign}${cents:f}"


def stamp(moment: datetime) -> str:
    """RFC 3339 in UTC ending in ``Z``: whole seconds, or milliseconds when there are any."""
    if moment.tzinfo is None:
        raise ValueError("An instant needs a time zone to be written down.")
    utc = moment.astimezone(UTC)
    return utc.isoformat(timespec="milliseconds" if utc.microsecond >= 1000 else "seconds")[:-6] + "Z"


def round_significant(value: Decimal, digits: int) -> Decimal:
    """``value`` to ``digits`` significant digits, ties to even; exact when it has no more of them."""
    return Context(prec=digits, rounding=ROUND_HALF_EVEN).plus(value)


def _two_or_one(value: Decimal) -> Decimal:
    fine = WIDE.quantize(value, Decimal("0.01"))
    return fine if fine < 100 else WIDE.quantize(value, Decimal("0.1"))


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        raise ValueError(f"{value} is not a finite number.")
    return exponent
