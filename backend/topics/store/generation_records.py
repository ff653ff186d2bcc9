"""Stores the requests for model texts and their outcomes: one row for each topic, language and kind."""

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
"""``partly``: some of the text failed the check; ``dropped``: all of it failed. ``unusable``: the model
returned nothing to check. ``nothing``: there was nothing to write. ``same``: the inputs are unchanged; this
value is never stored."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row of ``written_texts``. For an insight, ``body`` holds prose by the digest of its facts."""

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


def load_records(connection: Connection, topic_ids: Collection[int]) -> dict[tuple[int, str, str], Record]:
    """Load the records of topics by topic, language and kind."""
    selected = sa.select(written_texts).where(written_texts.c.topic_id.in_(topic_ids))
    records = (_parse_record(row) for row in connection.execute(selected))
    return {(record.topic_id, record.language, record.kind): record for record in records}


def load_prose(database: Database, topic_id: int, language: Language) -> Prose:
    """Load the stored prose of an insight; empty where there is none."""
    selected = sa.select(written_texts.c.body, written_texts.c.model).where(
        written_texts.c.topic_id == topic_id,
        written_texts.c.language == language,
        written_texts.c.kind == "insight",
    )
    with database.read() as connection:
        row = connection.execute(selected).one_or_none()
    return Prose({}, "") if row is None else Prose(orjson.loads(row.body), row.model)


def store_record(connection: Connection, record: Record) -> None:
    """Store a record and replace the previous one."""
    row: dict[str, Any] = {column.name: getattr(record, column.name) for column in written_texts.columns}
    upsert(connection, written_texts, [{**row, "body": orjson.dumps(record.body).decode()}])


def confirm_record(connection: Connection, record: Record, as_of: datetime) -> None:
    """Mark a record as current: the topic changed, but the inputs of the model did not."""
    is_same_record = sa.and_(
        *(written_texts.c[name] == getattr(record, name) for name in ("topic_id", "language", "kind"))
    )
    connection.execute(sa.update(written_texts).where(is_same_record).values(as_of=as_of))


def delete_records(connection: Connection, topic_id: int) -> None:
    connection.execute(sa.delete(written_texts).where(written_texts.c.topic_id == topic_id))


def hash_text(text: TopicText) -> str:
    """Return a digest of the text that a translation depends on."""
    fields = [text.title, text.subtitle, text.summary, text.bullets]
    return hashlib.sha256(orjson.dumps(fields)).hexdigest()


def _parse_record(row: Row[Any]) -> Record:
    values = {column.name: getattr(row, column.name) for column in written_texts.columns}
    return Record(**{**values, "body": orjson.loads(row.body)})
