"""Collects the facts of an insight, which must state nothing else."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.entities.model import Entity, Language
from backend.markets.candles import price_history
from backend.sources.authority import Authorities
from backend.sources.claims import quantities
from backend.topics.model import Realm, Topic
from backend.topics.store import topic_rows
from backend.topics.tables import topics

MARKET_WINDOW = timedelta(hours=24)
"""Time before and after a topic for which the market is examined."""
MAX_ASSETS, MAX_RELATED, MAX_DIFFERENCES = 3, 3, 3
MAX_SEARCHED_TOPICS = 400
"""Earlier topics that are searched for related ones."""
STAGES = (timedelta(hours=1), timedelta(hours=6), timedelta(hours=24))
"""Times after a topic at which its market section is written again."""
MAX_PRICE_AGE = timedelta(hours=4)
"""Maximum age of a price at a point in time; for longer candles one candle."""


@dataclass(frozen=True, slots=True)
class Source:
    """A publisher of the topic. ``official`` is False for press, posts and pages of unknown owners."""

    name: str
    url: str
    official: bool


@dataclass(frozen=True, slots=True)
class SourcedFigure:
    """A figure in the notation of one source."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Move:
    """An asset's price in US dollars before the topic and a day after it, or the latest within that day."""

    name: str
    before: Decimal
    after: Decimal
    before_at: datetime
    after_at: datetime

    @property
    def change(self) -> Decimal:
        """Percent."""
        return (self.after / self.before - 1) * 100


@dataclass(frozen=True, slots=True)
class Related:
    id: int
    title: str
    published_at: datetime


@dataclass(frozen=True, slots=True)
class InsightFacts:
    title: str
    summary: str
    realm: Realm
    is_report: bool
    """True if the topic is a report of this service on its own figures."""
    sources: Sequence[Source]
    """Other publishers than this service."""
    differences: Sequence[tuple[SourcedFigure, SourcedFigure]]
    """Pairs of different figures of one unit from two sources."""
    moves: Sequence[Move]
    related: Sequence[Related]
    stage: int = 0
    """The number of past :data:`STAGES`: prose on the market is written once for each stage."""


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

    entities: Mapping[str, Entity]
    authorities: Authorities
    history_realm: str
    realms: Collection[Realm]
    base_url: str
    """The URL of this service."""


def collect_facts(
    connection: Connection, topic: Topic, language: Language, sources: FactSources, now: datetime
) -> InsightFacts:
    """Collect the facts of ``topic`` in ``language``; the topic must have a text in it."""
    return InsightFacts(
        topic.texts[language].title,
        topic.texts[language].summary,
        topic.realm,
        topic.url.startswith(sources.base_url),
        _find_sources(topic, sources),
        _find_differences(topic, language),
        _find_moves(connection, topic, language, sources, now),
        _find_related(connection, topic, language, sources),
        count_past_stages(topic.published_at, now),
    )


def _find_sources(topic: Topic, sources: FactSources) -> list[Source]:
    """List the publishers, each host once, official ones first."""
    found: dict[str, Source] = {}
    about = set(topic.entities)
    for item in topic.media:
        if item.kind == "tweet" or item.url.startswith(sources.base_url):
            continue
        authority = sources.authorities.classify(item.url, about=about)
        owner = sources.entities.get(authority.owner or "")
        name = owner.name("en") if owner else item.site_name or item.url.split("/")[2].removeprefix("www.")
        found.setdefault(name, Source(name, item.url, authority.is_official))
    return sorted(found.values(), key=lambda source: not source.official)


def _find_differences(topic: Topic, language: Language) -> list[tuple[SourcedFigure, SourcedFigure]]:
    """Find figures of one unit in media titles and summaries that differ between two sources."""
    by_unit: dict[str, list[tuple[Decimal, SourcedFigure]]] = defaultdict(list)
    for item in topic.media:
        text = f"{item.title}. {item.summary}"
        name = item.site_name or item.url.split("/")[2].removeprefix("www.")
        for quantity in quantities.find(text, item.language or language):
            if quantity.unit is not None and quantity.value:
                by_unit[quantity.unit].append((quantity.value, SourcedFigure(quantity.text, name)))
    found = []
    for figures in by_unit.values():
        sources = {figure.source for _, figure in figures}
        values = sorted({value for value, _ in figures})
        if len(sources) < 2 or len(values) != 2 or len(figures) != len(sources):
            continue  # several figures of one unit in one text describe different things
        low, high = (next(figure for value, figure in figures if value == wanted) for wanted in values)
        found.append((low, high))
    return found[:MAX_DIFFERENCES]


def _find_moves(
    connection: Connection, topic: Topic, language: Language, sources: FactSources, now: datetime
) -> list[Move]:
    named = [sources.entities[name] for name in topic.entities if name in sources.entities]
    assets = [(entity.name(language), asset) for entity in named if (asset := entity.market_asset)]
    realm, at = sources.history_realm, topic.published_at
    moves = (_find_move(connection, name, asset, at, realm, now) for name, asset in assets[:MAX_ASSETS])
    return [move for move in moves if move is not None]


def _find_move(
    connection: Connection, name: str, asset: str, at: datetime, realm: str, now: datetime
) -> Move | None:
    """Compute the move from the last price before ``at`` to the last within a day after it.

    The finest candles that contain both prices are used. A price has the time at which its candle ended.
    """
    for seconds in price_history.RESOLUTIONS_SECONDS:
        length = timedelta(seconds=seconds)
        reach = max(MAX_PRICE_AGE, length)
        candles = price_history.load_candles(
            connection, realm, asset, seconds, at - length - reach, at + MARKET_WINDOW
        )
        ended = [(candle.open_time + length, candle.close) for candle in candles]
        before = [(end, price) for end, price in ended if at - reach <= end <= at and price]
        after = [(end, price) for end, price in ended if at < end <= min(now, at + MARKET_WINDOW)]
        if before and after:
            (before_at, first), (after_at, last) = before[-1], after[-1]
            return Move(name, first, last, before_at, after_at)
    return None


def _find_related(
    connection: Connection, topic: Topic, language: Language, sources: FactSources
) -> list[Related]:
    """Find earlier topics with the same entities: most shared entities first, then the newest."""
    selected = (
        sa.select(topics.c.id)
        .where(
            topics.c.realm.in_(sorted(sources.realms)),
            topics.c.published_at < topic.published_at,
            topics.c.merged_into.is_(None),
            topics.c.id != topic.id,
        )
        .order_by(topics.c.published_at.desc(), topics.c.id.desc())
        .limit(MAX_SEARCHED_TOPICS)
    )
    earlier = topic_rows.read_topics(connection, connection.execute(selected).scalars().all())
    shared = [
        (len(set(one.entities) & set(topic.entities)), one)
        for one in earlier
        if language in one.texts and (one.event is None or one.event != topic.event)
    ]
    best = sorted(
        (pair for pair in shared if pair[0]), key=lambda pair: (-pair[0], -pair[1].published_at.timestamp())
    )
    return [
        Related(one.id or 0, one.texts[language].title, one.published_at) for _, one in best[:MAX_RELATED]
    ]
