"""Deletes expired tokens, grants, sessions and sign-in attempts.

Deleted and expired tokens are refused in the same way. A deletion increments :data:`CHANGE_TOPIC`, and each
process forgets the tokens that it has in memory. So no deleted token works again where a clock was wrong.
"""

from datetime import datetime, timedelta

import sqlalchemy as sa

from backend.auth.oauth import login_throttle
from backend.auth.oauth.tables import grants, sign_in_sessions, tokens
from backend.store.database import Database, bump

CHANGE_TOPIC = "oauth_deletions"
"""The name of the change counter that deletions of tokens and grants increment."""
EXPIRED_ROW_RETENTION = timedelta(hours=1)
"""Rows are kept for this time after they expire, since the clocks of processes differ a little."""
BATCH_ROWS = 1000
"""Rows deleted in one transaction, during which other writers wait."""


def delete_expired(database: Database, now: datetime) -> dict[str, int]:
    """Delete expired tokens, grants, sign-in sessions and attempts; returns the number of each.

    A rotated refresh token is kept until it expires, so that its reuse is detected.
    """
    return {
        "tokens": _delete_expired_rows(database, tokens, tokens.c.digest, now),
        "grants": _delete_expired_rows(database, grants, grants.c.id, now),
        "sessions": _delete_expired_rows(database, sign_in_sessions, sign_in_sessions.c.id, now),
        "guesses": login_throttle.delete_expired(database, now),
    }


def _delete_expired_rows(database: Database, table: sa.Table, key: sa.Column[str], now: datetime) -> int:
    expired_keys = sa.select(key).where(table.c.expires_at < now - EXPIRED_ROW_RETENTION).limit(BATCH_ROWS)
    deleted = 0
    while True:
        with database.write() as connection:
            count = connection.execute(
                sa.delete(table).where(key.in_(expired_keys.scalar_subquery()))
            ).rowcount
            if count and table in (tokens, grants):
                bump(connection, CHANGE_TOPIC)
        deleted += count
        if count < BATCH_ROWS:
            return deleted
