"""Answers from outside that are kept for a while: searches, pages, language models, and failures of each.

They are shared by all processes on one store and cost nothing when asked for again.
"""

import hashlib
from datetime import datetime, timedelta
from typing import Literal

import orjson
import sqlalchemy as sa

from backend.store.database import Database, UtcTime, metadata, upsert

Kind = Literal["search", "page", "model"]

kept_answers = sa.Table(
    "kept_answers",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("stored_at", UtcTime, nullable=False),
    sa.Column("expires_at", UtcTime, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Index(None, "expires_at"),
)
"""By a digest of the question; ``body`` is JSON."""


def key_of(kind: Kind, *question: object) -> str:
    """The key of a question, whose parts are plain JSON data in a fixed order."""
    return hashlib.sha256(orjson.dumps([kind, *question], option=orjson.OPT_SORT_KEYS)).hexdigest()


def find(database: Database, key: str, *, now: datetime) -> object | None:
    """The body kept under ``key``, unless it has expired."""
    wanted = sa.select(kept_answers.c.body).where(kept_answers.c.key == key, kept_answers.c.expires_at > now)
    with database.read() as connection:
        body = connection.execute(wanted).scalar_one_or_none()
    return None if body is None else orjson.loads(body)


def keep(
    database: Database, key: str, kind: Kind, body: object, *, keep_for: timedelta, now: datetime
) -> None:
    """Keep ``body``, plain JSON data, under ``key`` in place of what was there."""
    row = {
        "key": key,
        "kind": kind,
        "stored_at": now,
        "expires_at": now + keep_for,
        "body": orjson.dumps(body).decode(),
    }
    with database.write() as connection:
        upsert(connection, kept_answers, [row])


def forget(database: Database, *, now: datetime) -> int:
    """Delete what has expired; gives how many."""
    with database.write() as connection:
        return connection.execute(sa.delete(kept_answers).where(kept_answers.c.expires_at <= now)).rowcount
