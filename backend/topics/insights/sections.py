"""Builds the parts of an insight from templates, with their links and a digest of their facts."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from backend.entities.model import Language
from backend.topics.insights.facts import InsightFacts, Move
from backend.topics.insights.insight_templates import JOIN, PHRASES
from backend.topics.number_format import format_day, format_percent, format_price

MAX_NAMES = 4
PartName = Literal["conclusion", "confirmed", "differ", "market", "before", "note"]


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an insight, written by templates. ``basis`` is a digest of its facts, under which model
    prose about the same facts is stored."""

    name: PartName
    title: str
    text: str
    basis: str
    links: Sequence[Mapping[str, str]] = ()


def build_parts(facts: InsightFacts, language: Language, base_url: str) -> list[Part]:
    """Build the conclusion, then the sections that have facts."""
    found = [
        _build_conclusion(facts, language),
        _build_confirmation(facts, language),
        _build_differences(facts, language),
        _build_market(facts, language),
        _build_earlier(facts, language, base_url),
    ]
    return [part for part in found if part is not None]


def build_insight(
    found: Sequence[Part], prose: Mapping[str, str], note: Part | None = None
) -> dict[str, Any]:
    """Build the response data: a conclusion, and sections with links to topics of this service.

    ``prose`` replaces the text of parts by their basis. ``note`` is added if it replaced any.
    """
    conclusion, *sections = found
    if note is not None and any(part.basis in prose for part in found):
        sections.append(note)
    return {
        "conclusion": prose.get(conclusion.basis, conclusion.text),
        "deep_analysis": [
            {
                "title": part.title,
                "expanded_explanation": prose.get(part.basis, part.text),
                "topic_links": [dict(link) for link in part.links],
            }
            for part in sections
        ],
    }


def _build_conclusion(facts: InsightFacts, language: Language) -> Part:
    sentences = [_format_support(facts, language)]
    if facts.moves:
        greatest = max(facts.moves, key=lambda move: abs(move.change))
        sentences.append(_fill(language, "moved", name=greatest.name, change=format_percent(greatest.change)))
    facts_told = (facts.title, facts.summary, facts.is_report, _list_sources(facts), _market_basis(facts))
    text = (" " if language == "en" else "").join(sentences)
    return Part("conclusion", "", text, _hash_basis("conclusion", language, facts_told))


def _format_support(facts: InsightFacts, language: Language) -> str:
    official = [source.name for source in facts.sources if source.official]
    all_names = [source.name for source in facts.sources]
    if official:
        return _fill(language, "official", names=_join_names(official, language))
    if all_names:
        return _fill(language, "outlets", names=_join_names(all_names, language))
    return _fill(language, "own" if facts.is_report else "alone")


def _build_confirmation(facts: InsightFacts, language: Language) -> Part:
    facts_told = (facts.title, facts.is_report, _list_sources(facts))
    return _build_part("confirmed", language, [_format_support(facts, language)], facts_told)


def _build_differences(facts: InsightFacts, language: Language) -> Part | None:
    sentences = [
        _fill(language, "differ_one", first=one.source, a=one.text, second=other.source, b=other.text)
        for one, other in facts.differences
    ]
    return _build_part("differ", language, sentences, (facts.title, sentences)) if sentences else None


def _build_market(facts: InsightFacts, language: Language) -> Part | None:
    if not facts.moves:
        return None
    sentences = [_format_move(move, language) for move in facts.moves]
    if facts.realm == "sample":
        sentences.append(_fill(language, "sample"))
    return _build_part("market", language, sentences, (facts.title, _market_basis(facts)))


def _market_basis(facts: InsightFacts) -> tuple[object, ...]:
    """Return the assets and the stage without prices, which change within a stage and carry their time."""
    return (facts.realm, facts.stage, [move.name for move in facts.moves])


def _list_sources(facts: InsightFacts) -> list[tuple[str, bool]]:
    return [(source.name, source.official) for source in facts.sources]


def _format_move(move: Move, language: Language) -> str:
    return _fill(
        language,
        "market_one",
        name=move.name,
        before=format_price(move.before, language),
        after=format_price(move.after, language),
        change=format_percent(move.change),
        from_=f"{move.before_at:%Y-%m-%d %H:%M} UTC",
        to=f"{move.after_at:%Y-%m-%d %H:%M} UTC",
    )


def _build_earlier(facts: InsightFacts, language: Language, base_url: str) -> Part | None:
    if not facts.related:
        return None
    facts_told = [(format_day(one.published_at, language), one.title) for one in facts.related]
    sentences = [_fill(language, "before_one", day=when, title=title) for when, title in facts_told]
    links = [{one.title: f"{base_url}/topics/{one.id}?lang={language}"} for one in facts.related]
    return _build_part("before", language, sentences, facts_told, separator="\n", links=links)


def _build_part(
    name: PartName,
    language: Language,
    sentences: Sequence[str],
    facts_told: object,
    *,
    separator: str | None = None,
    links: Sequence[Mapping[str, str]] = (),
) -> Part:
    between = separator if separator is not None else " " if language == "en" else ""
    basis = _hash_basis(name, language, facts_told)
    return Part(name, _fill(language, name), between.join(sentences), basis, links)


def _hash_basis(name: PartName, language: Language, facts_told: object) -> str:
    return hashlib.sha256(orjson.dumps([name, language, facts_told])).hexdigest()


def _join_names(names: Sequence[str], language: Language) -> str:
    return JOIN[language].join(names[:MAX_NAMES])


def _fill(language: Language, key: str, **values: str) -> str:
    return PHRASES[language][key].format(**values)
