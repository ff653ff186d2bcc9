"""Extracts comparable values from a text: numbers, units, days, times and vague magnitudes.

The notations of three languages are equivalent: 40 million, 4000万, ４千万, 4,000万. The parts of a date or a
time are not numbers, so that the 30 of 12:30 does not allow 30 exchanges.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from backend.entities.model import Language
from backend.sources.claims import dates, numbers, quantities
from backend.sources.claims.figure_roles import Role
from backend.sources.claims.model import DateSpan, Quantity
from backend.sources.claims.units import GENERIC_UNITS, load_units

_TIME = re.compile(
    r"(?<![\d:])(?P<h>\d{1,2}):(?P<m>[0-5]\d)(?::[0-5]\d)?(?![\d:])(?: ?(?P<half>[ap])\.?m\b\.?)?"
    r"|(?<![\d.,])(?P<hour>\d{1,2}) ?(?P<side>[ap])\.?m\b\.?"
    r"|(?P<before>午前|午後|上午|下午|晚上|凌晨)?(?<![\d.,])(?P<han>\d{1,2})(?:時(?!間)|时|點(?!數)|点(?!数))"
    r"(?:(?P<min>\d{1,2})分)?",
    re.IGNORECASE | re.ASCII,
)
_AFTERNOON_MARKS = frozenset({"p", "午後", "下午", "晚上"})
_DIGITS = re.compile(r"\d+", re.ASCII)
_FORMAL_NUMBER = re.compile(
    "[壹贰貳叁參肆伍陆陸柒捌玖佰廿卅卌一二三四五六七八九十百千万萬亿億兆]*[壹贰貳叁參肆伍陆陸柒捌玖佰廿卅卌]"
    "[壹贰貳叁參肆伍陆陸柒捌玖佰廿卅卌一二三四五六七八九十百千拾仟万萬亿億兆]+"
)
"""Formal numerals, as on cheques. A single one may be part of a word (大陆, 队伍)."""
_ORDINALS = {
    word: Decimal(value)
    for value, word in enumerate(
        ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"), 2
    )
}
_ORDINAL = re.compile(rf"\b({'|'.join(_ORDINALS)})\b(?! half)", re.IGNORECASE | re.ASCII)
_HAN_ORDINAL = re.compile("第([二三四五六七八九十百]{1,4})")
_POWERS = {"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8, "兆": 12}
_VAGUE_HAN = re.compile("(?:数|數|几|幾|上|成)([十百千]?)((?:万|萬)?(?:亿|億)|万|萬|兆|(?<=[十百千]))")
_PLURALS = {"dozen": 1, "hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_VAGUE_ENGLISH = re.compile(
    r"\b(?:(tens|dozens|hundreds|thousands) of )?(?:(dozen|hundred|thousand|million|billion|trillion)s)\b",
    re.IGNORECASE | re.ASCII,
)
_COUNT_POWERS = {"tens": 1, "dozens": 1, "hundreds": 2, "thousands": 3}
_TIMES: Mapping[str, re.Pattern[str]] = {
    "times 2": re.compile(
        r"\b(?:doubl(?:e[sd]?|ing)|twofold|twice)\b|[2二两兩]倍|倍増|倍增|翻倍|翻番|翻了一番", re.I
    ),
    "times 3": re.compile(r"\b(?:tripl(?:e[sd]?|ing)|threefold|thrice)\b|[3三]倍", re.I),
    "times 4": re.compile(r"\b(?:quadrupl(?:e[sd]?|ing)|fourfold)\b|[4四]倍", re.I),
    "times 10": re.compile(r"\b(?:tenfold)\b|(?<!\d)10倍|十倍", re.I),
    "half": re.compile(
        r"\b(?:half|halves|halv(?:e[sd]?|ing)s?)\b|半減|半分|半数|半额|半額|减半|減半|一半|折半|腰斩", re.I
    ),
}


@dataclass(frozen=True, slots=True)
class StatedValues:
    """The values that a text states. Numbers have no sign."""

    values: frozenset[Decimal]
    """Numbers outside of dates and times; the ones of a checked text must be in the pool of its inputs."""
    pool: frozenset[Decimal]
    """``values`` and ambiguous numbers, which only allow others: one, 三 in 三井."""
    measured: frozenset[tuple[Decimal, str]]
    """Numbers with their currency, asset or percent sign, and parts of a whole."""
    parts: Mapping[Decimal, frozenset[Role]]
    """The start and end values of changes."""
    days: tuple[DateSpan, ...]
    times: frozenset[tuple[int, int]]
    magnitudes: frozenset[str]
    """Vague magnitudes: dozens, 数百万, doubled."""
    odd: frozenset[str]
    """Runs of digits, and digits of other scripts, that are none of the above."""


def find_measures(normalized: str, language: Language) -> Iterator[tuple[int, int]]:
    """Generate the spans of numbers with their magnitudes, currencies and symbols."""
    yield from ((number.start, number.end) for number in numbers.find_numerals(normalized, language))
    yield from (
        (quantity.start, quantity.end)
        for quantity in quantities.find_quantities(normalized, language)
        if _has_strict_unit(quantity)
    )


def extract_values(text: str, language: Language) -> StatedValues:
    """Extract the values that ``text`` states."""
    composed = unicodedata.normalize("NFKC", text)
    normalized = numbers.normalize(composed)
    spans = dates.find_dates(normalized)
    times, without_times = _extract_times(normalized, spans)
    numerals = numbers.find_numerals(without_times, language)
    found_quantities = quantities.find_quantities(without_times, language, [])
    values, pool = set[Decimal](), set[Decimal]()
    remaining = list(without_times)
    for numeral in numerals:
        value = abs(numeral.value)
        pool.add(value)
        if not numeral.spelled or _is_number(
            without_times[numeral.start : numeral.end], value, numeral.scaled
        ):
            values.add(value)
        remaining[numeral.start : numeral.end] = " " * (numeral.end - numeral.start)
    counted = {abs(quantity.value) for quantity in found_quantities if _counts_something(quantity)} | set(
        _find_counting_years(normalized, spans, language)
    )
    ordinals = set(_find_ordinals(without_times, language))
    return StatedValues(
        frozenset(values | counted | ordinals),
        frozenset(pool | counted | ordinals | {abs(quantity.value) for quantity in found_quantities}),
        frozenset(
            (abs(quantity.value), quantity.unit)
            for quantity in found_quantities
            if quantity.unit is not None and _has_strict_unit(quantity)
        ),
        _collect_change_values(found_quantities),
        tuple(spans),
        frozenset(times),
        frozenset(_find_magnitudes(normalized)),
        frozenset(
            (
                *_find_odd_digits("".join(remaining)),
                *(match.group() for match in _FORMAL_NUMBER.finditer(normalized)),
            )
        ),
    )


def _extract_times(normalized: str, spans: list[DateSpan]) -> tuple[set[tuple[int, int]], str]:
    """Return the times of day, and the text with times and dates blanked at the same offsets."""
    remaining = list(normalized)
    for span in spans:
        remaining[span.start : span.end] = " " * (span.end - span.start)
    times = set()
    for match in _TIME.finditer("".join(remaining)):
        hour = int(match["h"] or match["hour"] or match["han"])
        half = (match["half"] or match["side"] or "").lower() or match["before"]
        if half in _AFTERNOON_MARKS and hour < 12:
            hour += 12
        times.add((hour, int(match["m"] or match["min"] or 0)))
        remaining[match.start() : match.end()] = " " * len(match.group())
    return times, "".join(remaining)


def _is_number(token: str, value: Decimal, scaled: bool) -> bool:
    """True if a number without digits is unambiguous: forty, 四千万. One, 一 and 三 may be parts of words."""
    if token.isascii():
        return value > 1 or scaled
    return scaled or len(token) > 1


def _counts_something(quantity: Quantity) -> bool:
    return quantity.unit is not None and quantity.value not in (0, 1)


def _find_counting_years(normalized: str, spans: Sequence[DateSpan], language: Language) -> Iterator[Decimal]:
    """Generate numbers that look like a year but count something: 2024 wallets."""
    years = {span.start for span in spans if span.precision == "year"}
    for quantity in quantities.find_quantities(normalized, language) if years else ():
        if quantity.start in years and quantity.unit not in (None, "year"):
            yield abs(quantity.value)


def _has_strict_unit(quantity: Quantity) -> bool:
    """True if the unit is parsed to the same unit in every language."""
    known_units = load_units()
    return quantity.unit == "%" or quantity.unit in known_units.codes - GENERIC_UNITS


def _collect_change_values(found_quantities: list[Quantity]) -> dict[Decimal, frozenset[Role]]:
    roles_by_value: dict[Decimal, frozenset[Role]] = {}
    for quantity in found_quantities:
        if quantity.role in ("from", "to"):
            roles_by_value[abs(quantity.value)] = roles_by_value.get(abs(quantity.value), frozenset()) | {
                quantity.role
            }
    return roles_by_value


def _find_ordinals(text: str, language: Language) -> Iterator[Decimal]:
    for match in _ORDINAL.finditer(text):
        yield _ORDINALS[match.group().lower()]
    for match in _HAN_ORDINAL.finditer(text):
        value = numbers.parse(match.group(1), language)
        if value is not None:
            yield value


def _find_magnitudes(text: str) -> Iterator[str]:
    for match in _VAGUE_HAN.finditer(text):
        if match.group(1) or match.group(2):
            yield f"10^{_POWERS.get(match.group(1), 0) + sum(_POWERS[numeral] for numeral in match.group(2))}"
    for match in _VAGUE_ENGLISH.finditer(text):
        power = _COUNT_POWERS.get((match.group(1) or "").lower(), 0) + _PLURALS[match.group(2).lower()]
        yield f"10^{power}"
    for name, pattern in _TIMES.items():
        if pattern.search(text):
            yield name


def _find_odd_digits(text: str) -> Iterator[str]:
    yield from _DIGITS.findall(text)
    for letter in text:
        if not letter.isascii() and letter != "〇" and unicodedata.category(letter) in ("Nd", "Nl", "No"):
            yield letter
