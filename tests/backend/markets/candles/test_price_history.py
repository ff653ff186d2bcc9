"""Tests points and candles from our own polls, candle arrays, and what fills a gap."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
import sqlalchemy as sa

from backend.markets.candles import price_history
from backend.markets.candles.price_history import HALF_HOUR_SECONDS, load_candles
from backend.markets.model import CANDLES_PER_SPAN, Candle, PublishedPrice, QuotesResult
from backend.markets.reasons import Reason
from backend.markets.tables import candle_series_json, candles, price_points
from backend.store.database import Database
from tests.support.apps.market_app import Worker, build_sample_market, read_body
from tests.support.providers.candles import build_candles

NOON = datetime.fromisoformat("2026-05-18T12:00:00Z")
REALM = "live"


def half_hours(count: float) -> timedelta:
    return timedelta(minutes=30 * count)


def store_refresh(database: Database, moment: datetime, price: str, asset_id: str = "bitcoin") -> None:
    """What one refresh with a poll does to the history."""
    figure = PublishedPrice(
        asset_id, Decimal(price), ("coingecko",), False, moment, "single", Reason(None, "")
    )
    with database.write() as connection:
        price_history.store_price_points(connection, REALM, [figure], moment)
        price_history.store_half_hour_json(connection, REALM, {asset_id: "coingecko"}, moment)
        price_history.update_candles(connection, REALM, {asset_id: Decimal(price)}, moment)


def load_stored_candles(
    database: Database, seconds: int, asset_id: str = "bitcoin", realm: str = REALM
) -> list[Candle]:
    with database.read() as connection:
        return load_candles(
            connection, realm, asset_id, seconds, NOON - timedelta(days=9), NOON + timedelta(days=999)
        )


def points(database: Database, asset_id: str = "bitcoin") -> list[tuple[datetime, Decimal]]:
    query = sa.select(price_points.c.at, price_points.c.price).where(price_points.c.asset_id == asset_id)
    with database.read() as connection:
        return [(row.at, row.price) for row in connection.execute(query.order_by(price_points.c.at))]


def strip(database: Database, span: str = "24h", realm: str = REALM, asset_id: str = "bitcoin") -> list[Any]:
    condition = sa.and_(
        candle_series_json.c.span == span,
        candle_series_json.c.realm == realm,
        candle_series_json.c.asset_id == asset_id,
        candle_series_json.c.basis != "ohlc",
    )
    with database.read() as connection:
        found = connection.execute(sa.select(candle_series_json.c.body).where(condition)).scalar()
    return json.loads(found) if found else []


def list_open_times(rows: Sequence[Any]) -> list[datetime]:
    return [datetime.fromtimestamp(row[0] / 1000, NOON.tzinfo) for row in rows]


def test_candles_of_every_length_match_the_price_points(database: Database) -> None:
    for minute in range(0, 60 * 9, 7):
        store_refresh(database, NOON + timedelta(minutes=minute), str(100 + (minute * 37) % 11))
    result = points(database)
    for seconds in price_history.INTERVALS_SECONDS:
        assert load_stored_candles(database, seconds) == build_candles(result, seconds)
    assert len(load_stored_candles(database, HALF_HOUR_SECONDS)) == 18


def test_the_stored_array_contains_only_closed_candles(database: Database) -> None:
    for slot in range(5):
        store_refresh(database, NOON + half_hours(slot), str(100 + slot))
    assert list_open_times(strip(database)) == [NOON + half_hours(slot) for slot in range(4)]
    assert [row[4] for row in strip(database)] == [100, 101, 102, 103]


def test_the_stored_array_drops_candles_older_than_a_day(database: Database) -> None:
    for slot in range(60):
        store_refresh(database, NOON + half_hours(slot), str(100 + slot))
    assert list_open_times(strip(database)) == [NOON + half_hours(slot) for slot in range(11, 59)]


def test_a_pause_leaves_a_gap(database: Database) -> None:
    store_refresh(database, NOON, "100")
    store_refresh(database, NOON + half_hours(6), "101")
    store_refresh(database, NOON + half_hours(7), "102")
    assert list_open_times(strip(database)) == [NOON, NOON + half_hours(6)]


def test_arrays_are_rendered_once_per_half_hour(sqlite_database: Database) -> None:
    store_refresh(sqlite_database, NOON, "100")
    store_refresh(sqlite_database, NOON + half_hours(1), "101")
    with sqlite_database.write() as connection:
        connection.execute(sa.update(candle_series_json).values(body="[]"))
    store_refresh(sqlite_database, NOON + half_hours(1.5), "102")
    assert strip(sqlite_database) == []
    store_refresh(sqlite_database, NOON + half_hours(2), "103")
    assert len(strip(sqlite_database)) == 2


# -- sparklines --------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [167, 168, 169])
@pytest.mark.parametrize("minute", [0, 1, 59, 61, 119, 239])
def test_about_a_week_of_hourly_closes_gives_forty_two_candles(
    sqlite_database: Database, count: int, minute: int
) -> None:
    now = NOON + timedelta(minutes=minute)
    closes = tuple(Decimal(100 + hour) for hour in range(count))
    poll = QuotesResult("coingecko", now, {}, sparklines={"bitcoin": closes})
    with sqlite_database.write() as connection:
        price_history.store_weekly_candles_json(connection, REALM, poll, now)
    rows = strip(sqlite_database, "7d")
    assert len(rows) == CANDLES_PER_SPAN["7d"]
    assert rows[-1][4] == 100 + count - 1
    assert all(later - earlier == timedelta(hours=4) for earlier, later in pairwise(list_open_times(rows)))
    assert all(first[4] == second[1] for first, second in pairwise(rows))
    assert now - timedelta(hours=4) <= list_open_times(rows)[-1] <= now


def test_a_new_assets_sparkline_gives_fewer_candles_and_an_empty_one_none(
    sqlite_database: Database,
) -> None:
    sparklines = {"bitcoin": tuple(Decimal(5) for _ in range(10)), "ethereum": ()}
    with sqlite_database.write() as connection:
        price_history.store_weekly_candles_json(
            connection, REALM, QuotesResult("coingecko", NOON, {}, sparklines=sparklines), NOON
        )
    assert 2 <= len(strip(sqlite_database, "7d")) <= 4
    assert strip(sqlite_database, "7d", asset_id="ethereum") == []


def test_a_sparkline_is_rendered_again_after_five_minutes_and_at_once_for_a_new_asset(
    sqlite_database: Database,
) -> None:
    def draw(moment: datetime, price: int, *asset_ids: str) -> None:
        sparklines = dict.fromkeys(asset_ids, (Decimal(1), Decimal(price)))
        poll = QuotesResult("coingecko", moment, {}, sparklines=sparklines)
        with sqlite_database.write() as connection:
            price_history.store_weekly_candles_json(connection, REALM, poll, moment)

    draw(NOON, 10, "bitcoin")
    draw(NOON + timedelta(minutes=4), 11, "bitcoin")
    assert strip(sqlite_database, "7d")[-1][4] == 10
    draw(NOON + timedelta(minutes=4), 12, "bitcoin", "ethereum")
    assert strip(sqlite_database, "7d")[-1][4] == 12
    draw(NOON + timedelta(minutes=9), 13, "bitcoin", "ethereum")
    assert strip(sqlite_database, "7d")[-1][4] == 13


# -- the sample market's past ------------------------------------------------------------------------


@pytest.fixture
def worker(sqlite_database: Database) -> Worker:
    return Worker(sqlite_database, build_sample_market())


def day(worker: Worker, asset_id: str = "bitcoin") -> list[Any]:
    tokens = read_body(worker.view(), "/rankings", b"with_candles=24h")
    return next(token["candles_24h"] for token in tokens if token["id"] == asset_id)


def has_no_gaps(rows: Sequence[Any]) -> bool:
    return all(later - earlier == half_hours(1) for earlier, later in pairwise(list_open_times(rows)))


def test_the_sample_market_starts_with_a_full_day_of_history(worker: Worker) -> None:
    worker.tick()
    rows = day(worker)
    assert len(rows) == CANDLES_PER_SPAN["24h"]
    assert has_no_gaps(rows)
    assert [row[5] is None for row in rows] == [False] * 47 + [True]  # the open one grows from polls


def test_the_sample_market_fills_the_gap_of_a_pause(worker: Worker) -> None:
    worker.tick()
    worker.tick(seconds=15)
    worker.tick(hours=5)
    rows = day(worker)
    assert len(rows) == CANDLES_PER_SPAN["24h"]
    assert has_no_gaps(rows)
    worker.tick(days=3)
    assert len(day(worker)) == CANDLES_PER_SPAN["24h"]
    assert has_no_gaps(day(worker))


def test_candles_built_from_polls_are_closed_and_stored(worker: Worker) -> None:
    for _ in range(9):
        worker.tick(minutes=5)
    result = [(at, price) for at, price in points(worker.database) if at.minute >= 30 or at.hour == 10]
    rows = day(worker)
    assert rows[-1][4] == float(result[-1][1])
    closed = next(
        row for row in rows if list_open_times([row])[0].hour == 10 and list_open_times([row])[0].minute == 0
    )
    inside = [float(price) for at, price in result if at.hour == 10 and at.minute < 30]
    assert closed[1:5] == [inside[0], max(inside), min(inside), inside[-1]]


def test_a_market_without_history_starts_with_only_the_open_candle(sqlite_database: Database) -> None:
    market = build_sample_market()
    worker = Worker(sqlite_database, replace(market, sources=replace(market.sources, history=None)))
    worker.tick()
    assert len(day(worker)) == 1
    worker.tick(minutes=30)
    assert len(day(worker)) == 2


def test_realms_keep_their_candles_apart(database: Database) -> None:
    store_refresh(database, NOON, "100")
    Worker(database, build_sample_market()).tick()
    assert [candle.close for candle in load_stored_candles(database, HALF_HOUR_SECONDS)] == [Decimal(100)]
    with database.read() as connection:
        realms = connection.execute(sa.select(candles.c.realm).distinct()).scalars().all()
    assert set(realms) == {"live", "sample-2026"}


def fill(database: Database, seconds: int, start: datetime, count: int) -> None:
    rows = [
        price_history.candle_to_row(
            REALM, "bitcoin", seconds, Candle(start + n * timedelta(seconds=seconds), *[Decimal(n + 1)] * 4)
        )
        for n in range(count)
    ]
    with database.write() as connection:
        connection.execute(sa.insert(candles), rows)


def find_candles_around(
    database: Database, at: datetime, asset_id: str = "bitcoin"
) -> price_history.CandlesAround:
    with database.read() as connection:
        return price_history.find_candles_around(connection, REALM, asset_id, at)


def test_the_finest_stored_candles_around_an_instant_are_found(database: Database) -> None:
    day = datetime.fromisoformat("2026-05-18T00:00:00Z")
    fill(database, 86_400, day - timedelta(days=400), 400)
    fill(database, 14_400, day - timedelta(days=40), 240)
    fill(database, 1_800, day - timedelta(days=3), 144)
    recent, earlier, old = (
        find_candles_around(database, day - timedelta(**ago))
        for ago in ({"days": 1}, {"days": 20}, {"days": 200})
    )
    assert [found.interval_seconds for found in (recent, earlier, old)] == [1_800, 14_400, 86_400]
    assert [len(found.candles) for found in (recent, earlier, old)] == [49, 49, 49]
    assert recent.candles[24].open_time == day - timedelta(days=1)
    assert recent.candles == sorted(recent.candles, key=lambda candle: candle.open_time)


@pytest.mark.parametrize("at", ["2009-01-03T18:15:05Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_an_instant_without_stored_candles_has_none(sqlite_database: Database, at: str) -> None:
    fill(sqlite_database, 86_400, NOON, 5)
    assert find_candles_around(sqlite_database, datetime.fromisoformat(at)) == (None, [])


def test_candles_far_from_an_instant_are_not_found(sqlite_database: Database) -> None:
    fill(sqlite_database, 1_800, NOON, 10)
    assert find_candles_around(sqlite_database, NOON - half_hours(1)).interval_seconds == 1_800
    assert find_candles_around(sqlite_database, NOON - half_hours(2)) == (None, [])
    assert find_candles_around(sqlite_database, NOON, "ethereum") == (None, [])
