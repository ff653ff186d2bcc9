"""Thinning what is stored as it grows old; see :mod:`backend.markets.retention_policy` for what stays."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from backend.markets import retention_policy
from backend.markets.tables import candles, incidents, price_points
from backend.store.database import Database

BATCH = 500
INCIDENTS_FOR = timedelta(days=365)


def thin(database: Database, realm: str, now: datetime) -> dict[str, int]:
    """Delete what is no longer kept, in short transactions; gives how many rows went, by kind."""
    return {
        "points": _thin_points(database, realm, now),
        "candles": _thin_candles(database, realm, now),
        "incidents": _forget_incidents(database, realm, now),
    }


def _thin_points(database: Database, realm: str, now: datetime) -> int:
    """All assets share their instants, so whole instants go at once."""
    with database.read() as connection:
        query = sa.select(price_points.c.at).where(price_points.c.realm == realm).distinct()
        instants = list(connection.execute(query).scalars())
    goes = retention_policy.drop(instants, now)
    gone = 0
    for start in range(0, len(goes), BATCH):
        condition = sa.and_(price_points.c.realm == realm, price_points.c.at.in_(goes[start : start + BATCH]))
        with database.write() as connection:
            gone += connection.execute(sa.delete(price_points).where(condition)).rowcount
    return gone


def _thin_candles(database: Database, realm: str, now: datetime) -> int:
    gone = 0
    for seconds, start in retention_policy.cutoffs(now).candles_from.items():
        if start is None:
            continue
        old = sa.and_(candles.c.realm == realm, candles.c.seconds == seconds, candles.c.open_time < start)
        with database.write() as connection:
            gone += connection.execute(sa.delete(candles).where(old)).rowcount
    return gone


def _forget_incidents(database: Database, realm: str, now: datetime) -> int:
    old = sa.and_(incidents.c.realm == realm, incidents.c.closed_at < now - INCIDENTS_FOR)
    with database.write() as connection:
        return connection.execute(sa.delete(incidents).where(old)).rowcount
