"""Collects the facts of an insight, which must state nothing else."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from backend.articles.engine import RuleSet
from backend.entities.mention import Mention
from backend.entities.model import Entity, Language
from backend.sources.authority import Authorities
from backend.sources.claims import actions
from backend.topics.feeds.article_sentences import list_sentences
from backend.topics.grouping.headline_features import find_title_mentions
from backend.topics.insights import (
    credits,
    earlier_topics,
    figures,
    market_moves,
    next_dates,
    statements,
)
from backend.topics.insights.model import InsightFacts, Move, Report, Source, SourcedSentence
from backend.topics.insights.reports import find_linked_owners, load_reports, select_in_language
from backend.topics.model import Realm, Topic

MAX_ASSETS = 3
MAX_MARKET_COINS = 400
"""Coins that stand for the market."""
MAX_SILENT = 2
MAX_CREDITS = 2
MAX_OFFICIAL_WORDS = 2
STAGES = (timedelta(hours=1), timedelta(hours=6), timedelta(hours=24))
"""Times after a topic at which its market section is written again."""
ANNIVERSARY = ":on-this-day:"
"""Part of the external id of a topic that is the anniversary of an archived event."""
MAX_LEADING_SHARE = 1 / 3
"""Share of a title within which its subject begins."""
MAX_VERB_CHARS = 16
_ENUMERATION = re.compile(r"\s*(?:,|&|、|，|・|や|と|和|与|與|及|,?\s*\band\b)\s*")
_AUTHORITIES = frozenset({"regulator", "court", "government"})
_AUTHORITY_NOUN: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?:[A-Z][\w.]+ ){0,2}(?:US|U\.S\.|UK|EU|court|judge|jury|prosecutors?|police|regulators?|watchdog"
        r"|authorities|lawmakers?|senators?|government|tribunal)\b|(?:US|U\.S\.|UK) ",
        re.IGNORECASE,
    ),
    "ja": re.compile(r".{0,8}(?:当局|裁判所|地裁|高裁|最高裁|検察|警察|警視庁|県警|政府|議会|国会)"),
    "zh": re.compile(
        r".{0,8}(?:当局|當局|法院|法官|检方|檢方|检察|檢察|警方|监管机构|監管機構|政府|议会|議會)"
    ),
}
"""A title that begins so tells of an act of an authority, even if the catalogue does not know it."""
_ORGANISATIONS = frozenset({"exchange", "company", "regulator", "organization"})


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
    is_report = topic.url.startswith(sources.base_url)
    event_at = _find_event_time(topic)
    printed = "\n".join([text.summary, *(bullet for group in text.bullets for bullet in group)])
    at = event_at or topic.published_at
    telling = [report for report in reports if not report.is_link]
    credited = [credits.find_credits(report, sources.rules, language) for report in telling]
    names = {report.source for report in telling}
    outside = dict.fromkeys(name for one in credited for name in one.names if name not in names)
    return InsightFacts(
        title=text.title,
        summary=printed,
        realm=topic.realm,
        is_report=is_report,
        sources=_find_sources(telling),
        credits=list(outside)[:MAX_CREDITS],
        is_relayed=bool(outside) or (bool(credited) and credited[0].is_relayed),
        differences=figures.find_differences(reports, language),
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
        shared_figure=figures.find_shared_figure(_select_independent(telling, credited), language),
        single_figure=_find_single_figure(own),
        linked=list(
            dict.fromkeys(report.source for report in reports if report.is_link and report.is_about_event)
        )[:MAX_SILENT],
        silent=[]
        if event_at
        else _find_silent(
            text.title,
            own,
            reports,
            find_linked_owners(connection, topic, sources.authorities),
            sources,
            language,
        ),
        denials=statements.find_statements(own, "denial", language, printed),
        no_comments=statements.find_statements(own, "no_comment", language, printed),
        unknowns=statements.find_statements(own, "unknown", language, printed),
        next_dates=next_dates.find_next_dates(own, language, max(topic.published_at, now).date(), printed),
        official_words=[] if event_at else _find_official_words(own),
        anniversary_of=event_at.date() if event_at else None,
    )


def _find_event_time(topic: Topic) -> datetime | None:
    """Return the time of the event whose anniversary the topic is; None for other topics."""
    if ANNIVERSARY not in (topic.external_id or ""):
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


def _find_single_figure(reports: Sequence[Report]) -> str:
    told = [report for report in reports if not report.is_link]
    return figures.find_main_figure(told[0]) if len(told) == 1 else ""


def _find_silent(
    title: str,
    own: Sequence[Report],
    reports: Sequence[Report],
    linked_owners: Collection[str],
    sources: FactSources,
    language: Language,
) -> list[str]:
    """Name the parties that have official pages, none of which is among the reports.

    Where an authority acts, its page is the one to miss: not that of the party that it fines or names.
    """
    owners = {*(report.owner for report in reports), *linked_owners}
    texts = [(title, language), *_list_leads(own)]
    if _AUTHORITY_NOUN[language].match(title):
        texts += _list_leads(reports)
    found = (_find_authority(text, sources, code) for text, code in texts)
    authority = next((entity for entity in found if entity is not None), None)
    if authority is None or authority.id in owners:
        is_unnamed = authority is None and _AUTHORITY_NOUN[language].match(title)
        parties = [] if is_unnamed else _list_parties(title, sources, language)
    else:
        parties = [authority]
    silent = [entity for entity in parties if entity.id not in owners and entity.official_domains]
    return [entity.name(language) for entity in silent][:MAX_SILENT]


def _list_leads(reports: Sequence[Report]) -> list[tuple[str, Language]]:
    """List the first sentence of each report that has one."""
    listed = ((list_sentences(report.text, report.language), report.language) for report in reports)
    return [(found[0].text, language) for found, language in listed if found]


def _find_authority(text: str, sources: FactSources, language: Language) -> Entity | None:
    """Return the regulator, court or ministry with which a text begins, as far as it is no object."""
    for mention in sorted(find_title_mentions(sources.rules, text), key=lambda mention: mention.start):
        entity = sources.entities.get(mention.entity_id)
        if entity is None or entity.type not in _ORGANISATIONS:
            continue
        is_first = mention.start <= MAX_LEADING_SHARE * len(text) and not text.startswith(
            ("'s ", "’s "), mention.end
        )
        is_authority = entity.type == "regulator" or entity.authority in _AUTHORITIES
        return entity if is_authority and is_first and not _is_object(text, mention, language) else None
    return None


def _list_parties(title: str, sources: FactSources, language: Language) -> list[Entity]:
    """List the organisation with which a title begins, the object of an act, and those enumerated with one.
    Others are often a place or an addressee."""
    parties: dict[str, Entity] = {}
    party_end = -1
    for mention in sorted(find_title_mentions(sources.rules, title), key=lambda mention: mention.start):
        entity = sources.entities.get(mention.entity_id)
        is_owner = title.startswith(("'s ", "’s "), mention.end)
        if entity is None or entity.type not in _ORGANISATIONS or is_owner:
            continue
        is_first = party_end < 0 and mention.start <= MAX_LEADING_SHARE * len(title)
        is_enumerated = party_end >= 0 and _ENUMERATION.fullmatch(title[party_end : mention.start])
        if is_first or is_enumerated or _is_object(title, mention, language):
            parties[entity.id] = entity
            party_end = mention.end
    return list(parties.values())


def _is_object(title: str, mention: Mention, language: Language) -> bool:
    """True if a mention follows its verb (sues Kraken, 起诉币安) or has the particle of an object."""
    if language == "ja":
        return title.startswith("を", mention.end)
    words_before = title[: mention.start].split()
    return bool(words_before) and bool(actions.find_actions(words_before[-1][-MAX_VERB_CHARS:], language))


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
