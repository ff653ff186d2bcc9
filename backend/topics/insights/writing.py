"""An insight by templates, and the check that holds every figure in it against its facts."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from backend.entities.model import Language
from backend.topics.insights.facts import InsightFacts, Move
from backend.topics.insights.phrases import JOIN, PHRASES
from backend.topics.reports.numerals import day, percent, price

MOST_NAMED = 4
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")


def written(facts: InsightFacts, language: Language, base_url: str) -> dict[str, Any]:
    """The interface's answer: a conclusion, and sections with links to the service's own topics."""
    sections = [
        _confirmed(facts, language),
        _differing(facts, language),
        _market(facts, language),
        _earlier(facts, language, base_url),
    ]
    return {
        "conclusion": _conclusion(facts, language),
        "deep_analysis": [section for section in sections if section is not None],
    }


def foreign_figures(text: str, known: Iterable[str]) -> list[str]:
    """The figures in ``text`` that stand in none of the ``known`` texts; empty when all is well."""
    allowed = set(_figures(" ".join(known)))
    return [figure for figure in _figures(text) if figure not in allowed]


def _figures(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text)
    return [figure.replace(",", "").rstrip(".") for figure in _FIGURE.findall(plain)]


def _conclusion(facts: InsightFacts, language: Language) -> str:
    parts = [_support(facts, language)]
    if facts.moves:
        greatest = max(facts.moves, key=lambda move: abs(move.change))
        parts.append(_say(language, "moved", name=greatest.name, change=percent(greatest.change)))
    return (" " if language == "en" else "").join(parts)


def _support(facts: InsightFacts, language: Language) -> str:
    official = [source.name for source in facts.sources if source.official]
    every = [source.name for source in facts.sources]
    if official:
        return _say(language, "official", names=_names(official, language))
    if every:
        return _say(language, "outlets", names=_names(every, language))
    return _say(language, "own" if facts.is_report else "alone")


def _confirmed(facts: InsightFacts, language: Language) -> dict[str, Any]:
    return _section(language, "confirmed", [_support(facts, language)])


def _differing(facts: InsightFacts, language: Language) -> dict[str, Any] | None:
    sentences = [
        _say(language, "differ_one", first=one.source, a=one.text, second=other.source, b=other.text)
        for one, other in facts.differences
    ]
    return _section(language, "differ", sentences) if sentences else None


def _market(facts: InsightFacts, language: Language) -> dict[str, Any] | None:
    if not facts.moves:
        return None
    sentences = [_moved(move, language) for move in facts.moves]
    if facts.realm == "sample":
        sentences.append(_say(language, "sample"))
    return _section(language, "market", sentences)


def _moved(move: Move, language: Language) -> str:
    return _say(
        language,
        "market_one",
        name=move.name,
        before=price(move.before, language),
        after=price(move.after, language),
        change=percent(move.change),
        from_=f"{move.before_at:%Y-%m-%d %H:%M} UTC",
        to=f"{move.after_at:%Y-%m-%d %H:%M} UTC",
    )


def _earlier(facts: InsightFacts, language: Language, base_url: str) -> dict[str, Any] | None:
    if not facts.related:
        return None
    sentences = [
        _say(language, "before_one", day=day(one.published_at, language), title=one.title)
        for one in facts.related
    ]
    section = _section(language, "before", sentences, gap="\n")
    section["topic_links"] = [
        {one.title: f"{base_url}/topics/{one.id}?lang={language}"} for one in facts.related
    ]
    return section


def _section(
    language: Language, title: str, sentences: Sequence[str], *, gap: str | None = None
) -> dict[str, Any]:
    between = gap if gap is not None else " " if language == "en" else ""
    return {
        "title": _say(language, title),
        "expanded_explanation": between.join(sentences),
        "topic_links": [],
    }


def _names(names: Sequence[str], language: Language) -> str:
    return JOIN[language].join(names[:MOST_NAMED])


def _say(language: Language, key: str, **values: str) -> str:
    return PHRASES[language][key].format(**values)
