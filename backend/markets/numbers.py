"""Calculates with exact decimals and formats figures: plain decimals, compact dollars, timestamps. No I/O."""

from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Context, Decimal

EXACT_CONTEXT = Context(prec=80, rounding=ROUND_HALF_EVEN)
"""Sums and halves of any figures accepted by :func:`is_sane` are exact at this precision."""

MAX_FRACTION_DIGITS = 40
MIN_MAGNITUDE = Decimal("1e-30")
MAX_MAGNITUDE = Decimal("1e30")

COMPACT_UNITS = (
    (Decimal(10) ** 12, "T"),
    (Decimal(10) ** 9, "B"),
    (Decimal(10) ** 6, "M"),
    (Decimal(10) ** 3, "K"),
)


def is_sane(value: Decimal) -> bool:
    """Whether ``value`` is finite and of bounded size and length.

    Protects arithmetic and rendering: ``1E+999999`` is a valid decimal and one megabyte of text.
    """
    if not value.is_finite():
        return False
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -MAX_FRACTION_DIGITS:
        return False
    return value.is_zero() or MIN_MAGNITUDE <= abs(value) <= MAX_MAGNITUDE


def format_plain(value: Decimal) -> str:
    """Format ``value`` in plain notation: no exponent, no trailing zeros, never ``-0``.

    Raises :class:`ValueError` for NaN and infinities, which have no plain notation.
    """
    if not value.is_finite():
        raise ValueError(f"{value} is not a finite number and has no plain decimal notation.")
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def json_number(value: Decimal) -> bytes:
    """Encode ``value`` as a JSON number literal (RFC 8259 section 6) with all its digits."""
    return format_plain(value).encode("ascii")


def mean(a: Decimal, b: Decimal) -> Decimal:
    """The exact mean of two figures.

    Half of a sum needs at most one digit more than the more precise of the two. So nothing is rounded, and
    the mean stays between them. The additional digit is dropped if it is zero.
    """
    finer = min(_get_exponent(a), _get_exponent(b))
    half = EXACT_CONTEXT.divide(EXACT_CONTEXT.add(a, b), Decimal(2))
    digits = max(finer - 1, min(finer, _get_exponent(half)))
    return EXACT_CONTEXT.quantize(half, Decimal((0, (1,), digits)))


def pct_spread(a: Decimal, b: Decimal) -> Decimal:
    """``|a - b|`` divided by the mean of both, in percent. Both must be above zero."""
    middle = EXACT_CONTEXT.divide(EXACT_CONTEXT.add(a, b), Decimal(2))
    return EXACT_CONTEXT.divide(
        EXACT_CONTEXT.multiply(abs(EXACT_CONTEXT.subtract(a, b)), Decimal(100)), middle
    )


def pct_change(before: Decimal, after: Decimal) -> Decimal:
    """The signed change from ``before`` (above zero) to ``after``, in percent."""
    return EXACT_CONTEXT.divide(
        EXACT_CONTEXT.multiply(EXACT_CONTEXT.subtract(after, before), Decimal(100)), before
    )


def format_compact_usd(value: Decimal) -> str:
    """Format dollars compactly: ``$3.42T``, ``$812.4M``, ``$45.10``, ``$0.001234``.

    Values below 100 of the unit have two decimals, larger ones have one. Amounts under a dollar keep four
    significant digits.
    """
    if not value.is_finite():
        raise ValueError(f"{value} is not a finite number of dollars.")
    sign, size = ("-" if value < 0 else ""), abs(value)
    small = round_significant(size, 4)
    if 0 < small < 1:
        return f"{sign}${format_plain(small)}"
    for position, (unit, letter) in enumerate(COMPACT_UNITS):
        # 999,999 rounds to a thousand thousands: use the next larger unit then.
        rounded = _round_for_display(EXACT_CONTEXT.divide(size, unit))
        if rounded >= 1000 and position > 0:
            larger, larger_letter = COMPACT_UNITS[position - 1]
            return f"{sign}${_round_for_display(EXACT_CONTEXT.divide(size, larger)):f}{larger_letter}"
        if size >= unit:
            return f"{sign}${rounded:f}{letter}"
    cents = EXACT_CONTEXT.quantize(size, Decimal("0.01"))
    return f"{sign}$1.00K" if cents >= 1000 else f"{sign}${cents:f}"


def format_timestamp(moment: datetime) -> str:
    """Format an instant as RFC 3339 in UTC ending in ``Z``: whole seconds, or milliseconds if it has any."""
    if moment.tzinfo is None:
        raise ValueError("The instant needs a time zone.")
    utc = moment.astimezone(UTC)
    return utc.isoformat(timespec="milliseconds" if utc.microsecond >= 1000 else "seconds")[:-6] + "Z"


def compute_rate(amount: Decimal, usd: Decimal) -> Decimal:
    """What one USD is worth, if ``usd`` (above zero) is worth ``amount``: to 15 significant digits."""
    return Context(prec=15, rounding=ROUND_HALF_EVEN).divide(amount, usd)


def round_significant(value: Decimal, digits: int) -> Decimal:
    """Round ``value`` to ``digits`` significant digits, ties to even; unchanged if it has no more digits."""
    return Context(prec=digits, rounding=ROUND_HALF_EVEN).plus(value)


def _round_for_display(value: Decimal) -> Decimal:
    fine = EXACT_CONTEXT.quantize(value, Decimal("0.01"))
    return fine if fine < 100 else EXACT_CONTEXT.quantize(value, Decimal("0.1"))


def _get_exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        raise ValueError(f"{value} is not a finite number.")
    return exponent
