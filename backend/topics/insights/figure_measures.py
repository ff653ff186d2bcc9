"""Finds what a figure measures (funds raised, a fine, an outflow) by the words next to it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.formats.chinese import to_simplified
from backend.sources.claims.model import Quantity
from backend.sources.claims.units import load_units

MAX_DISTANCE_CHARS: Mapping[Language, int] = {"en": 36, "ja": 14, "zh": 12}
"""Characters between a figure and the word that says what it measures; a comma counts for several."""
_FILE = Path(__file__).parent / "data" / "figure_measures.yaml"
_SENTENCE_MARK = re.compile(r"[;:.!?。；：！？—–](?!\d)")
_COMMA = re.compile(r"[,，、](?!\d)")
_COMMA_CHARS = 12
_COUNTERPART = re.compile(
    r"\s*[（(]?(?:for|worth|or|valued at|(?:約)?|相当|価値|价值|合)\s*"
    r"(?:(?:about|around|some|roughly|nearly|over|more than|an estimated|約|约|近|超)\s*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Measure:
    """What a figure measures, such as *fine* or *outflow*, with the words that say so."""

    name: str
    """The English label, which no other measure has."""
    patterns: Mapping[Language, re.Pattern[str]] = field(compare=False)
    labels: Mapping[Language, str] = field(compare=False)
    is_count: bool = field(compare=False)
    """True if no amount of money has this measure."""
    is_decided: bool = field(compare=False)
    """True if an authority or a court has done it (a fine), so that it is not only alleged."""


@dataclass(frozen=True, slots=True)
class MeasureWord:
    measure: Measure
    start: int


def find_measure(
    text: str, figure: Quantity, others: Sequence[Quantity], language: Language
) -> Measure | None:
    """Find the measure whose word is nearest to ``figure`` in ``text``; of equally near words the longest.
    A word between two figures belongs to the nearer one."""
    compared = to_simplified(text) if language == "zh" else text
    start = max((one.end for one in others if is_before(one, figure, compared)), default=0)
    end = min((one.start for one in others if one.start >= figure.end), default=len(compared))
    start = max((m.end() for m in _SENTENCE_MARK.finditer(compared, start, figure.start)), default=start)
    mark = _SENTENCE_MARK.search(compared, figure.end, end)
    end = mark.start() if mark else end
    before, behind = compared[start : figure.start], compared[figure.end : end]
    is_cut_before = any(one.end == start for one in others)
    is_cut_behind = any(one.start == end for one in others)
    found: list[tuple[int, int, Measure]] = []
    is_money = figure.unit in load_units().currencies
    for measure in _load_measures():
        if measure.is_count and is_money:
            continue
        for match in measure.patterns[language].finditer(before):
            if not is_cut_before or match.start() >= len(before) - match.end():
                found.append((_compute_distance(before[match.end() :]), -len(match.group()), measure))
        for match in measure.patterns[language].finditer(behind):
            if not is_cut_behind or match.start() <= len(behind) - match.end():
                found.append((_compute_distance(behind[: match.start()]), -len(match.group()), measure))
    if not found:
        return None
    distance, _, nearest = min(found, key=lambda one: one[:2])
    return nearest if distance <= MAX_DISTANCE_CHARS[language] else None


def is_before(other: Quantity, figure: Quantity, text: str) -> bool:
    """True if ``other`` stands before ``figure`` and is another one, not its counterpart (*500 BTC for*)."""
    return other.end <= figure.start and not _COUNTERPART.fullmatch(text, other.end, figure.start)


def find_first_measure(text: str, language: Language) -> MeasureWord | None:
    """Find the first word in ``text`` that says what a figure measures."""
    found = [
        (match.start(), -len(match.group()), measure)
        for measure in _load_measures()
        if (match := measure.patterns[language].search(text))
    ]
    if not found:
        return None
    start, _, measure = min(found, key=lambda one: one[:2])
    return MeasureWord(measure, start)


def _compute_distance(between: str) -> int:
    return len(between) + _COMMA_CHARS * len(_COMMA.findall(between))


@cache
def _load_measures() -> Sequence[Measure]:
    return [
        Measure(
            entry["en"]["label"],
            {language: re.compile(entry[language]["pattern"], re.IGNORECASE) for language in LANGUAGES},
            {language: entry[language]["label"] for language in LANGUAGES},
            entry.get("counts", False),
            entry.get("decided", False),
        )
        for entry in yaml.safe_load(_FILE.read_text("utf-8"))
    ]
