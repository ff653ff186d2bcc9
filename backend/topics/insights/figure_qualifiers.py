"""Finds the words that say that a figure is alleged, claimed or estimated."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.formats.chinese import to_simplified
from backend.sources.claims.model import Quantity
from backend.topics.insights.figure_measures import Measure, find_first_measure, is_before

_FILE = Path(__file__).parent / "data" / "figure_qualifiers.yaml"
_CLAUSE_MARK = re.compile(r"(?<!据称)(?<!估计)(?<!估算)[,，、;:.!?。；：！？—–](?!\d)")
MAX_WORDS_BETWEEN = 1
_NOTHING = "(?!)"
"""A pattern without matches."""


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A kind of doubt about a figure, such as *alleged* or *estimated*, with the words that say so."""

    rank: int
    """Position in the file. The lower of two ranks is the greater doubt."""
    before: Mapping[Language, re.Pattern[str]] = field(compare=False)
    adjective: Mapping[Language, re.Pattern[str]] = field(compare=False)
    behind: Mapping[Language, re.Pattern[str]] = field(compare=False)
    labels: Mapping[Language, str] = field(compare=False)
    is_accusation: bool = field(compare=False)


def find_qualifier(
    text: str, figure: Quantity, others: Sequence[Quantity], measure: Measure | None, language: Language
) -> Qualifier | None:
    """Find the qualifier in the clause of ``figure``, which measures ``measure``."""
    compared = to_simplified(text) if language == "zh" else text
    start = max((one.end for one in others if is_before(one, figure, compared)), default=0)
    start = max((m.end() for m in _CLAUSE_MARK.finditer(compared, start, figure.start)), default=start)
    end = min((one.start for one in others if one.start >= figure.end), default=len(compared))
    for qualifier in _load_qualifiers():
        if qualifier.is_accusation and measure is not None and measure.is_decided:
            continue
        if qualifier.behind[language].match(compared, figure.end, end):
            return qualifier
        for match in qualifier.before[language].finditer(compared, start, figure.start):
            first = find_first_measure(compared[match.end() : figure.start], language)
            if first is None or first.measure == measure:
                return qualifier
        for match in qualifier.adjective[language].finditer(compared, start, figure.start):
            between = compared[match.end() : figure.start]
            first = find_first_measure(between, language)
            is_own = first is None or first.measure == measure
            if is_own and len(between[: first.start if first else None].split()) <= MAX_WORDS_BETWEEN:
                return qualifier
    return None


def format_measure(measure: Measure | None, qualifier: Qualifier | None, language: Language) -> str:
    """Write what a figure measures, such as *fine* or *alleged fraud case*; empty if that is not known."""
    if measure is None:
        return ""
    label = measure.labels[language]
    return label if qualifier is None else qualifier.labels[language].format(measure=label)


@cache
def _load_qualifiers() -> Sequence[Qualifier]:
    def compile_patterns(
        entry: Mapping[Language, Mapping[str, str]], key: str
    ) -> dict[Language, re.Pattern[str]]:
        return {
            language: re.compile(entry[language].get(key, _NOTHING), re.IGNORECASE) for language in LANGUAGES
        }

    return [
        Qualifier(
            rank,
            compile_patterns(entry, "before"),
            compile_patterns(entry, "adjective"),
            compile_patterns(entry, "behind"),
            {language: entry[language]["label"] for language in LANGUAGES},
            entry.get("accusation", False),
        )
        for rank, entry in enumerate(yaml.safe_load(_FILE.read_text("utf-8")))
    ]
