"""Builds the parts of an insight from templates, with their links and a digest of their facts."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal

import orjson

from backend.entities.model import Language
from backend.topics.insights.insight_templates import FIGURE_JOIN, PHRASES, join_names
from backend.topics.insights.model import InsightFacts, Move, NextDate, SourcedSentence
from backend.topics.number_format import format_day, format_days, format_percent, format_price

MAX_NAMES = 4
MAX_UNUSUAL_SHARE = Decimal("0.05")
"""Share of past spans with a move of the same size up to which a move is unusual."""
_INNER_QUOTES: Mapping[Language, Mapping[int, int]] = {
    "en": str.maketrans("“”", "‘’"),
    "ja": str.maketrans("「」", "『』"),
    "zh": str.maketrans("“”", "‘’"),
}
_QUOTED_WHOLE = re.compile(r"[“「\"](?P<text>[^“”「」\"]+)[”」\"]")
PartName = Literal[
    "conclusion", "confirmed", "points", "differ", "unknown", "next", "market", "before", "note"
]


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
    candidate_parts = [
        _build_conclusion(facts, language),
        _build_confirmation(facts, language),
        _build_points(facts, language),
        _build_differences(facts, language),
        _build_unknowns(facts, language),
        _build_next_dates(facts, language),
        _build_market(facts, language),
        _build_earlier(facts, language, base_url),
    ]
    return [part for part in candidate_parts if part is not None]


def build_insight(
    parts: Sequence[Part], prose: Mapping[str, str], note: Part | None = None
) -> dict[str, Any]:
    """Build the response data: a conclusion, and sections with links to topics of this service.

    ``prose`` replaces the text of parts by their basis. ``note`` is added if it replaced any.
    """
    conclusion, *sections = parts
    if note is not None and any(part.basis in prose for part in parts):
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
    if denials := _list_new(facts.denials, facts):
        sentences.append(_fill(language, "denial", quote=_format_quote(denials[0], language)))
    if facts.shared_figure is not None:
        names = _join_names(facts.shared_figure.sources, language)
        key = "shared_figure_with_measure" if facts.shared_figure.measure else "shared_figure"
        figure, measure = facts.shared_figure.text, facts.shared_figure.measure
        sentences.append(_fill(language, key, names=names, figure=figure, measure=measure))
    if unusual_moves := [move for move in facts.moves if is_unusual(move)]:
        greatest = max(unusual_moves, key=lambda move: abs(move.change))
        sentences.append(
            _fill(
                language,
                "unusual_move_around_topic",
                name=greatest.name,
                change=format_percent(greatest.change),
            )
        )
    facts_told = (
        facts.title,
        facts.summary,
        facts.is_report,
        sentences[:-1] if unusual_moves else sentences,
        [move.name for move in unusual_moves],
        facts.stage,
    )
    text = (" " if language == "en" else "").join(sentences)
    return Part("conclusion", "", text, _hash_basis("conclusion", language, facts_told))


def _format_support(facts: InsightFacts, language: Language) -> str:
    official = [source.name for source in facts.sources if source.official]
    all_names = [source.name for source in facts.sources]
    names = _join_names(official or all_names, language)
    if facts.anniversary_of is not None:
        day = format_day(facts.anniversary_of, language)
        return _fill(language, "anniversary_records" if names else "anniversary_day", day=day, names=names)
    if official:
        return _fill(language, "official_only" if len(all_names) == 1 else "official", names=names)
    if len(all_names) == 1:
        rest = _format_missing(facts, language)
        cited = _format_credits(facts, language)
        if not (cited or rest):
            return _fill(language, "single_report_only", names=names)
        return _fill(language, "single_report", names=names, credits=cited, rest=rest)
    if all_names:
        rest = _format_missing(facts, language) or _fill(language, "no_official_source")
        if facts.credits_by_source:
            named = [_format_citing_source(name, facts, language) for name in all_names]
            return _fill(
                language, "several_reports", names=_join_names(named, language), credits="", rest=rest
            )
        return _fill(
            language, "several_reports", names=names, credits=_format_credits(facts, language), rest=rest
        )
    return _fill(language, "market_report" if facts.is_report else "no_sources")


def _format_credits(facts: InsightFacts, language: Language) -> str:
    """Say whose reporting the reports relay, as far as the title and the summary do not."""
    if facts.credits or facts.originators:
        key, names = (
            ("cited_outlets", facts.credits) if facts.credits else ("attributed_to", facts.originators)
        )
        unread = _list_unread(names, facts)
        return _fill(language, key, names=_join_names(unread, language)) if unread else ""
    return _fill(language, "relayed_report") if facts.is_relayed and len(facts.sources) == 1 else ""


def _format_citing_source(name: str, facts: InsightFacts, language: Language) -> str:
    """Write the name of a source with the outlets that it alone credits."""
    cited = _list_unread(facts.credits_by_source.get(name, ()), facts)
    return (
        _fill(language, "outlet_with_citation", name=name, names=_join_names(cited, language))
        if cited
        else name
    )


def _list_unread(names: Sequence[str], facts: InsightFacts) -> list[str]:
    """List the names that the title and the summary do not have."""
    read = f"{facts.title}\n{facts.summary}"
    return [name for name in names if name not in read]


def _list_new(sentences: Sequence[SourcedSentence], facts: InsightFacts) -> list[SourcedSentence]:
    """List the sentences that the summary and the title do not have."""
    return [one for one in sentences if one.text not in facts.summary and one.text not in facts.title]


def _format_missing(facts: InsightFacts, language: Language) -> str:
    """Say which official pages the articles link to, and whose own page would settle it but is missing."""
    linked = _fill(language, "linked_page", names=_join_names(facts.linked, language)) if facts.linked else ""
    silent = facts.silent
    if not silent and not linked and facts.cites_official:
        return _fill(language, "no_official_source")
    if not silent:
        return linked
    names = join_names(silent[:MAX_NAMES], language, is_choice=True)
    return linked + _fill(language, "missing_page", names=names)


def _build_confirmation(facts: InsightFacts, language: Language) -> Part | None:
    """Build the section on who says what. One report needs none, because the conclusion names its source."""
    lines = [
        _fill(language, "statement", source=words.source, text=words.text.translate(_INNER_QUOTES[language]))
        for words in facts.official_words
        if len(facts.sources) > 1 and words.text != facts.title and words.text not in facts.summary
    ]
    press = sorted(
        (source.published_at, source.name)
        for source in facts.sources
        if not source.official and source.published_at is not None
    )
    is_ordered = len(press) > 1 and press[0][0] < press[1][0] and not facts.is_relayed
    if is_ordered and facts.anniversary_of is None:
        first_at, first = press[0]
        day, time = format_day(first_at, language), f"{first_at:%H:%M}"
        names = _join_names([name for _, name in press[1:]], language)
        lines.append(_fill(language, "first_report", first=first, day=day, time=time, names=names))
    has_only_order = len(lines) == 1 and is_ordered and facts.anniversary_of is None
    lines += [
        _fill(language, "statement", source=one.source, text=one.text.translate(_INNER_QUOTES[language]))
        for one in _list_new(facts.replies, facts)
        if one not in (*facts.denials, *facts.no_comments, *facts.unknowns)
    ]
    lines += [
        _fill(language, "denial", quote=_format_quote(denial, language))
        for denial in _list_new(facts.denials, facts)[1:]
    ]
    lines += [
        _fill(language, "no_comment", quote=_format_quote(one, language))
        for one in _list_new(facts.no_comments, facts)
    ]
    if not lines:
        return None
    part = _build_part("confirmed", language, lines, (facts.title, lines), separator="\n")
    is_order = has_only_order and len(lines) == 1
    return replace(part, title=_fill(language, "reported_first")) if is_order else part


def _build_differences(facts: InsightFacts, language: Language) -> Part | None:
    sentences = [
        _format_measure(group[0].measure, language)
        + FIGURE_JOIN[language].join(
            _fill(language, "difference_figure", source=figure.source, figure=figure.text) for figure in group
        )
        + _fill(language, "difference_end")
        for group in facts.differences
    ]
    return _build_part("differ", language, sentences, (facts.title, sentences)) if sentences else None


def _format_measure(measure: str, language: Language) -> str:
    return _fill(language, "difference_measure", measure=measure[0].upper() + measure[1:]) if measure else ""


def _build_points(facts: InsightFacts, language: Language) -> Part | None:
    lines = [_format_quote(point, language) for point in facts.points]
    return _build_part("points", language, lines, (facts.title, lines), separator="\n") if lines else None


def _build_unknowns(facts: InsightFacts, language: Language) -> Part | None:
    lines = [_format_quote(unknown, language) for unknown in _list_new(facts.unknowns, facts)]
    return _build_part("unknown", language, lines, (facts.title, lines), separator="\n") if lines else None


def _build_next_dates(facts: InsightFacts, language: Language) -> Part | None:
    lines = []
    read = told = f"{facts.title}\n{facts.summary}"
    for date in facts.next_dates:
        if date.label or date.text not in told:
            lines.append(_format_next_date(date, read, language))
        read = f"{read}\n{date.text}"
    return _build_part("next", language, lines, (facts.title, lines), separator="\n") if lines else None


def _format_next_date(date: NextDate, read: str, language: Language) -> str:
    """Write a time in one line with its sentence, or with a word on it, if one is known, where the reader has
    read it."""
    day = date.words or format_days(date.day, date.until, language)
    if date.text in read and date.label:
        return _fill(language, "next_day_with_label", day=day, label=date.label)
    return _fill(
        language, "next_day_with_quote", day=day, quote=" ".join(_format_quote(date, language).splitlines())
    )


def _format_quote(sentence: SourcedSentence | NextDate, language: Language) -> str:
    """Quote a sentence; quotation marks within it become inner ones, and those around it go."""
    whole = _QUOTED_WHOLE.fullmatch(sentence.text)
    text = (whole["text"] if whole else sentence.text).translate(_INNER_QUOTES[language])
    return _fill(language, "quote", text=text, source=sentence.source)


def is_unusual(move: Move) -> bool:
    """True if few equally long spans before moved as much."""
    return move.usual_share is not None and move.usual_share <= MAX_UNUSUAL_SHARE


def _build_market(facts: InsightFacts, language: Language) -> Part | None:
    if not facts.moves:
        return None
    sentences = [_format_move(move, language) for move in facts.moves]
    if facts.realm == "sample":
        sentences.append(_fill(language, "sample_prices"))
    return _build_part("market", language, sentences, (facts.title, _build_market_basis(facts)))


def _build_market_basis(facts: InsightFacts) -> tuple[object, ...]:
    """Return the assets and the stage without prices, which change within a stage and carry their time."""
    return (facts.realm, facts.stage, [move.name for move in facts.moves])


def _format_move(move: Move, language: Language) -> str:
    sentences = [
        _fill(
            language,
            "price_move",
            name=move.name,
            before=format_price(move.before, language),
            after=format_price(move.after, language),
            change=format_percent(move.change),
            from_=f"{move.before_at:%Y-%m-%d %H:%M} UTC",
            to=f"{move.after_at:%Y-%m-%d %H:%M} UTC",
        )
    ]
    if move.market_change is not None:
        sentences.append(_fill(language, "market_move", change=format_percent(move.market_change)))
    if move.usual_share is not None:
        share = format_percent(move.usual_share * 100, signed=False)
        key = "unusual_move" if is_unusual(move) else "usual_move"
        sentences.append(_fill(language, key, name=move.name, share=share))
    return (" " if language == "en" else "").join(sentences)


def _build_earlier(facts: InsightFacts, language: Language, base_url: str) -> Part | None:
    if not facts.related:
        return None
    related_days = [(format_day(topic.published_at, language), topic.title) for topic in facts.related]
    sentences = [_fill(language, "earlier_topic", day=day, title=title) for day, title in related_days]
    links = [{related.title: f"{base_url}/topics/{related.id}?lang={language}"} for related in facts.related]
    return _build_part("before", language, sentences, related_days, separator="\n", links=links)


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
    return join_names(names[:MAX_NAMES], language) if names else ""


def _fill(language: Language, key: str, **values: str) -> str:
    return PHRASES[language][key].format(**values)
