"""Caches responses of search engines, web pages and language models, and their failures, in the store.

All processes on one store share the cache, so that a repeated request costs nothing.
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
"""Cached responses by digest of the request; ``body`` is JSON."""


def key_of(kind: Kind, *request: object) -> str:
    """Build the key of a request. Its parts are plain JSON data in a fixed order."""
    return hashlib.sha256(orjson.dumps([kind, *request], option=orjson.OPT_SORT_KEYS)).hexdigest()


def find(database: Database, key: str, *, now: datetime) -> object | None:
    """Return the body cached under ``key``, or None if there is none or it has expired."""
    query = sa.select(kept_answers.c.body).where(kept_answers.c.key == key, kept_answers.c.expires_at > now)
    with database.read() as connection:
        body = connection.execute(query).scalar_one_or_none()
    return None if body is None else orjson.loads(body)


def keep(
    database: Database, key: str, kind: Kind, body: object, *, keep_for: timedelta, now: datetime
) -> None:
    """Store ``body``, plain JSON data, under ``key``; replaces an older one."""
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
    """Delete expired responses and return their number."""
    with database.write() as connection:
        return connection.execute(sa.delete(kept_answers).where(kept_answers.c.expires_at <= now)).rowcount
