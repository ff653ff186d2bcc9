"""Deletes stored history as it ages; :mod:`backend.markets.retention_policy` defines what is kept."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from backend.markets import retention_policy
from backend.markets.tables import candles, incidents, market_totals, price_points
from backend.store.database import Database

INSTANTS_PER_BATCH = 500
INCIDENT_RETENTION = timedelta(days=365)


def delete_expired_history(database: Database, realm: str, now: datetime) -> dict[str, int]:
    """Delete expired rows in short transactions and return the number of deleted rows by kind."""
    return {
        "points": _delete_points(database, realm, now),
        "candles": _delete_candles(database, realm, now),
        "totals": _delete_totals(database, realm, now),
        "incidents": _delete_incidents(database, realm, now),
    }


def _delete_points(database: Database, realm: str, now: datetime) -> int:
    """Delete expired price points. All assets share their instants, so whole instants are deleted."""
    with database.read() as connection:
        query = sa.select(price_points.c.at).where(price_points.c.realm == realm).distinct()
        instants = list(connection.execute(query).scalars())
    expired = retention_policy.select_expired(instants, now)
    deleted_count = 0
    for start in range(0, len(expired), INSTANTS_PER_BATCH):
        condition = sa.and_(
            price_points.c.realm == realm, price_points.c.at.in_(expired[start : start + INSTANTS_PER_BATCH])
        )
        with database.write() as connection:
            deleted_count += connection.execute(sa.delete(price_points).where(condition)).rowcount
    return deleted_count


def _delete_candles(database: Database, realm: str, now: datetime) -> int:
    deleted_count = 0
    for seconds, start in retention_policy.compute_cutoffs(now).candles_from.items():
        if start is None:
            continue
        is_old = sa.and_(candles.c.realm == realm, candles.c.seconds == seconds, candles.c.open_time < start)
        with database.write() as connection:
            deleted_count += connection.execute(sa.delete(candles).where(is_old)).rowcount
    return deleted_count


def _delete_totals(database: Database, realm: str, now: datetime) -> int:
    oldest = now - retention_policy.TOTALS_RETENTION
    is_old = sa.and_(market_totals.c.realm == realm, market_totals.c.as_of < oldest)
    with database.write() as connection:
        return connection.execute(sa.delete(market_totals).where(is_old)).rowcount


def _delete_incidents(database: Database, realm: str, now: datetime) -> int:
    is_old = sa.and_(incidents.c.realm == realm, incidents.c.closed_at < now - INCIDENT_RETENTION)
    with database.write() as connection:
        return connection.execute(sa.delete(incidents).where(is_old)).rowcount
