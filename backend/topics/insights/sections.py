"""The frame of an insight by templates: its parts, their links, and the facts behind each."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from backend.entities.model import Language
from backend.topics.insights.facts import InsightFacts, Move
from backend.topics.insights.insight_templates import JOIN, PHRASES
from backend.topics.number_format import format_day, format_percent, format_price

MOST_NAMED = 4
PartName = Literal["conclusion", "confirmed", "differ", "market", "before", "note"]


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an insight as the templates word it. ``basis`` is a digest of the facts that it tells,
    under which other prose on the very same facts may be kept."""

    name: PartName
    title: str
    text: str
    basis: str
    links: Sequence[Mapping[str, str]] = ()


def parts(facts: InsightFacts, language: Language, base_url: str) -> list[Part]:
    """The conclusion first, then the sections that there are facts for."""
    found = [
        _conclusion(facts, language),
        _confirmed(facts, language),
        _differing(facts, language),
        _market(facts, language),
        _earlier(facts, language, base_url),
    ]
    return [part for part in found if part is not None]


def answer(found: Sequence[Part], prose: Mapping[str, str], note: Part | None = None) -> dict[str, Any]:
    """The interface's answer: a conclusion, and sections with links to the service's own topics.

    ``prose`` takes the place of a part's text by its basis; ``note`` follows where any did.
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


def _conclusion(facts: InsightFacts, language: Language) -> Part:
    said = [_support(facts, language)]
    if facts.moves:
        greatest = max(facts.moves, key=lambda move: abs(move.change))
        said.append(_say(language, "moved", name=greatest.name, change=format_percent(greatest.change)))
    told = (facts.title, facts.summary, facts.is_report, _names_of(facts), _market_basis(facts))
    text = (" " if language == "en" else "").join(said)
    return Part("conclusion", "", text, _basis("conclusion", language, told))


def _support(facts: InsightFacts, language: Language) -> str:
    official = [source.name for source in facts.sources if source.official]
    every = [source.name for source in facts.sources]
    if official:
        return _say(language, "official", names=_names(official, language))
    if every:
        return _say(language, "outlets", names=_names(every, language))
    return _say(language, "own" if facts.is_report else "alone")


def _confirmed(facts: InsightFacts, language: Language) -> Part:
    told = (facts.title, facts.is_report, _names_of(facts))
    return _part("confirmed", language, [_support(facts, language)], told)


def _differing(facts: InsightFacts, language: Language) -> Part | None:
    sentences = [
        _say(language, "differ_one", first=one.source, a=one.text, second=other.source, b=other.text)
        for one, other in facts.differences
    ]
    return _part("differ", language, sentences, (facts.title, sentences)) if sentences else None


def _market(facts: InsightFacts, language: Language) -> Part | None:
    if not facts.moves:
        return None
    sentences = [_moved(move, language) for move in facts.moves]
    if facts.realm == "sample":
        sentences.append(_say(language, "sample"))
    return _part("market", language, sentences, (facts.title, _market_basis(facts)))


def _market_basis(facts: InsightFacts) -> tuple[object, ...]:
    """The assets and the stage, and no prices: within a stage these change, and are told with their time."""
    return (facts.realm, facts.stage, [move.name for move in facts.moves])


def _names_of(facts: InsightFacts) -> list[tuple[str, bool]]:
    return [(source.name, source.official) for source in facts.sources]


def _moved(move: Move, language: Language) -> str:
    return _say(
        language,
        "market_one",
        name=move.name,
        before=format_price(move.before, language),
        after=format_price(move.after, language),
        change=format_percent(move.change),
        from_=f"{move.before_at:%Y-%m-%d %H:%M} UTC",
        to=f"{move.after_at:%Y-%m-%d %H:%M} UTC",
    )


def _earlier(facts: InsightFacts, language: Language, base_url: str) -> Part | None:
    if not facts.related:
        return None
    told = [(format_day(one.published_at, language), one.title) for one in facts.related]
    sentences = [_say(language, "before_one", day=when, title=title) for when, title in told]
    links = [{one.title: f"{base_url}/topics/{one.id}?lang={language}"} for one in facts.related]
    return _part("before", language, sentences, told, gap="\n", links=links)


def _part(
    name: PartName,
    language: Language,
    sentences: Sequence[str],
    told: object,
    *,
    gap: str | None = None,
    links: Sequence[Mapping[str, str]] = (),
) -> Part:
    between = gap if gap is not None else " " if language == "en" else ""
    basis = _basis(name, language, told)
    return Part(name, _say(language, name), between.join(sentences), basis, links)


def _basis(name: PartName, language: Language, told: object) -> str:
    return hashlib.sha256(orjson.dumps([name, language, told])).hexdigest()


def _names(names: Sequence[str], language: Language) -> str:
    return JOIN[language].join(names[:MOST_NAMED])


def _say(language: Language, key: str, **values: str) -> str:
    return PHRASES[language][key].format(**values)
