"""Collects the facts of an insight, which must state nothing else."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from backend.articles.engine import RuleSet
from backend.entities.model import Entity, Language
from backend.sources.authority import Authorities
from backend.topics.feeds.article_sentences import list_sentences
from backend.topics.grouping.headline_features import find_title_mentions
from backend.topics.grouping.latest_reports import select_latest
from backend.topics.insights import (
    credits,
    earlier_topics,
    figures,
    market_moves,
    next_dates,
    statements,
)
from backend.topics.insights.further_points import find_points
from backend.topics.insights.model import InsightFacts, Move, Report, Source, SourcedSentence
from backend.topics.insights.named_agents import cites_official
from backend.topics.insights.originators import find_originators
from backend.topics.insights.reports import find_linked_owners, load_reports, select_in_language
from backend.topics.insights.silent_parties import find_silent_parties
from backend.topics.model import ANNIVERSARY_MARK, Realm, Topic

MAX_ASSETS = 3
MAX_MARKET_COINS = 400
"""Coins that stand for the market."""
MAX_SILENT = 2
MAX_CREDITS = 2
MAX_OFFICIAL_WORDS = 2
MAX_CREDIT_CHARS = 300
"""Characters of a report within which it says whose announcement it relays."""
STAGES = (timedelta(hours=1), timedelta(hours=6), timedelta(hours=24))
"""Times after a topic at which its market section is written again."""


def count_past_stages(published_at: datetime, now: datetime) -> int:
    """Count the :data:`STAGES` of a topic that are past."""
    return sum(1 for after in STAGES if published_at + after <= now)


def find_stage_end(published_at: datetime, now: datetime) -> datetime:
    """Return the end of the last past stage, or the topic's publication."""
    stage = count_past_stages(published_at, now)
    return published_at + STAGES[stage - 1] if stage else published_at


@dataclass(frozen=True, slots=True)
class FactSources:
    """The data in which facts about a topic are looked up."""

    rules: RuleSet
    authorities: Authorities
    history_realm: str
    realms: Collection[Realm]
    base_url: str
    """The URL of this service."""

    @property
    def entities(self) -> Mapping[str, Entity]:
        return self.rules.entities


def collect_facts(
    connection: Connection, topic: Topic, language: Language, sources: FactSources, now: datetime
) -> InsightFacts:
    """Collect the facts of ``topic`` in ``language``; the topic must have a text in it.

    An anniversary has the prices and the earlier topics of its event, never those of today.
    """
    text = topic.texts[language]
    reports = load_reports(
        connection, topic, language, sources.entities, sources.authorities, sources.base_url
    )
    own = select_in_language(reports, language)
    current, earlier = _split_current(own)
    is_report = topic.url.startswith(sources.base_url)
    event_at = _find_event_time(topic)
    shown_text = "\n".join([text.summary, *(bullet for group in text.bullets for bullet in group)])
    at = event_at or topic.published_at
    telling = [report for report in reports if not report.is_link]
    credited = [credits.find_credits(report, sources.rules, language) for report in telling]
    names = {report.source for report in telling}
    read = f"{text.title}\n{shown_text}"
    latest, _ = _split_current(telling)
    shared = figures.find_shared_figure(
        [report for report in _select_independent(telling, credited) if report in latest], language
    )
    outside = dict.fromkeys(name for one in credited for name in one.names if name not in names)
    facts = InsightFacts(
        title=text.title,
        summary=shown_text,
        realm=topic.realm,
        is_report=is_report,
        sources=_find_sources(telling),
        credits=list(outside)[:MAX_CREDITS],
        credits_by_source=_find_differing_credits(telling, credited),
        is_relayed=bool(outside) or (bool(credited) and credited[0].is_relayed),
        differences=figures.find_differences(_split_current(reports)[0], language),
        moves=_find_moves(connection, topic, language, sources, at, now),
        related=[]
        if is_report
        else earlier_topics.find_earlier(
            connection,
            topic,
            language,
            own,
            sources.rules,
            sources.realms,
            sources.base_url,
            before=at,
        ),
        stage=count_past_stages(topic.published_at, now),
        shared_figure=None
        if shared is None or figures.is_figure_shown(shared.text, read, language)
        else shared,
        linked=list(
            dict.fromkeys(report.source for report in reports if report.is_link and report.is_about_event)
        )[:MAX_SILENT],
        silent=[]
        if event_at
        else find_silent_parties(
            text.title,
            own,
            reports,
            find_linked_owners(connection, topic, sources.authorities),
            sources.rules,
            language,
        ),
        cites_official=bool(own) and cites_official(own[0].text[:MAX_CREDIT_CHARS], language),
        originators=find_originators(own[0], sources.rules) if len(telling) == len(own) == 1 else [],
        replies=_find_replies(current, text.title, sources.rules, language, shown_text),
        denials=statements.find_statements(current, "denial", language, shown_text),
        no_comments=statements.find_statements(current, "no_comment", language, shown_text),
        unknowns=statements.find_open_questions(current, language, read),
        next_dates=next_dates.find_next_dates(
            current, language, max(topic.published_at, now).date(), shown_text, earlier
        ),
        official_words=[] if event_at else _find_official_words(own),
        anniversary_of=event_at.date() if event_at else None,
    )
    if event_at or is_report:
        return facts
    groups = (facts.replies, facts.denials, facts.no_comments, facts.unknowns, facts.official_words)
    told = [one.text for group in groups for one in group] + [due.text for due in facts.next_dates]
    return replace(facts, points=find_points(current, language, text.title, shown_text, told))


def _split_current(reports: Sequence[Report]) -> tuple[list[Report], list[Report]]:
    """Split reports into those that tell the latest state, with the official ones, and those overtaken."""
    latest = select_latest([report for report in reports if not report.is_link])
    current = [report for report in reports if report in latest or report.official or report.is_link]
    return current, [report for report in reports if report not in current]


def _find_event_time(topic: Topic) -> datetime | None:
    """Return the time of the event whose anniversary the topic is; None for other topics."""
    if ANNIVERSARY_MARK not in (topic.external_id or ""):
        return None
    times = [item.published_at for item in topic.media if item.published_at is not None]
    return min(times, default=None)


def _find_sources(reports: Sequence[Report]) -> list[Source]:
    """List the publishers, each once, official ones first, then in order of time."""
    sources_by_name: dict[str, Source] = {}
    for report in reports:
        published_at = report.published_at if report.is_dated else None
        source = Source(report.source, report.url, report.official, published_at)
        sources_by_name.setdefault(report.source, source)
    return sorted(sources_by_name.values(), key=lambda source: not source.official)


def _find_differing_credits(
    reports: Sequence[Report], credited: Sequence[credits.Credits]
) -> Mapping[str, Sequence[str]]:
    """Return the outlets that each source credits and that are none of the sources; nothing if all sources
    credit the same ones."""
    by_source: dict[str, dict[str, None]] = {report.source: {} for report in reports}
    for report, one in zip(reports, credited, strict=True):
        by_source[report.source].update(dict.fromkeys(name for name in one.names if name not in by_source))
    if len({frozenset(names) for names in by_source.values()}) <= 1:
        return {}
    return {source: list(names)[:MAX_CREDITS] for source, names in by_source.items() if names}


def _select_independent(reports: Sequence[Report], credited: Sequence[credits.Credits]) -> list[Report]:
    """Leave out the reports that relay another of ``reports``, or the same outlet as one before them."""
    origins = {report.source for report in reports}
    selected: list[Report] = []
    for report, one in zip(reports, credited, strict=True):
        is_copy = one.is_relayed and not one.names and bool(selected)
        if origins.isdisjoint(one.names) and not is_copy:
            selected.append(report)
            origins.update(one.names)
    return selected


def _find_replies(
    own: Sequence[Report], title: str, rules: RuleSet, language: Language, shown_text: str
) -> list[SourcedSentence]:
    """Find the sentences in which a party of the title gives its own statement."""
    names = {title[mention.start : mention.end] for mention in find_title_mentions(rules, title)}
    found = statements.find_statements(own, "reply", language, shown_text)
    return [one for one in found if any(name in one.text for name in names)]


def _find_official_words(reports: Sequence[Report]) -> list[SourcedSentence]:
    """Quote the first sentence, or else the title, of official reports."""
    words = []
    for report in reports:
        if not report.official or report.is_link:
            continue
        quotable = list_sentences(report.text, report.language, is_official=True)
        text = quotable[0].text if quotable else report.title
        if text:
            words.append(SourcedSentence(text, report.source))
    return words[:MAX_OFFICIAL_WORDS]


def _find_moves(
    connection: Connection,
    topic: Topic,
    language: Language,
    sources: FactSources,
    at: datetime,
    now: datetime,
) -> list[Move]:
    named_entities = [sources.entities[name] for name in topic.entities if name in sources.entities]
    assets = [(entity.name(language), asset) for entity in named_entities if (asset := entity.market_asset)]
    coins = [
        asset
        for entity in sources.entities.values()
        if entity.type == "asset" and (asset := entity.market_asset) is not None
    ]
    moves = []
    for name, asset in assets[:MAX_ASSETS]:
        others = [coin for coin in coins if coin != asset][:MAX_MARKET_COINS]
        move = market_moves.find_move(connection, name, asset, others, at, sources.history_realm, now)
        if move is not None:
            moves.append(move)
    return moves
