"""Insights as they are stored: one for each topic and language, with a digest of what it was written from."""

from datetime import datetime
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.db import Database, upsert
from backend.entities.model import Language
from backend.topics.tables import insights


class StoredInsight(NamedTuple):
    """``body`` is the interface's AI insight answer; ``inputs`` the digest of the facts behind it."""

    body: dict[str, Any]
    inputs: str
    made_at: datetime


def read(database: Database, topic_id: int, language: Language) -> StoredInsight | None:
    look = sa.select(insights.c.body, insights.c.inputs, insights.c.made_at).where(
        insights.c.topic_id == topic_id, insights.c.language == language
    )
    with database.read() as connection:
        row = connection.execute(look).one_or_none()
    return None if row is None else StoredInsight(orjson.loads(row.body), row.inputs, row.made_at)


def write(
    connection: Connection,
    topic_id: int,
    language: Language,
    body: dict[str, Any],
    *,
    inputs: str,
    now: datetime,
) -> None:
    """Store an insight in place of the one before."""
    row = {
        "topic_id": topic_id,
        "language": language,
        "inputs": inputs,
        "made_at": now,
        "body": orjson.dumps(body).decode(),
    }
    upsert(connection, insights, [row])
