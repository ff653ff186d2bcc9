"""Limits sign-in attempts for each account and network address, counted in the store for all processes.

Every attempt counts before the password is verified, successful ones too. Unknown names count in the same
way, so that the throttling does not reveal which accounts exist.
"""

import hashlib
import ipaddress
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.auth.oauth.tables import guesses
from backend.store.database import Database

WINDOW = timedelta(minutes=1)
MAX_ATTEMPTS_PER_ACCOUNT, MAX_ATTEMPTS_PER_ADDRESS = 10, 100


def count_attempt(database: Database, *, username_key: str, client_ip: str, now: datetime) -> int | None:
    """Count one attempt and return None, or return the seconds to wait and count nothing.

    Any minute allows :data:`MAX_ATTEMPTS_PER_ACCOUNT` for an account and :data:`MAX_ATTEMPTS_PER_ADDRESS`
    for an address. Attempts more than a window in the future do not count: the clock was set back since.
    """
    limits = {
        _compute_digest("account", username_key): MAX_ATTEMPTS_PER_ACCOUNT,
        _compute_digest("address", _group_client_ip(client_ip)): MAX_ATTEMPTS_PER_ADDRESS,
    }
    with database.write() as connection:
        _lock_subjects(connection, limits)
        waits = [
            _find_wait_seconds(connection, subject, max_attempts, now)
            for subject, max_attempts in limits.items()
        ]
        wait = max((wait for wait in waits if wait is not None), default=None)
        if wait is None:
            connection.execute(sa.insert(guesses), [{"subject": subject, "at": now} for subject in limits])
        return wait


def delete_expired(database: Database, now: datetime) -> int:
    """Delete the attempts older than the window; returns their number."""
    with database.write() as connection:
        return connection.execute(sa.delete(guesses).where(guesses.c.at <= now - WINDOW)).rowcount


def _find_wait_seconds(connection: Connection, subject: str, max_attempts: int, now: datetime) -> int | None:
    """Return the seconds until the window has room for another attempt; None if it has room now."""
    recent = (
        sa.select(guesses.c.at)
        .where(guesses.c.subject == subject, guesses.c.at > now - WINDOW, guesses.c.at <= now + WINDOW)
        .order_by(guesses.c.at.desc())
        .offset(max_attempts - 1)
        .limit(1)
    )
    oldest = connection.execute(recent).scalar_one_or_none()
    if oldest is None:
        return None
    return max(1, -int((now - WINDOW - oldest).total_seconds() // 1))


def _lock_subjects(connection: Connection, subjects: dict[str, int]) -> None:
    """Lock the subjects in sorted order, to avoid deadlocks. On SQLite the transaction is the lock."""
    if connection.dialect.name == "sqlite":
        return
    for subject in sorted(subjects):
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(int(subject[:15], 16))))


def _compute_digest(kind: str, value: str) -> str:
    """Hash the value: people sometimes type a password as the name, and it must not be stored."""
    return hashlib.sha256(f"{kind}\n{value}".encode()).hexdigest()


def _group_client_ip(client_ip: str) -> str:
    """Return the IPv4 address or the IPv6 /64 network, which belongs to one caller."""
    try:
        parsed = ipaddress.ip_address(client_ip)
    except ValueError:
        return "unknown"
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((int(parsed), 64), strict=False).network_address)
    return str(parsed)
