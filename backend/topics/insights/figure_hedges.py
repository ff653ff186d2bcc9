"""Finds the words that say that a figure is alleged, claimed or estimated."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.formats.chinese import to_simplified
from backend.sources.claims.model import Quantity
from backend.topics.insights.figure_measures import find_first_measure, is_before, is_decided

_FILE = Path(__file__).parent / "data" / "figure_hedges.yaml"
_CLAUSE_MARK = re.compile(r"(?<!据称)(?<!估计)(?<!估算)[,，、;:.!?。；：！？—–](?!\d)")
MAX_WORDS_BETWEEN = 1
_NOTHING = "(?!)"
"""A pattern without matches."""


@dataclass(frozen=True, slots=True)
class _Hedge:
    before: Mapping[Language, re.Pattern[str]]
    adjective: Mapping[Language, re.Pattern[str]]
    behind: Mapping[Language, re.Pattern[str]]
    labels: Mapping[Language, str]
    is_accusation: bool


def find_hedge(
    text: str, figure: Quantity, others: Sequence[Quantity], measure: int | None, language: Language
) -> int | None:
    """Return the number of the hedge in the clause of ``figure``, which measures ``measure``; None without
    one."""
    compared = to_simplified(text) if language == "zh" else text
    start = max((one.end for one in others if is_before(one, figure, compared)), default=0)
    start = max((m.end() for m in _CLAUSE_MARK.finditer(compared, start, figure.start)), default=start)
    end = min((one.start for one in others if one.start >= figure.end), default=len(compared))
    for number, hedge in enumerate(_load_hedges()):
        if hedge.is_accusation and is_decided(measure):
            continue
        if hedge.behind[language].match(compared, figure.end, end):
            return number
        for match in hedge.before[language].finditer(compared, start, figure.start):
            first = find_first_measure(compared[match.end() : figure.start], language)
            if first is None or first.number == measure:
                return number
        for match in hedge.adjective[language].finditer(compared, start, figure.start):
            between = compared[match.end() : figure.start]
            first = find_first_measure(between, language)
            is_own = first is None or first.number == measure
            if is_own and len(between[: first.start if first else None].split()) <= MAX_WORDS_BETWEEN:
                return number
    return None


def add_hedge(label: str, hedge: int | None, language: Language) -> str:
    """Write the label of a measure with the hedge of its figure."""
    return label if hedge is None else _load_hedges()[hedge].labels[language].format(measure=label)


@cache
def _load_hedges() -> Sequence[_Hedge]:
    def compile_patterns(
        entry: Mapping[Language, Mapping[str, str]], key: str
    ) -> dict[Language, re.Pattern[str]]:
        return {
            language: re.compile(entry[language].get(key, _NOTHING), re.IGNORECASE) for language in LANGUAGES
        }

    return [
        _Hedge(
            compile_patterns(entry, "before"),
            compile_patterns(entry, "adjective"),
            compile_patterns(entry, "behind"),
            {language: entry[language]["label"] for language in LANGUAGES},
            entry.get("accusation", False),
        )
        for entry in yaml.safe_load(_FILE.read_text("utf-8"))
    ]
