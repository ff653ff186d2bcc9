"""Lists the texts that a model should write, by language and kind, the most important topics first."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.entities.model import LANGUAGES, Language
from backend.settings import TopicWords
from backend.topics.insights.facts import count_past_stages
from backend.topics.model import Realm
from backend.topics.store import generation_records
from backend.topics.store.generation_records import Kind, Record
from backend.topics.tables import topic_texts, topics

RECENT_WINDOW = timedelta(hours=48)
MAX_TOPICS = 100
"""Only this many of the most important recent topics get model texts; the others keep their templates."""
RETRY_UNUSABLE_AFTER = timedelta(hours=3)
"""A text without a usable response is requested again after this time, because the model may have failed."""


@dataclass(frozen=True, slots=True)
class DueText:
    """A text that may be requested. ``known`` is the record of the last request, if any. ``is_there`` is True
    if the topic already has the translation."""

    topic_id: int
    language: Language
    kind: Kind
    updated_at: datetime
    stage: int
    record: Record | None
    exists: bool


@dataclass(frozen=True, slots=True)
class _RecentTopic:
    id: int
    published_at: datetime
    updated_at: datetime
    origins: Mapping[Language, str]


def list_due_texts(
    connection: Connection,
    *,
    realms: Collection[Realm],
    own_address: str,
    kinds: Collection[TopicWords],
    asked_by: str,
    now: datetime,
) -> list[DueText]:
    """List the texts that were never requested or have changed since, the most important first.

    Topics under ``own_address`` are reports of this service, which exist in every language.
    """
    recent = _load_recent(connection, realms, own_address, now)
    records = generation_records.load_records(connection, [topic.id for topic in recent])
    return [
        text
        for topic in recent
        for text in _list_texts(topic, kinds, records, now)
        if _is_due(text, asked_by, now)
    ]


def _list_texts(
    topic: _RecentTopic,
    kinds: Collection[TopicWords],
    records: Mapping[tuple[int, str, str], Record],
    now: datetime,
) -> Iterator[DueText]:
    stage = count_past_stages(topic.published_at, now)

    def build_due(language: Language, kind: Kind, stage: int, exists: bool) -> DueText:
        record = records.get((topic.id, language, kind))
        return DueText(topic.id, language, kind, topic.updated_at, stage, record, exists)

    if "translations" in kinds:
        for language in LANGUAGES:
            if topic.origins.get(language, "model") == "model":
                yield build_due(language, "translation", 0, language in topic.origins)
    if "insights" in kinds:
        yield from (build_due(language, "insight", stage, True) for language in topic.origins)


def _is_due(text: DueText, asked_by: str, now: datetime) -> bool:
    record = text.record
    if record is None or record.asked_by != asked_by or record.as_of != text.updated_at:
        return True
    if record.outcome == "unusable":
        return now - record.made_at >= RETRY_UNUSABLE_AFTER
    return record.stage != text.stage or (not text.exists and record.outcome in ("written", "partly"))


def _load_recent(
    connection: Connection, realms: Collection[Realm], own_address: str, now: datetime
) -> Sequence[_RecentTopic]:
    selected = (
        sa.select(topics.c.id, topics.c.published_at, topics.c.updated_at)
        .where(
            topics.c.realm.in_(sorted(realms)),
            topics.c.published_at >= now - RECENT_WINDOW,
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
        .limit(MAX_TOPICS)
    )
    due_rows = connection.execute(selected).all()
    texts = sa.select(topic_texts.c.topic_id, topic_texts.c.language, topic_texts.c.origin).where(
        topic_texts.c.topic_id.in_([row.id for row in due_rows])
    )
    origins: dict[int, dict[Language, str]] = {}
    for row in connection.execute(texts):
        origins.setdefault(row.topic_id, {})[row.language] = row.origin
    return [
        _RecentTopic(row.id, row.published_at, row.updated_at, origins.get(row.id, {})) for row in due_rows
    ]
