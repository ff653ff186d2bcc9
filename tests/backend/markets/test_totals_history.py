"""Tests the hourly history of the market's totals: one exact point per hour and source, and its gaps."""

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import sqlalchemy as sa

from backend.markets import totals_history
from backend.markets.model import MarketTotals, TotalsHistory
from backend.markets.tables import market_totals
from backend.store.database import Database
from tests.support.apps.market_app import Worker, build_sample_market, make_sources_failable

NOW = datetime.fromisoformat("2026-05-18T12:07:30Z")
START = NOW - timedelta(days=7)
CAP = Decimal("2693886540498.123456789012345678")


def build_totals(at: datetime, cap: Decimal = CAP, provider: str = "coingecko") -> MarketTotals:
    shares = (Decimal("57.9539332566265"), Decimal("9.58227145398409"))
    return MarketTotals(
        provider, at, cap, None, Decimal("0.10"), None, shares[0], eth_market_cap_percentage=shares[1]
    )


def store(database: Database, *totals: MarketTotals, realm: str = "live") -> None:
    with database.write() as connection:
        totals_history.store_totals(connection, realm, totals)


def load(database: Database, source: str = "coingecko", realm: str = "live") -> TotalsHistory:
    with database.read() as connection:
        return totals_history.load_history(connection, realm, source, START, NOW)


def find_gap(database: Database) -> datetime | None:
    with database.read() as connection:
        return totals_history.find_gap_start(connection, "live", START, NOW)


def test_a_point_keeps_every_digit_of_its_figures_on_both_databases(database: Database) -> None:
    store(database, build_totals(NOW))
    (point,) = load(database).points
    assert (point.as_of, str(point.market_cap), str(point.volume_24h)) == (NOW, str(CAP), "0.10")
    assert str(point.btc_market_cap_percentage) == "57.9539332566265"
    assert str(point.eth_market_cap_percentage) == "9.58227145398409"


def test_an_unknown_figure_stays_unknown(database: Database) -> None:
    bare = replace(build_totals(NOW), volume_24h=None, eth_market_cap_percentage=None)
    store(database, replace(bare, btc_market_cap_percentage=None))
    (point,) = load(database).points
    assert (point.volume_24h, point.btc_market_cap_percentage, point.eth_market_cap_percentage) == (None,) * 3


def test_an_hour_has_the_last_of_its_totals_in_whatever_order_processes_store_them(
    database: Database,
) -> None:
    early, late = build_totals(NOW, Decimal(1)), build_totals(NOW + timedelta(minutes=9), Decimal(2))
    for order in ((early, late), (late, early), (early, early), (late, late)):
        store(database, *order)
    store(database, early)
    assert [point.market_cap for point in load(database).points] == [Decimal(2)]
    with database.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(market_totals)).scalar_one() == 1


def test_points_of_two_providers_or_realms_are_never_mixed(database: Database) -> None:
    store(database, build_totals(NOW), build_totals(NOW, Decimal(5), "coinmarketcap"))
    store(database, build_totals(NOW, Decimal(6)), realm="replay-1")
    assert [point.market_cap for point in load(database).points] == [CAP]
    assert [point.market_cap for point in load(database, "coinmarketcap").points] == [Decimal(5)]
    assert [point.market_cap for point in load(database, realm="replay-1").points] == [Decimal(6)]
    assert load(database, "coingecko", realm="sample-1") == TotalsHistory([], None)


def test_a_span_begins_at_its_very_start_and_older_points_only_say_how_far_the_history_reaches(
    database: Database,
) -> None:
    oldest = START - timedelta(days=3)
    store(database, *(build_totals(at) for at in (oldest, START - timedelta(minutes=1), NOW)))
    history = load(database)
    assert [point.as_of for point in history.points] == [NOW]
    assert history.since == oldest
    store(database, build_totals(START))
    assert [point.as_of for point in load(database).points] == [START, NOW]


def test_points_in_the_future_are_left_out(database: Database) -> None:
    store(database, build_totals(NOW), build_totals(NOW + timedelta(hours=2)))
    assert [point.as_of for point in load(database).points] == [NOW]


def test_a_gap_begins_after_the_newest_point_and_never_before_the_start(sqlite_database: Database) -> None:
    first_hour = START.replace(minute=0, second=0) + timedelta(hours=1)
    assert find_gap(sqlite_database) == first_hour
    store(sqlite_database, build_totals(START - timedelta(days=20)))
    assert find_gap(sqlite_database) == first_hour
    store(sqlite_database, build_totals(NOW - timedelta(hours=5)))
    assert find_gap(sqlite_database) == NOW.replace(minute=0, second=0) - timedelta(hours=4)
    store(sqlite_database, build_totals(NOW - timedelta(hours=1)), build_totals(NOW + timedelta(days=2)))
    assert find_gap(sqlite_database) is None


# -- refreshes ---------------------------------------------------------------------------------------


def load_sample(worker: Worker) -> TotalsHistory:
    with worker.database.read() as connection:
        start = worker.clock() - timedelta(days=30)
        return totals_history.load_history(connection, worker.realm, "sample", start, worker.clock())


def test_the_first_refresh_of_the_sample_market_fills_thirty_days_hour_by_hour(database: Database) -> None:
    worker = Worker(database, build_sample_market())
    worker.tick()
    history = load_sample(worker)
    assert len(history.points) == 30 * 24
    hours = [point.as_of.replace(minute=0) for point in history.points]
    assert {later - earlier for earlier, later in pairwise(hours)} == {timedelta(hours=1)}
    totals = worker.view().snapshot.overview.totals
    assert totals is not None
    last = history.points[-1]
    assert (last.as_of, last.market_cap, last.volume_24h) == (
        totals.as_of,
        totals.market_cap,
        totals.volume_24h,
    )


def test_hours_in_which_the_sample_market_did_not_run_are_filled_afterwards(worker: Worker) -> None:
    worker.tick()
    worker.tick(hours=6)
    points = load_sample(worker).points
    assert [point.as_of for point in points[-7:-1]] == [
        worker.clock().replace(minute=7, second=0) - timedelta(hours=6),
        *(worker.clock().replace(minute=0, second=0) - timedelta(hours=hours) for hours in range(5, 0, -1)),
    ]


def test_the_totals_of_either_sample_view_continue_one_history(sqlite_database: Database) -> None:
    market, sources = make_sources_failable(build_sample_market())
    worker = Worker(sqlite_database, market)
    worker.tick()
    sources["sample-a"].fail()
    worker.tick(hours=1)
    worker.tick(seconds=15)  # the second view is asked as the first does not answer
    assert load_sample(worker).points[-1].as_of.hour == worker.clock().hour


def test_without_a_source_of_the_past_hours_without_totals_stay_empty(sqlite_database: Database) -> None:
    market = build_sample_market()
    live_like = replace(market, sources=replace(market.sources, history=None))
    worker = Worker(sqlite_database, live_like)
    worker.tick()
    worker.tick(hours=3)
    assert [point.as_of.hour for point in load_sample(worker).points] == [10, 13]
