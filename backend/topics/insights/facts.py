"""The facts that an insight is written from; nothing else may be said in it."""

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

AROUND = timedelta(hours=24)
"""How far before and after a topic the market is looked at."""
MOST_ASSETS, MOST_RELATED, MOST_DIFFERENCES = 3, 3, 3
LOOKED_AT = 400
"""Earlier topics among which related ones are looked for."""
STAGES = (timedelta(hours=1), timedelta(hours=6), timedelta(hours=24))
"""When after a topic its market is written of anew."""
NEAREST = timedelta(hours=4)
"""A price that is older at an instant than this, and than one candle, says nothing of it."""


@dataclass(frozen=True, slots=True)
class Source:
    """Who tells it. ``official`` where it is not press, a post or a page of nobody known."""

    name: str
    url: str
    official: bool


@dataclass(frozen=True, slots=True)
class FigureSaid:
    """A figure as one source writes it."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Move:
    """An asset's price before the topic and a day after it, or as late as there is one. US dollars."""

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
    """Whether it was written from the service's own figures."""
    sources: Sequence[Source]
    """Of others."""
    differences: Sequence[tuple[FigureSaid, FigureSaid]]
    """Pairs of figures of one unit that two sources give differently."""
    moves: Sequence[Move]
    related: Sequence[Related]
    stage: int = 0
    """How much of the market around the topic is known: prose on it is written once a stage."""


def stage_of(published_at: datetime, now: datetime) -> int:
    """How many of the :data:`STAGES` of a topic are past."""
    return sum(1 for after in STAGES if published_at + after <= now)


def staged(published_at: datetime, now: datetime) -> datetime:
    """The end of the last stage that is past, or the topic's own instant."""
    stage = stage_of(published_at, now)
    return published_at + STAGES[stage - 1] if stage else published_at


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where the facts around a topic are looked up."""

    entities: Mapping[str, Entity]
    authorities: Authorities
    history_realm: str
    realms: Collection[Realm]
    base_url: str
    """The service's own address."""


def gather(
    connection: Connection, topic: Topic, language: Language, around: Surroundings, now: datetime
) -> InsightFacts:
    """What is known of ``topic`` and around it, for readers of ``language``, which it has text in."""
    return InsightFacts(
        topic.texts[language].title,
        topic.texts[language].summary,
        topic.realm,
        topic.url.startswith(around.base_url),
        _sources(topic, around),
        _differences(topic, language),
        _moves(connection, topic, language, around, now),
        _related(connection, topic, language, around),
        stage_of(topic.published_at, now),
    )


def _sources(topic: Topic, around: Surroundings) -> list[Source]:
    """Each host once, official ones first."""
    found: dict[str, Source] = {}
    about = set(topic.entities)
    for item in topic.media:
        if item.kind == "tweet" or item.url.startswith(around.base_url):
            continue
        authority = around.authorities.classify(item.url, about=about)
        owner = around.entities.get(authority.owner or "")
        name = owner.name("en") if owner else item.site_name or item.url.split("/")[2].removeprefix("www.")
        found.setdefault(name, Source(name, item.url, authority.is_official))
    return sorted(found.values(), key=lambda source: not source.official)


def _differences(topic: Topic, language: Language) -> list[tuple[FigureSaid, FigureSaid]]:
    """Figures in the titles and summaries of media that two sources give differently in one unit."""
    said: dict[str, list[tuple[Decimal, FigureSaid]]] = defaultdict(list)
    for item in topic.media:
        text = f"{item.title}. {item.summary}"
        name = item.site_name or item.url.split("/")[2].removeprefix("www.")
        for quantity in quantities.find(text, item.language or language):
            if quantity.unit is not None and quantity.value:
                said[quantity.unit].append((quantity.value, FigureSaid(quantity.text, name)))
    found = []
    for told in said.values():
        sources = {figure.source for _, figure in told}
        values = sorted({value for value, _ in told})
        if len(sources) < 2 or len(values) != 2 or len(told) != len(sources):
            continue  # several figures of a unit in one text are about several things
        low, high = (next(figure for value, figure in told if value == wanted) for wanted in values)
        found.append((low, high))
    return found[:MOST_DIFFERENCES]


def _moves(
    connection: Connection, topic: Topic, language: Language, around: Surroundings, now: datetime
) -> list[Move]:
    named = [around.entities[name] for name in topic.entities if name in around.entities]
    assets = [(entity.name(language), asset) for entity in named if (asset := entity.market_asset)]
    realm, at = around.history_realm, topic.published_at
    moves = (_move(connection, name, asset, at, realm, now) for name, asset in assets[:MOST_ASSETS])
    return [move for move in moves if move is not None]


def _move(
    connection: Connection, name: str, asset: str, at: datetime, realm: str, now: datetime
) -> Move | None:
    """From the last price before ``at`` to the last within a day of it, by the finest candles that tell both.

    A price is of the instant at which its candle ended.
    """
    for seconds in price_history.RESOLUTIONS:
        length = timedelta(seconds=seconds)
        reach = max(NEAREST, length)
        candles = price_history.candles_between(
            connection, realm, asset, seconds, at - length - reach, at + AROUND
        )
        ended = [(candle.open_time + length, candle.close) for candle in candles]
        before = [(end, price) for end, price in ended if at - reach <= end <= at and price]
        after = [(end, price) for end, price in ended if at < end <= min(now, at + AROUND)]
        if before and after:
            (before_at, first), (after_at, last) = before[-1], after[-1]
            return Move(name, first, last, before_at, after_at)
    return None


def _related(connection: Connection, topic: Topic, language: Language, around: Surroundings) -> list[Related]:
    """Earlier topics of the same entities, those that share most first, then the newest."""
    look = (
        sa.select(topics.c.id)
        .where(
            topics.c.realm.in_(sorted(around.realms)),
            topics.c.published_at < topic.published_at,
            topics.c.merged_into.is_(None),
            topics.c.id != topic.id,
        )
        .order_by(topics.c.published_at.desc(), topics.c.id.desc())
        .limit(LOOKED_AT)
    )
    earlier = topic_rows.read_topics(connection, connection.execute(look).scalars().all())
    shared = [
        (len(set(one.entities) & set(topic.entities)), one)
        for one in earlier
        if language in one.texts and (one.event is None or one.event != topic.event)
    ]
    best = sorted(
        (pair for pair in shared if pair[0]), key=lambda pair: (-pair[0], -pair[1].published_at.timestamp())
    )
    return [
        Related(one.id or 0, one.texts[language].title, one.published_at) for _, one in best[:MOST_RELATED]
    ]
