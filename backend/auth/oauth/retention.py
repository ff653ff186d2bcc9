"""Forgetting what expired. A token that is forgotten and one that expired are refused alike."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from backend.auth.oauth import login_throttle
from backend.auth.oauth.tables import grants, sign_in_sessions, tokens
from backend.store.database import Database

LINGER = timedelta(hours=1)
"""Behind its end a row is kept for so long: clocks of processes differ a little."""
BATCH = 1000
"""Rows in one transaction, for which other writers wait."""


def forget(database: Database, now: datetime) -> dict[str, int]:
    """Delete tokens, grants, sign-in sessions and attempts that are over; gives how many of each.

    A rotated refresh token stays to its end, so that its reuse is seen.
    """
    return {
        "tokens": _forget(database, tokens, tokens.c.digest, now),
        "grants": _forget(database, grants, grants.c.id, now),
        "sessions": _forget(database, sign_in_sessions, sign_in_sessions.c.id, now),
        "guesses": login_throttle.forget(database, now),
    }


def _forget(database: Database, table: sa.Table, key: sa.Column[str], now: datetime) -> int:
    over = sa.select(key).where(table.c.expires_at < now - LINGER).limit(BATCH)
    gone = 0
    while True:
        with database.write() as connection:
            count = connection.execute(sa.delete(table).where(key.in_(over.scalar_subquery()))).rowcount
        gone += count
        if count < BATCH:
            return gone
