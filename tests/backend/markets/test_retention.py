"""Tests that old points, candles, totals and incidents are deleted in their realm alone."""

from datetime import datetime, timedelta
from decimal import Decimal

import pytest
import sqlalchemy as sa

from backend.markets import retention, retention_policy, totals_history
from backend.markets.model import MarketTotals
from backend.markets.tables import candles, incidents, market_totals, price_points
from backend.store.database import Database, upsert

NOW = datetime.fromisoformat("2026-05-18T12:01:30Z")


def add_points(database: Database, realm: str, instants: list[datetime]) -> None:
    rows = [
        {"realm": realm, "asset_id": asset, "at": at, "price": Decimal(1), "spread_pct": None, "source": "x"}
        for at in instants
        for asset in ("bitcoin", "ethereum")
    ]
    with database.write() as connection:
        for start in range(0, len(rows), 400):
            upsert(connection, price_points, rows[start : start + 400])


def instants_of(database: Database, realm: str, asset_id: str = "bitcoin") -> list[datetime]:
    condition = sa.and_(price_points.c.realm == realm, price_points.c.asset_id == asset_id)
    with database.read() as connection:
        return list(
            connection.execute(
                sa.select(price_points.c.at).where(condition).order_by(price_points.c.at)
            ).scalars()
        )


def add_candle(database: Database, realm: str, seconds: int, opened: datetime) -> None:
    price = Decimal(1)
    row = {"realm": realm, "asset_id": "bitcoin", "seconds": seconds, "open_time": opened}
    with database.write() as connection:
        upsert(
            connection,
            candles,
            [row | {"open": price, "high": price, "low": price, "close": price, "volume": None}],
        )


def test_points_are_thinned_by_the_policy_idempotently(database: Database) -> None:
    instants = [NOW - timedelta(seconds=step) for step in range(0, 60 * 3600, 90)]
    add_points(database, "live", instants)
    add_points(database, "sample-1", instants[::50])
    deleted_count = retention.delete_expired_history(database, "live", NOW)
    expected = retention_policy.select_kept(instants, NOW)
    assert instants_of(database, "live") == instants_of(database, "live", "ethereum") == expected
    assert deleted_count["points"] == 2 * (len(instants) - len(expected))
    assert deleted_count["points"] > 2 * retention.INSTANTS_PER_BATCH
    assert instants_of(database, "sample-1") == sorted(instants[::50])
    assert retention.delete_expired_history(database, "live", NOW) == {
        "points": 0,
        "candles": 0,
        "totals": 0,
        "incidents": 0,
    }


def test_the_newest_point_is_kept_at_any_age(sqlite_database: Database) -> None:
    old = NOW - timedelta(days=40)
    add_points(sqlite_database, "live", [old, old - timedelta(minutes=1)])
    retention.delete_expired_history(sqlite_database, "live", NOW)
    assert instants_of(sqlite_database, "live") == [old]


@pytest.mark.parametrize(("seconds", "days"), [(1800, 90), (14_400, 730)])
def test_candles_expire_but_daily_ones_are_kept(database: Database, seconds: int, days: int) -> None:
    for age in (0, days - 1, days + 1):
        add_candle(database, "live", seconds, NOW - timedelta(days=age))
        add_candle(database, "sample-1", seconds, NOW - timedelta(days=age))
    add_candle(database, "live", 86_400, NOW - timedelta(days=4000))
    assert retention.delete_expired_history(database, "live", NOW)["candles"] == 1
    with database.read() as connection:
        remaining_rows = connection.execute(sa.select(candles.c.realm, candles.c.seconds)).all()
    assert sorted(tuple(row) for row in remaining_rows) == sorted(
        [("live", 86_400), *[("live", seconds)] * 2, *[("sample-1", seconds)] * 3]
    )


def test_totals_of_thirty_days_are_kept(database: Database) -> None:
    ages = [timedelta(), timedelta(days=30), timedelta(days=30, hours=1), timedelta(days=400)]
    for realm in ("live", "sample-1"):
        with database.write() as connection:
            totals = [MarketTotals("coingecko", NOW - age, Decimal(1), *[None] * 4) for age in ages]
            totals_history.store_totals(connection, realm, totals)
    assert retention.delete_expired_history(database, "live", NOW)["totals"] == 2
    with database.read() as connection:
        query = sa.select(market_totals.c.realm, market_totals.c.as_of).order_by(market_totals.c.as_of)
        remaining_rows = [tuple(row) for row in connection.execute(query)]
    assert [at for realm, at in remaining_rows if realm == "live"] == [NOW - timedelta(days=30), NOW]
    assert len(remaining_rows) == 2 + 4


def test_incidents_closed_a_year_ago_expire_but_open_ones_are_kept(database: Database) -> None:
    def build_incident(closed: datetime | None, realm: str = "live") -> dict[str, object]:
        opened_at = NOW - timedelta(days=800)
        return {
            "realm": realm,
            "asset_id": "bitcoin",
            "kind": "depeg",
            "opened_at": opened_at,
            "closed_at": closed,
            "worst_pct": Decimal(2),
            "detail": "For a test.",
        }

    old, late = NOW - timedelta(days=366), NOW - timedelta(days=364)
    with database.write() as connection:
        connection.execute(
            sa.insert(incidents),
            [
                build_incident(old),
                build_incident(late),
                build_incident(None),
                build_incident(old, "sample-1"),
            ],
        )
    assert retention.delete_expired_history(database, "live", NOW)["incidents"] == 1
    with database.read() as connection:
        remaining_rows = connection.execute(
            sa.select(incidents.c.closed_at).where(incidents.c.realm == "live")
        )
        assert set(remaining_rows.scalars()) == {late, None}
