"""What there is to word: the most important topics of two days first, each language and kind by itself."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.entities.model import LANGUAGES, Language
from backend.settings import TopicWords
from backend.topics.insights.facts import stage_of
from backend.topics.model import Realm
from backend.topics.store import generation_records
from backend.topics.store.generation_records import Kind, Record
from backend.topics.tables import topic_texts, topics

RECENT = timedelta(hours=48)
MOST_TOPICS = 100
"""The most important recent topics: what lies behind them keeps its templates."""
ASKED_AGAIN = timedelta(hours=3)
"""A model that gave nothing usable for a text is asked for it again, since it may have been the model."""


@dataclass(frozen=True, slots=True)
class Due:
    """``known`` is what came of it when it was last asked for, if it was. ``is_there`` tells of a translation
    that it stands in the topic."""

    topic_id: int
    language: Language
    kind: Kind
    updated_at: datetime
    stage: int
    known: Record | None
    is_there: bool


@dataclass(frozen=True, slots=True)
class _Recent:
    id: int
    published_at: datetime
    updated_at: datetime
    origins: Mapping[Language, str]


def due(
    connection: Connection,
    *,
    realms: Collection[Realm],
    own_address: str,
    words: Collection[TopicWords],
    asked_by: str,
    now: datetime,
) -> list[Due]:
    """What is not asked for yet, or has changed since, in the order in which it matters.

    Topics at ``own_address`` are reports of this service's own, in every language already.
    """
    recent = _recent(connection, realms, own_address, now)
    known = generation_records.load_records(connection, [one.id for one in recent])
    return [
        wanted
        for topic in recent
        for wanted in _of_topic(topic, words, known, now)
        if _is_due(wanted, asked_by, now)
    ]


def _of_topic(
    topic: _Recent,
    words: Collection[TopicWords],
    known: Mapping[tuple[int, str, str], Record],
    now: datetime,
) -> Iterator[Due]:
    stage = stage_of(topic.published_at, now)

    def one(language: Language, kind: Kind, stage: int, is_there: bool) -> Due:
        found = known.get((topic.id, language, kind))
        return Due(topic.id, language, kind, topic.updated_at, stage, found, is_there)

    if "translations" in words:
        for language in LANGUAGES:
            if topic.origins.get(language, "model") == "model":
                yield one(language, "translation", 0, language in topic.origins)
    if "insights" in words:
        yield from (one(language, "insight", stage, True) for language in topic.origins)


def _is_due(wanted: Due, asked_by: str, now: datetime) -> bool:
    known = wanted.known
    if known is None or known.asked_by != asked_by or known.as_of != wanted.updated_at:
        return True
    if known.outcome == "unusable":
        return now - known.made_at >= ASKED_AGAIN
    return known.stage != wanted.stage or (not wanted.is_there and known.outcome in ("written", "partly"))


def _recent(
    connection: Connection, realms: Collection[Realm], own_address: str, now: datetime
) -> Sequence[_Recent]:
    look = (
        sa.select(topics.c.id, topics.c.published_at, topics.c.updated_at)
        .where(
            topics.c.realm.in_(sorted(realms)),
            topics.c.published_at >= now - RECENT,
            topics.c.published_at <= now,
            topics.c.merged_into.is_(None),
            ~topics.c.url.startswith(f"{own_address}/", autoescape=True),
        )
        .order_by(
            topics.c.category,
            (topics.c.tweet_score + topics.c.media_score).desc(),
            topics.c.published_at.desc(),
            topics.c.id.desc(),
        )
        .limit(MOST_TOPICS)
    )
    found = connection.execute(look).all()
    texts = sa.select(topic_texts.c.topic_id, topic_texts.c.language, topic_texts.c.origin).where(
        topic_texts.c.topic_id.in_([row.id for row in found])
    )
    origins: dict[int, dict[Language, str]] = {}
    for row in connection.execute(texts):
        origins.setdefault(row.topic_id, {})[row.language] = row.origin
    return [_Recent(row.id, row.published_at, row.updated_at, origins.get(row.id, {})) for row in found]
