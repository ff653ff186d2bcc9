"""Finds the figures, bare numbers and ordinals of a claim that a passage does not contain."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from backend.entities.model import Language
from backend.sources.claims import numbers
from backend.sources.claims.model import Claim, Difference, MissingElement, Quantity
from backend.sources.claims.units import GENERIC, units
from backend.sources.comparison.figure_agreement import HOURS, are_equal_durations

DERIVED_UNITS = frozenset({"time", "other"})
"""Units of figures that a reader can derive: multiples; and *two others*."""
MIN_BARE_NUMBER = 100
"""Minimum number without a unit that counts as a reference or a height, not as a small count."""
MAX_ROUGH_GAP = Decimal("0.1")
"""Relative gap within which a figure restates another one: a quarter of a billion, 235 million."""


def find_figures(claim: Claim, passage: Claim, agreed: Sequence[Difference]) -> Iterator[MissingElement]:
    """Yield the figures of ``claim`` without a counterpart. ``agreed`` are the slots that agree."""
    told = {same.claimed for same in agreed if same.slot == "figure"}
    values = [one.value for one in claim.quantities if one.text in told]
    for one in claim.quantities:
        if one.text in told or _needs_no_source(one) or _restates(one.value, values):
            continue
        if one.unit == "%" and _can_derive_share(passage):
            continue
        if not (_is_interval(claim, one) or _is_told_otherwise(one, passage) or _counts_names(claim, one)):
            yield MissingElement("figure", one.text)
    yield from _find_bare_numbers(claim, passage, values)
    if claim.language == passage.language:
        known = _read_ordinals(passage)
        for value, text in _read_ordinals(claim).items():
            if value not in known:
                yield MissingElement("figure", text)


_INTERVAL: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r" ?(?:later|after|before|earlier|ago|old|apart|following|prior|since|from|on)\b|'s?\b"),
    "ja": re.compile("(?:後|前|ぶり|以内|足らず|余り|近く|ほど|も|で|のうち|間で|の間)"),
    "zh": re.compile("(?:后|前|内|以后|之后|以前|之前|多|来|间|左右)"),
}
_WITHIN_EN = re.compile(r"\b(?:in|for|by|over|a)(?: \w+)? $")
_SHORT_UNITS = frozenset({"second", "minute", "hour"})


def _is_interval(claim: Claim, one: Quantity) -> bool:
    """True if a duration is the time between two events, which a reader can derive: six weeks later."""
    if one.unit not in HOURS:
        return False
    if _INTERVAL[claim.language].match(claim.text, one.end):
        return True
    before = claim.text[max(0, one.start - 8) : one.start].lower()
    return one.unit not in _SHORT_UNITS and _WITHIN_EN.search(before) is not None


def _can_derive_share(passage: Claim) -> bool:
    """True if a passage has two figures of one unit, so that a reader can compute a share."""
    counted = Counter(one.unit for one in passage.quantities if one.unit is not None)
    return any(times > 1 for times in counted.values())


def _counts_names(claim: Claim, one: Quantity) -> bool:
    """True if a figure counts the names that the claim lists: Avalanche, Ethereum and Polygon, three."""
    return one.unit in GENERIC | {"item"} and one.value == len({name.entity_id for name in claim.mentions})


def _is_told_otherwise(one: Quantity, passage: Claim) -> bool:
    """True if a passage has an equal duration in another unit, or the same count of another noun."""
    if any(are_equal_durations(one, other) for other in passage.quantities):
        return True
    if one.unit in units().codes or one.unit in HOURS:
        return False
    numerals = numbers.find(numbers.normalize(passage.text), passage.language)
    return any(numeral.value == one.value for numeral in numerals)


def _needs_no_source(quantity: Quantity) -> bool:
    """True if the source need not contain a figure: durations, multiples, one of a kind, a dollar peg."""
    if quantity.unit in DERIVED_UNITS:
        return True
    is_unspecific = quantity.unit is None or quantity.unit in GENERIC or quantity.unit in units().currencies
    return quantity.value == 1 and is_unspecific


def _restates(value: Decimal, agreed: Sequence[Decimal]) -> bool:
    return any(abs(value - one) <= max(value, one) * MAX_ROUGH_GAP for one in agreed)


def _slot_spans(text: Claim) -> list[tuple[int, int]]:
    return [
        *((one.start, one.end) for one in text.dates),
        *((one.start, one.end) for one in text.quantities),
    ]


def _find_bare_numbers(claim: Claim, passage: Claim, agreed: Sequence[Decimal]) -> Iterator[MissingElement]:
    plain = numbers.normalize(claim.text)
    taken = _slot_spans(claim)
    known = {one.value for one in numbers.find(numbers.normalize(passage.text), passage.language)}
    known |= {one.value for one in passage.quantities}
    for numeral in numbers.find(plain, claim.language):
        is_slot = any(start < numeral.end and numeral.start < end for start, end in taken)
        if is_slot or numeral.spelled or numeral.value < MIN_BARE_NUMBER:
            continue
        if numeral.value not in known and not _restates(numeral.value, agreed):
            yield MissingElement("figure", plain[numeral.start : numeral.end])


_ORDINALS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?<![\w-])(?P<n>second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,3}(?:nd|rd|th))\b"
        r"(?! (?:quarter|half|of|day|week)|-)"
    ),
    "ja": re.compile(r"第?(?P<n>\d{1,3}|[二三四五六七八九十]{1,2})(?:回目|度目|番目|例目|社目|代目|弾|陣)"),
    "zh": re.compile(r"第(?P<n>\d{1,3}|[二三四五六七八九十]{1,2})(?=[个個次家只款位支版代批任起])"),
}
_ORDINAL_WORDS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_FIRST = Decimal(1)


def _read_ordinals(text: Claim) -> dict[Decimal, str]:
    """Map the ordinals of a text from the second on to their words."""
    plain = numbers.normalize(text.text).lower()
    taken = _slot_spans(text)
    found: dict[Decimal, str] = {}
    for match in _ORDINALS[text.language].finditer(plain):
        if any(start < match.end() and match.start() < end for start, end in taken):
            continue
        value = _read_ordinal(match["n"], text.language)
        if value is not None and value != _FIRST:
            found[value] = match.group()
    return found


def _read_ordinal(word: str, language: Language) -> Decimal | None:
    if word in _ORDINAL_WORDS:
        return Decimal(_ORDINAL_WORDS.index(word) + 2)
    digits = re.match(r"\d+", word)
    return Decimal(digits.group()) if digits is not None else numbers.parse(word, language)
