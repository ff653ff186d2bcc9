"""How often a password may be guessed: counted in the store, so that all processes count together.

Every attempt counts, right ones too, and before the password is looked at. Names that no account has are
counted in the same way: how soon one must wait tells nothing of whether there is such an account.
"""

import hashlib
import ipaddress
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.auth.oauth.tables import guesses
from backend.store.database import Database

WINDOW = timedelta(minutes=1)
PER_ACCOUNT, PER_ADDRESS = 10, 100


def take(database: Database, *, username_key: str, address: str, now: datetime) -> int | None:
    """Count one attempt; null when it may go on, else the seconds to wait, and then it is not counted.

    Within any minute there are no more than :data:`PER_ACCOUNT` of an account and :data:`PER_ADDRESS` of an
    address. What is more than a window ahead is of a clock that was put back since, and counts no more.
    """
    limits = {
        _digest("account", username_key): PER_ACCOUNT,
        _digest("address", _network(address)): PER_ADDRESS,
    }
    with database.write() as connection:
        _lock(connection, limits)
        waits = [_wait(connection, subject, most, now) for subject, most in limits.items()]
        longest = max((wait for wait in waits if wait is not None), default=None)
        if longest is None:
            connection.execute(sa.insert(guesses), [{"subject": subject, "at": now} for subject in limits])
        return longest


def forget(database: Database, now: datetime) -> int:
    """Delete the attempts that count no more; gives how many."""
    with database.write() as connection:
        return connection.execute(sa.delete(guesses).where(guesses.c.at <= now - WINDOW)).rowcount


def _wait(connection: Connection, subject: str, most: int, now: datetime) -> int | None:
    """Seconds until the attempt that is ``most`` attempts ago is out of the window; null when it is."""
    recent = (
        sa.select(guesses.c.at)
        .where(guesses.c.subject == subject, guesses.c.at > now - WINDOW, guesses.c.at <= now + WINDOW)
        .order_by(guesses.c.at.desc())
        .offset(most - 1)
        .limit(1)
    )
    oldest = connection.execute(recent).scalar_one_or_none()
    if oldest is None:
        return None
    return max(1, -int((now - WINDOW - oldest).total_seconds() // 1))


def _lock(connection: Connection, subjects: dict[str, int]) -> None:
    """One at a time for each subject, always in one order; on SQLite the transaction itself is the lock."""
    if connection.dialect.name == "sqlite":
        return
    for subject in sorted(subjects):
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(int(subject[:15], 16))))


def _digest(kind: str, value: str) -> str:
    """A password is now and then typed in the place of the name; it is not kept."""
    return hashlib.sha256(f"{kind}\n{value}".encode()).hexdigest()


def _network(address: str) -> str:
    """Of IPv6 the /64, all of which one caller has."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((int(found), 64), strict=False).network_address)
    return str(found)
