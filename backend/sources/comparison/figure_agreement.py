"""Whether two figures say the same, and what figures a record's facts give."""

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from backend.sources.claims import figure_roles
from backend.sources.claims.model import Quantity
from backend.sources.claims.units import EXACT, GENERIC, units

ABOUT, WIDEST = Decimal("0.01"), Decimal("0.1")
"""An approximate figure is right to one in its last digit written, or to a hundredth where that is more;
never to more than a tenth."""
BEYOND = Decimal("1.1")
"""How far a plain figure may lie beyond the bound that the other side gives (7.4 beside "over 7")."""
BEYOND_BOUND = Decimal("1.5")
"""How far what is known may lie beyond the bound that a claim gives."""
ROUNDED = Decimal("0.05")
"""The most that rounding may take from a plain figure."""
_PAIR = re.compile(r"(\d{1,3})-(\d{1,3})", re.ASCII)
_MARKS = frozenset({"about", "more", "than", "over", "least"})


def same_unit(one: str | None, other: str | None) -> bool:
    """Whether two figures may be held against each other: a bare counter goes with any counted noun."""
    if one == other:
        return True
    table = units()
    countable = {one, other} - GENERIC - {None}
    return len(countable) < 2 and not (countable & (EXACT | {"%"})) and bool(countable - table.currencies)


def agree(claimed: Quantity, known: Quantity) -> bool:
    """Whether a claim's figure and a source's say the same, each as exactly as it is written."""
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
        return gap <= min(max(*steps, size * ABOUT), size * WIDEST)
    return gap <= size * ROUNDED and gap <= max(_rounding(claimed), _rounding(known))


def plays_another_part(claimed: Quantity, known: Quantity) -> bool:
    """Whether a figure stands for something else in the source: where the change began and not where it
    ended, or what was asked for and not what came of it."""
    if {claimed.role, known.role} == {"from", "to"}:
        return True
    return known.role == "aside" and claimed.role != "aside"


def _within_bounds(claimed: Quantity, known: Quantity, mine: Decimal, theirs: Decimal) -> bool:
    if abs(mine - theirs) <= max(mine, theirs) * ABOUT:
        return True
    if claimed.bound == known.bound:
        low, high = sorted((mine, theirs))
        return high <= low * BEYOND
    bound, value, reach = (
        (claimed.bound, theirs / mine if mine else None, BEYOND_BOUND)
        if claimed.bound is not None
        else (known.bound, mine / theirs if theirs else None, BEYOND)
    )
    if value is None:
        return False
    return 1 <= value <= reach if bound == "least" else 1 / reach <= value <= 1


def _step(quantity: Quantity) -> Decimal:
    """One in the last digit that is not a trailing zero: what the figure was rounded to."""
    exponent = quantity.value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)


def _rounding(quantity: Quantity) -> Decimal:
    """Half of that for large figures; small ones are counted or measured, and mean what they say."""
    step = _step(quantity)
    return step / 2 if abs(quantity.value) >= 1000 and step > 1 else Decimal(0)


def of_facts(facts: Mapping[str, str]) -> list[Quantity]:
    """The figures of a record: the unit is the word of the name that is one (``reward_after_btc``,
    ``usd_more_than``); a name without one gives a figure that may agree and cannot contradict."""
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
        return []  # a name or a reference: nothing to measure against
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
