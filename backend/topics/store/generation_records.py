"""What a model was asked to word, and what came of it: one row for each topic, language and kind."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.entities.model import Language
from backend.store.database import Database, upsert
from backend.topics.model import TopicText
from backend.topics.tables import written_texts

Kind = Literal["insight", "translation"]
Outcome = Literal["written", "partly", "dropped", "unusable", "nothing", "same"]
"""``partly``: some of it failed the check, ``dropped``: all of it did. ``unusable``: the model gave nothing
to check. ``nothing``: there was nothing to word. ``same``: it would be what is stored; itself never is."""


@dataclass(frozen=True, slots=True)
class Record:
    """See the table. ``body`` is, of an insight, prose by the digest of the facts behind it."""

    topic_id: int
    language: Language
    kind: Kind
    outcome: Outcome
    model: str
    asked_by: str
    inputs: str
    as_of: datetime
    made_at: datetime
    reason: str = ""
    stage: int = 0
    from_language: Language | None = None
    body: Mapping[str, str] = field(default_factory=dict)


class Prose(NamedTuple):
    by_basis: Mapping[str, str]
    model: str


def of_topics(connection: Connection, topic_ids: Collection[int]) -> dict[tuple[int, str, str], Record]:
    """By topic, language and kind."""
    look = sa.select(written_texts).where(written_texts.c.topic_id.in_(topic_ids))
    found = (_record(row) for row in connection.execute(look))
    return {(one.topic_id, one.language, one.kind): one for one in found}


def prose(database: Database, topic_id: int, language: Language) -> Prose:
    """What is kept for an insight; empty where there is none."""
    look = sa.select(written_texts.c.body, written_texts.c.model).where(
        written_texts.c.topic_id == topic_id,
        written_texts.c.language == language,
        written_texts.c.kind == "insight",
    )
    with database.read() as connection:
        row = connection.execute(look).one_or_none()
    return Prose({}, "") if row is None else Prose(orjson.loads(row.body), row.model)


def write(connection: Connection, record: Record) -> None:
    """Store a record in place of the one before."""
    row: dict[str, Any] = {column.name: getattr(record, column.name) for column in written_texts.columns}
    upsert(connection, written_texts, [{**row, "body": orjson.dumps(record.body).decode()}])


def touch(connection: Connection, record: Record, as_of: datetime) -> None:
    """The topic changed, and what was asked of it would be the same."""
    same = sa.and_(
        *(written_texts.c[name] == getattr(record, name) for name in ("topic_id", "language", "kind"))
    )
    connection.execute(sa.update(written_texts).where(same).values(as_of=as_of))


def forget(connection: Connection, topic_id: int) -> None:
    connection.execute(sa.delete(written_texts).where(written_texts.c.topic_id == topic_id))


def digest_of(text: TopicText) -> str:
    """What a translation of ``text`` depends on."""
    told = [text.title, text.subtitle, text.summary, text.bullets]
    return hashlib.sha256(orjson.dumps(told)).hexdigest()


def _record(row: Row[Any]) -> Record:
    told = {column.name: getattr(row, column.name) for column in written_texts.columns}
    return Record(**{**told, "body": orjson.loads(row.body)})
