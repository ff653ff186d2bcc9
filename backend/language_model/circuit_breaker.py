"""Pauses calls to a language model that fails; all processes share the state in the store.

The pause doubles with each failure in a row, from one minute to ten. A server's Retry-After replaces it, up
to an hour. The first answer ends the failures.
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

INITIAL_BACKOFF = timedelta(minutes=1)
MAX_BACKOFF = timedelta(minutes=10)
MIN_RETRY_AFTER, MAX_RETRY_AFTER = timedelta(seconds=5), timedelta(hours=1)
"""Limits of the wait that a server may ask for."""
SUCCESS_STORE_INTERVAL = timedelta(minutes=1)
"""The time of the last answer is stored this often at most, to save writes."""


class EndpointState(NamedTuple):
    """``quiet_until`` ends the pause. ``problem`` completes "<model> ..." and contains no secret."""

    failures: int = 0
    failing_since: datetime | None = None
    quiet_until: datetime | None = None
    problem: str | None = None
    answered_at: datetime | None = None


def endpoint_id(base_url: str, name: str) -> str:
    """The stored key of a model at a URL: a digest of both."""
    return hashlib.sha256(f"{base_url}\n{name}".encode()).hexdigest()


def load_state(database: Database, endpoint: str) -> EndpointState:
    query = sa.select(model_conditions).where(model_conditions.c.endpoint == endpoint)
    with database.read() as connection:
        return _from_row(connection.execute(query).one_or_none())


def raise_if_paused(database: Database, endpoint: str, name: str, *, now: datetime) -> None:
    """Raise :class:`ModelFailed` during the pause after a failure."""
    until = load_state(database, endpoint).quiet_until
    if until is not None and now < until:
        raise ModelFailed(f"{name} failed a moment ago and is not asked for now.")


def record_failure(
    database: Database, endpoint: str, problem: str, *, retry_after: timedelta | None, now: datetime
) -> datetime:
    """Store a failure and return the end of the pause. ``problem`` must contain no secret."""
    state = load_state(database, endpoint)
    pause = min(INITIAL_BACKOFF * 2 ** min(state.failures, 10), MAX_BACKOFF)
    if retry_after is not None:
        pause = min(max(retry_after, MIN_RETRY_AFTER), MAX_RETRY_AFTER)
    until: datetime = now + pause
    row = {
        "endpoint": endpoint,
        "failures": state.failures + 1,
        "failing_since": state.failing_since or now,
        "quiet_until": until,
        "problem": problem,
        "answered_at": state.answered_at,
    }
    with database.write() as connection:
        upsert(connection, model_conditions, [row])
    return until


def record_success(database: Database, endpoint: str, name: str, *, now: datetime) -> None:
    """Store that the model answered, which ends its failures."""
    state = load_state(database, endpoint)
    is_recent = state.answered_at is not None and now - state.answered_at < SUCCESS_STORE_INTERVAL
    if is_recent and not state.failures:
        return
    row = {"endpoint": endpoint, **EndpointState(answered_at=now)._asdict()}
    with database.write() as connection:
        upsert(connection, model_conditions, [row])
    if state.failures:
        log.info("model_recovered", model=name, failures=state.failures)


def _from_row(row: Row[Any] | None) -> EndpointState:
    return (
        EndpointState()
        if row is None
        else EndpointState(*(getattr(row, name) for name in EndpointState._fields))
    )
