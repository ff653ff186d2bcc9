"""Stores and loads the hourly history of the market's totals.

Each source has a history of its own, because providers count different assets. An hour (UTC) has one point:
the last totals whose own time is in it. ``realm`` is ``live``, or the name of one sample or replay; rows of
one are never mixed with those of another.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.markets.model import MarketTotals, TotalsHistory, TotalsPoint, source_label
from backend.markets.tables import market_totals
from backend.store.database import upsert

HOUR = timedelta(hours=1)
TOTALS_COLUMNS = ("market_cap", "volume_24h", "btc_market_cap_percentage", "eth_market_cap_percentage")


def store_totals(connection: Connection, realm: str, totals: Iterable[MarketTotals]) -> None:
    """Store each of ``totals`` as the point of its hour, unless a later one of that hour is stored."""
    rows = [
        {
            "realm": realm,
            "source": source_label((item.provider,)),
            "hour": floor_to_hour(item.as_of),
            "as_of": item.as_of,
            **{name: getattr(item, name) for name in TOTALS_COLUMNS},
        }
        for item in totals
    ]
    upsert(connection, market_totals, rows, newest_by="as_of")


def load_history(
    connection: Connection, realm: str, source: str, start: datetime, now: datetime
) -> TotalsHistory:
    """Load the points of ``source`` from ``start`` to the hour of ``now``.

    Later ones exist if the clock was set back; they are left out.
    """
    known = sa.and_(
        market_totals.c.realm == realm, market_totals.c.source == source, market_totals.c.hour <= now
    )
    columns = [market_totals.c[name] for name in ("as_of", *TOTALS_COLUMNS)]
    rows = connection.execute(
        sa.select(*columns)
        .where(known, market_totals.c.hour >= floor_to_hour(start), market_totals.c.as_of >= start)
        .order_by(market_totals.c.hour)
    )
    points = [TotalsPoint(*row) for row in rows]
    since = connection.execute(sa.select(sa.func.min(market_totals.c.as_of)).where(known)).scalar_one()
    return TotalsHistory(points, since)


def find_gap_start(connection: Connection, realm: str, start: datetime, now: datetime) -> datetime | None:
    """Find the first hour after ``start`` and after the newest point; None if no closed hour is behind it.

    The points of all sources count. A gap before the newest point is not found.
    """
    newest = connection.execute(
        sa.select(sa.func.max(market_totals.c.hour)).where(
            market_totals.c.realm == realm, market_totals.c.hour <= now
        )
    ).scalar_one()
    gap_start = floor_to_hour(start if newest is None else max(start, newest)) + HOUR
    return gap_start if gap_start < floor_to_hour(now) else None


def floor_to_hour(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
