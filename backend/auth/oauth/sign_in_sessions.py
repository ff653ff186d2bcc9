"""Stores which browsers stay signed in at the sign-in page, so that the dashboard need not ask again.

The browser has a random secret in a cookie; the store has its SHA-256 digest. Only first-party applications
(the dashboard) use a session: every other application asks for the password each time.
"""

import secrets
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.auth.api_keys import format_rfc3339
from backend.auth.oauth.tables import accounts, sign_in_sessions
from backend.auth.oauth.token_format import digest

IDLE_SESSION_LIFETIME = timedelta(hours=13)
"""From the last use: 12 hours without a page, and the hour of an access token, whose uses do not count."""
MAX_SESSION_LIFETIME = timedelta(days=30)
"""From the moment when the password was typed."""
BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
"""What a ``User-Agent`` names, to what people call it; Edge and Opera also name Chrome, and Chrome Safari."""
SYSTEMS = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Macintosh": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


@dataclass(frozen=True, slots=True)
class SignInSession:
    """A browser that stays signed in. ``last_used_at`` is the last sign-in or token refresh."""

    id: str
    username: str
    browser: str
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "username": self.username,
            "browser": self.browser,
            "created_at": format_rfc3339(self.created_at),
            "last_used_at": format_rfc3339(self.last_used_at),
            "expires_at": format_rfc3339(self.expires_at),
        }


def start(connection: Connection, account_id: str, *, user_agent: str, now: datetime) -> tuple[str, str]:
    """Start a session; returns its id and its secret, which is not stored."""
    secret, session_id = secrets.token_urlsafe(32), str(uuid.uuid4())
    row = {"id": session_id, "account_id": account_id, "browser": name_browser(user_agent)}
    connection.execute(sa.insert(sign_in_sessions).values(row | _build_renewed_values(secret, now)))
    return session_id, secret


def renew(connection: Connection, session_id: str, now: datetime) -> str:
    """Give the session a new secret and a whole life, for somebody who typed the password again."""
    secret = secrets.token_urlsafe(32)
    is_this_session = sign_in_sessions.c.id == session_id
    connection.execute(
        sa.update(sign_in_sessions).where(is_this_session).values(_build_renewed_values(secret, now))
    )
    return secret


def find(connection: Connection, secret: str, now: datetime) -> sa.Row[Any] | None:
    """The session of this secret, unless it is over."""
    query = sa.select(sign_in_sessions).where(
        sign_in_sessions.c.digest == digest(secret), sign_in_sessions.c.expires_at > now
    )
    return connection.execute(query).one_or_none()


def lock(connection: Connection, session_id: str, now: datetime) -> sa.Row[Any] | None:
    """The session, unless it is over; it does not end before the transaction does.

    Locks are taken in one order, so that none waits for another in a circle: account, application, session,
    grant.
    """
    query = sa.select(sign_in_sessions).where(
        sign_in_sessions.c.id == session_id, sign_in_sessions.c.expires_at > now
    )
    return connection.execute(query.with_for_update()).one_or_none()


def touch(connection: Connection, session: sa.Row[Any], now: datetime) -> None:
    """Record that the session is used now, which prolongs it up to :data:`MAX_SESSION_LIFETIME`."""
    values = {
        "last_used_at": now,
        "expires_at": min(now + IDLE_SESSION_LIFETIME, session.created_at + MAX_SESSION_LIFETIME),
    }
    connection.execute(sa.update(sign_in_sessions).where(sign_in_sessions.c.id == session.id).values(values))


def delete(connection: Connection, condition: sa.ColumnElement[bool]) -> list[str]:
    """Delete sessions; returns their ids. The caller revokes what was granted in them."""
    statement = sa.delete(sign_in_sessions).where(condition).returning(sign_in_sessions.c.id)
    return list(connection.execute(statement).scalars())


def list_active(
    connection: Connection, now: datetime, account_id: str | None = None
) -> Iterator[SignInSession]:
    """Sessions that are not over, by name and then oldest first: of one account, or of all."""
    columns = [sign_in_sessions.c[name] for name in SignInSession.__slots__ if name != "username"]
    query = sa.select(accounts.c.username, *columns).join(accounts).where(sign_in_sessions.c.expires_at > now)
    if account_id is not None:
        query = query.where(sign_in_sessions.c.account_id == account_id)
    order = (accounts.c.username_key, sign_in_sessions.c.created_at, sign_in_sessions.c.id)
    for row in connection.execute(query.order_by(*order)):
        yield SignInSession(**row._mapping)


def name_browser(user_agent: str) -> str:
    """A name that its owner recognises, such as ``Firefox on Windows``."""
    browser = next((name for word, name in BROWSERS.items() if f"{word}/" in user_agent), "")
    system = next((name for word, name in SYSTEMS.items() if word in user_agent), "")
    return f"{browser or 'Browser'} on {system}" if system else browser or "Unknown browser"


def _build_renewed_values(secret: str, now: datetime) -> dict[str, Any]:
    return {
        "digest": digest(secret),
        "created_at": now,
        "last_used_at": now,
        "expires_at": now + IDLE_SESSION_LIFETIME,
    }
