"""How a model is doing, known to all processes: one that fails is left alone for a while.

The pause doubles with each failure in a row, from one minute to ten; a server that says when to come back
(Retry-After) is taken at its word, up to an hour. The first answer ends it.
"""

import hashlib
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Row

from backend.language_model.errors import ModelFailed
from backend.language_model.tables import model_conditions
from backend.store.database import Database, upsert

log = structlog.get_logger(__name__)

FIRST_QUIET = timedelta(minutes=1)
QUIET_FOR = timedelta(minutes=10)
"""A model that goes on failing is asked again so often."""
SHORTEST, LONGEST = timedelta(seconds=5), timedelta(hours=1)
"""Bounds of what a server may ask for."""
NOTED_EVERY = timedelta(minutes=1)
"""How exactly the last answer's instant is stored."""


class Condition(NamedTuple):
    failures: int = 0
    failing_since: datetime | None = None
    quiet_until: datetime | None = None
    problem: str | None = None
    answered_at: datetime | None = None


def endpoint_of(base_url: str, name: str) -> str:
    return hashlib.sha256(f"{base_url}\n{name}".encode()).hexdigest()


def read(database: Database, endpoint: str) -> Condition:
    look = sa.select(model_conditions).where(model_conditions.c.endpoint == endpoint)
    with database.read() as connection:
        return _read(connection.execute(look).one_or_none())


def refuse_while_quiet(database: Database, endpoint: str, name: str, *, now: datetime) -> None:
    """Raise :class:`ModelFailed` while a model that failed is left alone."""
    until = read(database, endpoint).quiet_until
    if until is not None and now < until:
        raise ModelFailed(f"{name} failed a moment ago and is not asked for now.")


def failed(
    database: Database, endpoint: str, problem: str, *, retry_after: timedelta | None, now: datetime
) -> datetime:
    """Put a failure down; gives until when the model is left alone. ``problem`` holds no secret."""
    known = read(database, endpoint)
    pause = min(FIRST_QUIET * 2 ** min(known.failures, 10), QUIET_FOR)
    if retry_after is not None:
        pause = min(max(retry_after, SHORTEST), LONGEST)
    until: datetime = now + pause
    row = {
        "endpoint": endpoint,
        "failures": known.failures + 1,
        "failing_since": known.failing_since or now,
        "quiet_until": until,
        "problem": problem,
        "answered_at": known.answered_at,
    }
    with database.write() as connection:
        upsert(connection, model_conditions, [row])
    return until


def answered(database: Database, endpoint: str, name: str, *, now: datetime) -> None:
    """The model answers, or answers again."""
    known = read(database, endpoint)
    fresh = known.answered_at is not None and now - known.answered_at < NOTED_EVERY
    if fresh and not known.failures:
        return
    row = {"endpoint": endpoint, **Condition(answered_at=now)._asdict()}
    with database.write() as connection:
        upsert(connection, model_conditions, [row])
    if known.failures:
        log.info("model_answers_again", model=name, failures=known.failures)


def _read(row: Row[Any] | None) -> Condition:
    return Condition() if row is None else Condition(*(getattr(row, name) for name in Condition._fields))
