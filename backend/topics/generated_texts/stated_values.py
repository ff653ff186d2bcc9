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
from backend.sources.claims.units import GENERIC, units

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


def find_measures(plain: str, language: Language) -> Iterator[tuple[int, int]]:
    """Generate the spans of numbers with their magnitudes, currencies and symbols."""
    yield from ((one.start, one.end) for one in numbers.find(plain, language))
    yield from ((one.start, one.end) for one in quantities.find(plain, language) if _has_strict_unit(one))


def extract_values(text: str, language: Language) -> StatedValues:
    """Extract the values that ``text`` states."""
    composed = unicodedata.normalize("NFKC", text)
    plain = numbers.normalize(composed)
    spans = dates.find(plain)
    times, without_times = _extract_times(plain, spans)
    found = numbers.find(without_times, language)
    figures = quantities.find(without_times, language, [])
    values, pool = set[Decimal](), set[Decimal]()
    left = list(without_times)
    for numeral in found:
        value = abs(numeral.value)
        pool.add(value)
        if not numeral.spelled or _is_number(
            without_times[numeral.start : numeral.end], value, numeral.scaled
        ):
            values.add(value)
        left[numeral.start : numeral.end] = " " * (numeral.end - numeral.start)
    counted = {abs(one.value) for one in figures if _counts_something(one)} | set(
        _find_counting_years(plain, spans, language)
    )
    ordinals = set(_find_ordinals(without_times, language))
    return StatedValues(
        frozenset(values | counted | ordinals),
        frozenset(pool | counted | ordinals | {abs(one.value) for one in figures}),
        frozenset(
            (abs(one.value), one.unit) for one in figures if one.unit is not None and _has_strict_unit(one)
        ),
        _collect_change_values(figures),
        tuple(spans),
        frozenset(times),
        frozenset(_find_magnitudes(plain)),
        frozenset(
            (*_find_odd_digits("".join(left)), *(match.group() for match in _FORMAL_NUMBER.finditer(plain)))
        ),
    )


def _extract_times(plain: str, spans: list[DateSpan]) -> tuple[set[tuple[int, int]], str]:
    """Return the times of day, and the text with times and dates blanked at the same offsets."""
    left = list(plain)
    for span in spans:
        left[span.start : span.end] = " " * (span.end - span.start)
    found = set()
    for match in _TIME.finditer("".join(left)):
        hour = int(match["h"] or match["hour"] or match["han"])
        half = (match["half"] or match["side"] or "").lower() or match["before"]
        if half in _AFTERNOON_MARKS and hour < 12:
            hour += 12
        found.add((hour, int(match["m"] or match["min"] or 0)))
        left[match.start() : match.end()] = " " * len(match.group())
    return found, "".join(left)


def _is_number(token: str, value: Decimal, scaled: bool) -> bool:
    """True if a number without digits is unambiguous: forty, 四千万. One, 一 and 三 may be parts of words."""
    if token.isascii():
        return value > 1 or scaled
    return scaled or len(token) > 1


def _counts_something(one: Quantity) -> bool:
    return one.unit is not None and one.value not in (0, 1)


def _find_counting_years(plain: str, spans: Sequence[DateSpan], language: Language) -> Iterator[Decimal]:
    """Generate numbers that look like a year but count something: 2024 wallets."""
    years = {span.start for span in spans if span.precision == "year"}
    for one in quantities.find(plain, language) if years else ():
        if one.start in years and one.unit not in (None, "year"):
            yield abs(one.value)


def _has_strict_unit(one: Quantity) -> bool:
    """True if the unit is parsed to the same unit in every language."""
    known = units()
    return one.unit == "%" or one.unit in known.codes - GENERIC


def _collect_change_values(figures: list[Quantity]) -> dict[Decimal, frozenset[Role]]:
    found: dict[Decimal, frozenset[Role]] = {}
    for one in figures:
        if one.role in ("from", "to"):
            found[abs(one.value)] = found.get(abs(one.value), frozenset()) | {one.role}
    return found


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
            yield f"10^{_POWERS.get(match.group(1), 0) + sum(_POWERS[one] for one in match.group(2))}"
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
