"""Finds the figures, bare numbers and ordinals of a claim that a passage does not contain."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from backend.entities.model import Language
from backend.sources.claims import numbers
from backend.sources.claims.model import ComparedValue, MissingElement, ParsedStatement, Quantity
from backend.sources.claims.role_readers import list_ids
from backend.sources.claims.units import GENERIC_UNITS, load_units
from backend.sources.comparison.figure_agreement import HOURS_PER_UNIT, are_equal_durations

DERIVABLE_UNITS = frozenset({"time", "other"})
"""Units of figures that a reader can derive: multiples; and *two others*."""
MIN_BARE_NUMBER = 100
"""Minimum number without a unit that counts as a reference or a height, not as a small count."""
ROUNDING_TOLERANCE = Decimal("0.1")
"""Relative gap within which a figure restates another one: a quarter of a billion, 235 million."""


def find_missing_figures(
    claim: ParsedStatement, passage: ParsedStatement, agreed: Sequence[ComparedValue]
) -> Iterator[MissingElement]:
    """Yield the figures of ``claim`` without a counterpart. ``agreed`` are the slots that agree."""
    agreed_texts = {slot.claimed for slot in agreed if slot.slot == "figure"}
    values = [quantity.value for quantity in claim.quantities if quantity.text in agreed_texts]
    for quantity in claim.quantities:
        if (
            quantity.text in agreed_texts
            or _needs_no_source(quantity)
            or _is_restatement(quantity.value, values)
        ):
            continue
        if quantity.unit == "%" and _can_derive_share(passage):
            continue
        if not (
            _is_interval(claim, quantity, passage)
            or _is_stated_otherwise(quantity, passage)
            or _counts_names(claim, quantity)
            or _counts_list(passage, quantity)
            or (quantity.unit == "country" and quantity.value == len(passage.places))
        ):
            yield MissingElement("figure", quantity.text)
    yield from _find_missing_bare_numbers(claim, passage, values)
    yield from _find_missing_dates(claim, agreed)
    if claim.language == passage.language:
        passage_ordinals = read_ordinals(passage, ())
        for value, text in read_ordinals(claim, list_slot_spans(claim)).items():
            if value not in passage_ordinals:
                yield MissingElement("figure", text)


_INTERVAL: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r" ?(?:later|after|before|earlier|ago|old|apart|following|prior|since|from|on(?=[,.;]|$))\b"
        r"|'s?\b|-old\b"
    ),
    "ja": re.compile("(?:\\d{1,2}[かカヶ]月|後|前|ぶり|以内|足らず|余り|近く|ほど|も|で|のうち|間で|の間)"),
    "zh": re.compile("(?:零?\\d{1,2}个月|后|前|内|以后|之后|以前|之前|多|来|间|左右)"),
}
_WITHIN_EN = re.compile(r"\b(?:in|by|a)(?: \w+)? $")
_LASTING_EN = re.compile(r"\b(?:for|over)(?: \w+)? $")
_SHORT_UNITS = frozenset({"second", "minute", "hour"})


def _is_interval(claim: ParsedStatement, quantity: Quantity, passage: ParsedStatement) -> bool:
    """True if a duration is the time between two events, which a reader can derive: six weeks later.

    How long something lasted can be derived only if the passage dates its end too.
    """
    if quantity.unit not in HOURS_PER_UNIT:
        return False
    if _INTERVAL[claim.language].match(claim.text, quantity.end):
        return True
    before = claim.text[max(0, quantity.start - 8) : quantity.start].lower()
    is_derivable = _WITHIN_EN.search(before) or (passage.dates and _LASTING_EN.search(before))
    return quantity.unit not in _SHORT_UNITS and bool(is_derivable)


def _can_derive_share(passage: ParsedStatement) -> bool:
    """True if a passage has two figures of one unit, so that a reader can compute a share."""
    counted = Counter(quantity.unit for quantity in passage.quantities if quantity.unit is not None)
    return any(times > 1 for times in counted.values())


def _counts_names(claim: ParsedStatement, quantity: Quantity) -> bool:
    """True if a figure counts the names that the claim lists: Avalanche, Ethereum and Polygon, three."""
    return quantity.unit in GENERIC_UNITS | {"item"} and quantity.value == len(
        {mention.entity_id for mention in claim.mentions}
    )


def _counts_list(passage: ParsedStatement, quantity: Quantity) -> bool:
    """True if a figure counts the names that a passage lists: three networks, where it lists three."""
    lists = (list_ids(passage.text, passage.mentions, mention) for mention in passage.mentions)
    return quantity.value > 1 and any(len(ids) == quantity.value for ids in lists)


def _is_stated_otherwise(quantity: Quantity, passage: ParsedStatement) -> bool:
    """True if a passage has an equal duration in another unit, or the same count of another noun."""
    if any(are_equal_durations(quantity, passage_quantity) for passage_quantity in passage.quantities):
        return True
    if quantity.unit in load_units().codes or quantity.unit in HOURS_PER_UNIT:
        return False
    numerals = numbers.find_numerals(numbers.normalize(passage.text), passage.language)
    return any(numeral.value == quantity.value for numeral in numerals)


def _needs_no_source(quantity: Quantity) -> bool:
    """True if the source need not contain a figure: durations, multiples, one of a kind, a dollar peg."""
    if quantity.unit in DERIVABLE_UNITS or quantity.role == "total":
        return True
    is_unspecific = (
        quantity.unit is None or quantity.unit in GENERIC_UNITS or quantity.unit in load_units().currencies
    )
    return quantity.value == 1 and is_unspecific


def _is_restatement(value: Decimal, agreed_values: Sequence[Decimal]) -> bool:
    return any(
        abs(value - agreed_value) <= max(value, agreed_value) * ROUNDING_TOLERANCE
        for agreed_value in agreed_values
    )


def list_slot_spans(statement: ParsedStatement) -> list[tuple[int, int]]:
    return [
        *((span.start, span.end) for span in statement.dates),
        *((quantity.start, quantity.end) for quantity in statement.quantities),
    ]


def _find_missing_dates(claim: ParsedStatement, agreed: Sequence[ComparedValue]) -> Iterator[MissingElement]:
    """Yield the days and months of a claim without a counterpart, if another of its dates has one."""
    agreed_texts = {slot.claimed for slot in agreed if slot.slot == "date"}
    for span in claim.dates if agreed_texts else ():
        if span.text not in agreed_texts and span.precision in ("day", "month"):
            yield MissingElement("figure", span.text)


def _find_missing_bare_numbers(
    claim: ParsedStatement, passage: ParsedStatement, agreed_values: Sequence[Decimal]
) -> Iterator[MissingElement]:
    plain = numbers.normalize(claim.text)
    slot_spans = list_slot_spans(claim)
    passage_values = {
        numeral_in_passage.value
        for numeral_in_passage in numbers.find_numerals(numbers.normalize(passage.text), passage.language)
    }
    passage_values |= {quantity.value for quantity in passage.quantities}
    for numeral in numbers.find_numerals(plain, claim.language):
        is_slot = any(start < numeral.end and numeral.start < end for start, end in slot_spans)
        if is_slot or numeral.spelled or numeral.value < MIN_BARE_NUMBER:
            continue
        if numeral.value not in passage_values and not _is_restatement(numeral.value, agreed_values):
            yield MissingElement("figure", plain[numeral.start : numeral.end])


_ORDINALS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?<![\w-])(?<!on the )"
        r"(?P<n>second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,3}(?:nd|rd|th))\b"
        r"(?! (?:quarter|half|of|day|week)|-|(?<=\ba second) time)"
    ),
    "ja": re.compile(
        r"第?(?P<n>\d{1,3}|[二三四五六七八九十]{1,2})(?:[回度番例社代件国人本枚つ]目|カ国目|弾|陣)"
    ),
    "zh": re.compile(
        r"第(?P<n>\d{1,3}|[二三四五六七八九十]{1,2})(?=[个個次家只款位支版代批任起项項例件名国])"
    ),
}
_ORDINAL_WORDS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_FIRST = Decimal(1)


def read_ordinals(statement: ParsedStatement, slot_spans: Sequence[tuple[int, int]]) -> dict[Decimal, str]:
    """Map the ordinals of a text from the second on to their words, without those in ``slot_spans``."""
    plain = numbers.normalize(statement.text).lower()
    ordinals: dict[Decimal, str] = {}
    for match in _ORDINALS[statement.language].finditer(plain):
        if any(start < match.end() and match.start() < end for start, end in slot_spans):
            continue
        value = _read_ordinal(match["n"], statement.language)
        if value is not None and value != _FIRST:
            ordinals[value] = match.group()
    return ordinals


def _read_ordinal(word: str, language: Language) -> Decimal | None:
    if word in _ORDINAL_WORDS:
        return Decimal(_ORDINAL_WORDS.index(word) + 2)
    digits = re.match(r"\d+", word)
    return Decimal(digits.group()) if digits is not None else numbers.parse(word, language)
