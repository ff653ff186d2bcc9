"""Decides whether two figures agree, and reads the figures of a record's facts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from itertools import combinations

from backend.entities.model import Language
from backend.sources.claims import figure_roles
from backend.sources.claims.model import ParsedStatement, Quantity
from backend.sources.claims.units import EXACT_UNITS, GENERIC_UNITS, load_units

APPROXIMATE_TOLERANCE, MAX_TOLERANCE = Decimal("0.01"), Decimal("0.1")
"""An approximate figure agrees within one unit of its last written digit, or 1 % if that is more, but never
beyond 10 %."""
MAX_BOUND_FACTOR = Decimal("1.1")
"""Factor by which a plain figure may exceed the bound of the other side (7.4 and "over 7")."""
MAX_CLAIMED_BOUND_FACTOR = Decimal("1.5")
"""Factor by which a known figure may exceed the bound of a claim."""
MAX_ROUNDING_SHARE = Decimal("0.05")
"""Maximum share by which rounding may change a plain figure."""
WHOLE_PERCENT = Decimal(100)
HOURS_PER_UNIT: Mapping[str | None, Decimal] = {
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
_VOTE_COUNTS = re.compile(r"(\d{1,3})-(\d{1,3})", re.ASCII)
_APPROXIMATE_WORDS = frozenset({"about", "more", "than", "over", "least"})


def is_same_unit(unit: str | None, other_unit: str | None) -> bool:
    """True if the units of two figures are comparable: a generic counter matches any counted noun."""
    if unit == other_unit:
        return True
    unit_table = load_units()
    countable = {unit, other_unit} - GENERIC_UNITS - {None}
    return (
        len(countable) < 2
        and not (countable & (EXACT_UNITS | {"%"}))
        and bool(countable - unit_table.currencies)
    )


def agree(claim_figure: Quantity, source_figure: Quantity) -> bool:
    """True if a claim's figure agrees with a source's, each with the precision in which it is written."""
    if not is_same_unit(claim_figure.unit, source_figure.unit):
        return False
    if claim_figure.value == source_figure.value:
        return True
    if claim_figure.unit in EXACT_UNITS or (claim_figure.value < 0) != (source_figure.value < 0):
        return False
    claim_value, source_value = abs(claim_figure.value), abs(source_figure.value)
    if claim_figure.bound is not None or source_figure.bound is not None:
        return _is_within_bounds(claim_figure, source_figure, claim_value, source_value)
    gap, size = abs(claim_value - source_value), max(claim_value, source_value)
    steps = [_compute_step(quantity) for quantity in (claim_figure, source_figure) if quantity.approximate]
    if steps:
        return gap <= min(max(*steps, size * APPROXIMATE_TOLERANCE), size * MAX_TOLERANCE)
    return gap <= size * MAX_ROUNDING_SHARE and gap <= max(
        _compute_rounding(claim_figure), _compute_rounding(source_figure)
    )


def are_equal_durations(duration: Quantity, other_duration: Quantity) -> bool:
    """True if two figures are durations of about one length: six weeks and 42 days."""
    if duration.unit not in HOURS_PER_UNIT or other_duration.unit not in HOURS_PER_UNIT:
        return False
    lengths = sorted(
        (
            abs(duration.value) * HOURS_PER_UNIT[duration.unit],
            abs(other_duration.value) * HOURS_PER_UNIT[other_duration.unit],
        )
    )
    return lengths[1] - lengths[0] <= lengths[1] * MAX_DURATION_GAP


_SUM: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:total\w*|combined|altogether|in all|together|overall|sum)\b"),
    "ja": re.compile("合計|合わせて|計|総額|総計"),
    "zh": re.compile("合计|共|总计|总额|加起来"),
}
_MARGIN: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:margin|majority|difference|gap|lead|to spare)\b"),
    "ja": re.compile("差|多"),
    "zh": re.compile("差|多|优势"),
}
_REST_BEHIND: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"[^,.;]{0,24}\b(?:left|remain(?:s|ed|ing)?)\b"),
    "ja": re.compile("(?:だけ|しか|のみ)?[がはを]?[^、。]{0,4}残"),
    "zh": re.compile("(?:仍|还)?(?:未动|未售|留存)"),
}
_REST_BEFORE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:kept|keeps?|retain(?:s|ed|ing)?)(?: \w+){0,2} $"),
    "ja": re.compile("残(?:った|り|る|された)[^、。]{0,8}$"),
    "zh": re.compile("(?:剩下?|余下|留下|保留|仅存)[^，。]{0,6}$"),
}
"""Words that make a share what is left of the whole."""
MAX_WORD_GAP_CHARS = 24


def find_computed(
    figure: Quantity, claim: ParsedStatement, source_figures: Sequence[Quantity]
) -> Quantity | None:
    """Find a figure that a source's figures give: the sum of two, their difference if the claim tells of a
    margin, or what is left of the whole if it tells of the rest (a quarter left, three quarters sold)."""
    context = claim.text[max(0, figure.start - MAX_WORD_GAP_CHARS) : figure.end + MAX_WORD_GAP_CHARS].lower()
    if figure.unit == "%" and _is_rest(figure, claim):
        for share in source_figures:
            if share.unit == "%" and agree(figure, replace(share, value=WHOLE_PERCENT - share.value)):
                return share
    is_sum, is_margin = (words[claim.language].search(context) for words in (_SUM, _MARGIN))
    if not (is_sum or is_margin) or figure.unit is None:
        return None
    for first, second in combinations(source_figures, 2):
        if first.unit != figure.unit or second.unit != figure.unit:
            continue
        results = [first.value + second.value] if is_sum else []
        results += [abs(first.value - second.value)] if is_margin else []
        if any(agree(figure, replace(first, value=result)) for result in results):
            return replace(first, text=f"{first.text} / {second.text}")
    return None


def _is_rest(figure: Quantity, claim: ParsedStatement) -> bool:
    lowered = claim.text.lower()
    return (
        _REST_BEHIND[claim.language].match(lowered, figure.end) is not None
        or _REST_BEFORE[claim.language].search(lowered, 0, figure.start) is not None
    )


def has_other_role(claim_figure: Quantity, source_figure: Quantity) -> bool:
    """True if a figure has another role in the source: the start of a change instead of its end, or a request
    instead of the result."""
    roles = {claim_figure.role, source_figure.role}
    if roles == {"from", "to"} or (len(roles) == 2 and roles <= figure_roles.VOTE_ROLES):
        return True
    return source_figure.role == "aside" and claim_figure.role != "aside"


def _is_within_bounds(
    claim_figure: Quantity, source_figure: Quantity, claim_value: Decimal, source_value: Decimal
) -> bool:
    if abs(claim_value - source_value) <= max(claim_value, source_value) * APPROXIMATE_TOLERANCE:
        return True
    if claim_figure.bound == source_figure.bound:
        smaller, larger = sorted((claim_value, source_value))
        if claim_figure.bound == "least" and claim_value == smaller:  # over a billion, more than 1.2 billion
            return larger <= smaller * MAX_CLAIMED_BOUND_FACTOR
        return larger <= smaller * MAX_BOUND_FACTOR
    bound, value, reach = (
        (claim_figure.bound, source_value / claim_value if claim_value else None, MAX_CLAIMED_BOUND_FACTOR)
        if claim_figure.bound is not None
        else (source_figure.bound, claim_value / source_value if source_value else None, MAX_BOUND_FACTOR)
    )
    if value is None:
        return False
    return 1 <= value <= reach if bound == "least" else 1 / reach <= value <= 1


def _compute_step(quantity: Quantity) -> Decimal:
    """Return one unit of the last digit that is not a trailing zero, to which the figure was rounded."""
    exponent = quantity.value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)


def _compute_rounding(quantity: Quantity) -> Decimal:
    """Return half of that for large figures, and 0 for small ones, which are exact counts or measurements."""
    step = _compute_step(quantity)
    return step / 2 if abs(quantity.value) >= 1000 and step > 1 else Decimal(0)


def parse_fact_figures(facts: Mapping[str, str]) -> list[Quantity]:
    """Read the figures of a record. The unit is the word of the name that is one (``reward_after_btc``,
    ``usd_more_than``). A name without a unit gives a figure that can agree but not contradict."""
    return [
        replace(quantity, role=figure_roles.find_fact_role(name))
        for name, value in facts.items()
        for quantity in _parse_fact_figures(name, str(value))
    ]


def _parse_fact_figures(name: str, value: str) -> list[Quantity]:
    unit_table = load_units()
    words = name.lower().split("_")
    vote_counts = _VOTE_COUNTS.fullmatch(value)
    if vote_counts is not None:
        return [Quantity(Decimal(word), "vote", 0, 0, word) for word in vote_counts.groups()]
    try:
        number = Decimal(value)
    except InvalidOperation:
        return []  # a name or a reference, not a figure
    if not number.is_finite():
        return []
    unit = next(
        (
            unit_of_word
            for word in words
            if (unit_of_word := _look_up_unit(unit_table.labels, word)) is not None
        ),
        None,
    )
    unit = unit or next(
        (
            unit_of_word
            for word in words
            if (unit_of_word := _look_up_unit(unit_table.meanings, word)) is not None
        ),
        None,
    )
    bound = "least" if {"more", "over", "least"} & set(words) else None
    text = f"{number:,f} {unit}" if unit else f"{number:f}"
    if bound is not None:
        return [Quantity(number, unit, 0, 0, text, True, "least")]
    return [Quantity(number, unit, 0, 0, text, bool(_APPROXIMATE_WORDS & set(words)))]


def _look_up_unit(units_by_word: Mapping[str, str], word: str) -> str | None:
    return units_by_word.get(word)
