"""Decides whether two figures agree, and reads the figures of a record's facts."""

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from backend.sources.claims import figure_roles
from backend.sources.claims.model import Quantity
from backend.sources.claims.units import EXACT, GENERIC, units

APPROXIMATE_TOLERANCE, MAX_TOLERANCE = Decimal("0.01"), Decimal("0.1")
"""An approximate figure agrees within one unit of its last written digit, or 1 % if that is more, but never
beyond 10 %."""
MAX_BOUND_FACTOR = Decimal("1.1")
"""Factor by which a plain figure may exceed the bound of the other side (7.4 and "over 7")."""
MAX_CLAIMED_BOUND_FACTOR = Decimal("1.5")
"""Factor by which a known figure may exceed the bound of a claim."""
MAX_ROUNDING_SHARE = Decimal("0.05")
"""Maximum share by which rounding may change a plain figure."""
HOURS: Mapping[str | None, Decimal] = {
    "second": Decimal(1) / 3600,
    "minute": Decimal(1) / 60,
    "hour": Decimal(1),
    "day": Decimal(24),
    "week": Decimal(168),
    "month": Decimal(730),
    "year": Decimal(8766),
}
"""Hours in each unit of time."""
MAX_DURATION_GAP = Decimal("0.05")
_PAIR = re.compile(r"(\d{1,3})-(\d{1,3})", re.ASCII)
_MARKS = frozenset({"about", "more", "than", "over", "least"})


def same_unit(one: str | None, other: str | None) -> bool:
    """True if the units of two figures are comparable: a generic counter matches any counted noun."""
    if one == other:
        return True
    table = units()
    countable = {one, other} - GENERIC - {None}
    return len(countable) < 2 and not (countable & (EXACT | {"%"})) and bool(countable - table.currencies)


def agree(claimed: Quantity, known: Quantity) -> bool:
    """True if a claim's figure agrees with a source's, each with the precision in which it is written."""
    if not same_unit(claimed.unit, known.unit):
        return False
    if claimed.value == known.value:
        return True
    if claimed.unit in EXACT or (claimed.value < 0) != (known.value < 0):
        return False
    mine, theirs = abs(claimed.value), abs(known.value)
    if claimed.bound is not None or known.bound is not None:
        return _within_bounds(claimed, known, mine, theirs)
    gap, size = abs(mine - theirs), max(mine, theirs)
    steps = [_step(quantity) for quantity in (claimed, known) if quantity.approximate]
    if steps:
        return gap <= min(max(*steps, size * APPROXIMATE_TOLERANCE), size * MAX_TOLERANCE)
    return gap <= size * MAX_ROUNDING_SHARE and gap <= max(_rounding(claimed), _rounding(known))


def are_equal_durations(one: Quantity, other: Quantity) -> bool:
    """True if two figures are durations of about one length: six weeks and 42 days."""
    if one.unit not in HOURS or other.unit not in HOURS:
        return False
    lengths = sorted((abs(one.value) * HOURS[one.unit], abs(other.value) * HOURS[other.unit]))
    return lengths[1] - lengths[0] <= lengths[1] * MAX_DURATION_GAP


def plays_another_part(claimed: Quantity, known: Quantity) -> bool:
    """True if a figure has another role in the source: the start of a change instead of its end, or a request
    instead of the result."""
    if {claimed.role, known.role} == {"from", "to"}:
        return True
    return known.role == "aside" and claimed.role != "aside"


def _within_bounds(claimed: Quantity, known: Quantity, mine: Decimal, theirs: Decimal) -> bool:
    if abs(mine - theirs) <= max(mine, theirs) * APPROXIMATE_TOLERANCE:
        return True
    if claimed.bound == known.bound:
        low, high = sorted((mine, theirs))
        return high <= low * MAX_BOUND_FACTOR
    bound, value, reach = (
        (claimed.bound, theirs / mine if mine else None, MAX_CLAIMED_BOUND_FACTOR)
        if claimed.bound is not None
        else (known.bound, mine / theirs if theirs else None, MAX_BOUND_FACTOR)
    )
    if value is None:
        return False
    return 1 <= value <= reach if bound == "least" else 1 / reach <= value <= 1


def _step(quantity: Quantity) -> Decimal:
    """Return one unit of the last digit that is not a trailing zero, to which the figure was rounded."""
    exponent = quantity.value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)


def _rounding(quantity: Quantity) -> Decimal:
    """Return half of that for large figures, and 0 for small ones, which are exact counts or measurements."""
    step = _step(quantity)
    return step / 2 if abs(quantity.value) >= 1000 and step > 1 else Decimal(0)


def of_facts(facts: Mapping[str, str]) -> list[Quantity]:
    """Read the figures of a record. The unit is the word of the name that is one (``reward_after_btc``,
    ``usd_more_than``). A name without a unit gives a figure that can agree but not contradict."""
    return [
        replace(quantity, role=figure_roles.of_fact(name))
        for name, value in facts.items()
        for quantity in _of_fact(name, str(value))
    ]


def _of_fact(name: str, value: str) -> list[Quantity]:
    table = units()
    parts = name.lower().split("_")
    pair = _PAIR.fullmatch(value)
    if pair is not None:
        return [Quantity(Decimal(part), "vote", 0, 0, part) for part in pair.groups()]
    try:
        number = Decimal(value)
    except InvalidOperation:
        return []  # a name or a reference, not a figure
    if not number.is_finite():
        return []
    unit = next((found for part in parts if (found := _unit(table.labels, part)) is not None), None)
    unit = unit or next((found for part in parts if (found := _unit(table.meanings, part)) is not None), None)
    bound = "least" if {"more", "over", "least"} & set(parts) else None
    shown = f"{number:,f} {unit}" if unit else f"{number:f}"
    if bound is not None:
        return [Quantity(number, unit, 0, 0, shown, True, "least")]
    return [Quantity(number, unit, 0, 0, shown, bool(_MARKS & set(parts)))]


def _unit(table: Mapping[str, str], part: str) -> str | None:
    return table.get(part)
