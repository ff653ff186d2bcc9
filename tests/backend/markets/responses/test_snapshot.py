"""Tests the snapshot that a process serves: reloads, time, prepared responses."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from backend.http.prepared_responses import Prepared
from backend.markets.model import FearGreed, MarketTotals
from backend.markets.responses.snapshot import MarketView, Snapshot
from backend.markets.row_conversion import market_indicator_to_row
from backend.markets.tables import market_figures
from backend.store.database import Database, upsert
from tests.support.apps.market_app import Worker, build_sample_market, read_body

OVERVIEW = "/crypto/market-overview"


@pytest.fixture
def worker(sqlite_database: Database) -> Worker:
    return Worker(sqlite_database, build_sample_market())


def totals(worker: Worker, provider: str, cap: int, **older: float) -> None:
    as_of = worker.clock() - timedelta(**older)
    put(worker, "global", MarketTotals(provider, as_of, Decimal(cap), None, Decimal(7), None, None))


def store_fear_greed(worker: Worker, provider: str, value: int, **older: float) -> None:
    put(worker, "fear_greed", FearGreed(provider, worker.clock() - timedelta(**older), value, "Greed"))


def put(worker: Worker, kind: str, item: MarketTotals | FearGreed) -> None:
    with worker.database.write() as connection:
        upsert(connection, market_figures, [market_indicator_to_row(worker.realm, kind, item)])


def test_a_refresh_is_served_only_after_the_next_reload(worker: Worker) -> None:
    view = worker.view()
    worker.tick()
    assert read_body(view, "/prices")["bitcoin"]["price_usd"] is None
    view.reload()
    assert read_body(view, "/prices")["bitcoin"]["price_usd"] is not None


def test_a_response_being_sent_is_not_changed_by_a_reload(worker: Worker) -> None:
    worker.tick()
    view = worker.view()
    snapshot, answer = view.snapshot, view.find("/prices", b"")
    assert answer is not None
    before = answer.body
    worker.tick(seconds=60)
    view.reload()
    assert answer.body == before
    assert snapshot.prices().body == before
    assert view.find("/prices", b"") is not answer


def test_an_unchanged_market_keeps_its_etags(worker: Worker) -> None:
    worker.tick()
    view = worker.view()
    first = {path: view.find(path, b"") for path in ("/prices", "/rankings", "/assets", OVERVIEW)}
    view.reload()
    for path, answer in first.items():
        repeated = view.find(path, b"")
        assert answer is not None
        assert repeated is not None
        assert repeated.plain_tag == answer.plain_tag


def test_a_response_of_an_older_snapshot_is_never_cached_in_a_newer_one(worker: Worker) -> None:
    """A refresh may be served while a request is between reading the snapshot and remembering its answer."""
    view = worker.view()
    worker.tick()

    def build_then_reload(snapshot: Snapshot) -> Prepared:
        response = snapshot.prices()
        view.reload()
        return response

    view.answer("/prices", b"x=1", build_then_reload)
    found = view.find("/prices", b"x=1")
    assert found is None or b'"price_usd":null' not in found.body


def test_figures_become_stale_and_disappear_over_time_without_a_refresh(worker: Worker) -> None:
    worker.tick()
    view = worker.view()
    before = read_body(view, "/prices")["bitcoin"]
    worker.clock.move(minutes=10)
    view.refresh_if_stale()
    assert read_body(view, "/prices")["bitcoin"] == before
    worker.clock.move(minutes=6)
    view.refresh_if_stale()
    assert read_body(view, "/prices")["bitcoin"] == before | {"source": "sample:stale"}
    worker.clock.move(hours=24)
    view.refresh_if_stale()
    gone = read_body(view, "/prices")["bitcoin"]
    assert gone["price_usd"] is gone["source"] is gone["last_updated"] is None
    assert {token["id"] for token in read_body(view, "/rankings")} == set(read_body(view, "/prices"))


def test_checking_for_staleness_builds_nothing_while_nothing_changes(worker: Worker) -> None:
    worker.tick()
    view = worker.view()
    snapshot = view.snapshot
    for _ in range(3):
        worker.clock.move(seconds=20)
        view.refresh_if_stale()
        assert view.snapshot is snapshot or view.snapshot.published_prices != snapshot.published_prices


def test_there_is_no_next_change_when_all_figures_are_gone(worker: Worker) -> None:
    worker.tick()
    view = worker.view()
    builds = 0
    for _ in range(40):
        before = view.snapshot
        worker.clock.move(hours=2)
        view.refresh_if_stale()
        builds += view.snapshot is not before
    assert builds < 12
    assert view.snapshot.next_change is None


# -- the overview ------------------------------------------------------------------------------------


def test_before_the_first_refresh_the_overview_has_only_nulls(worker: Worker) -> None:
    def list_leaves(value: Any) -> list[Any]:
        return (
            [leaf for item in value.values() for leaf in list_leaves(item)]
            if isinstance(value, dict)
            else [value]
        )

    assert set(list_leaves(read_body(worker.view(), OVERVIEW))) == {None}


def test_each_block_of_the_overview_comes_from_the_preferred_fresh_provider(worker: Worker) -> None:
    totals(worker, "sample-a", 100, minutes=170)
    totals(worker, "sample-b", 200, minutes=1)
    found = worker.view().snapshot.overview
    assert found.totals is not None
    assert (found.totals.market_cap, found.totals_stale) == (Decimal(100), False)
    worker.clock.move(minutes=11)
    found = worker.view().snapshot.overview
    assert found.totals is not None
    assert (found.totals.market_cap, found.totals_stale) == (Decimal(200), False)
    worker.clock.move(hours=4)
    found = worker.view().snapshot.overview
    assert found.totals is not None
    assert (found.totals.market_cap, found.totals_stale) == (Decimal(200), True)


def test_figures_are_fresh_again_after_the_clock_was_set_back(worker: Worker) -> None:
    worker.tick()
    view = worker.view()
    worker.clock.move(minutes=50)
    view.refresh_if_stale()
    assert read_body(view, "/prices")["bitcoin"]["source"] == "sample:stale"
    worker.clock.move(minutes=-50)
    view.refresh_if_stale()
    assert read_body(view, "/prices")["bitcoin"]["source"] == "sample"


def test_the_overview_becomes_stale_over_time_without_a_refresh(worker: Worker) -> None:
    totals(worker, "sample-a", 100)
    totals(worker, "sample-b", 200, hours=-1)
    view = worker.view()
    worker.clock.move(hours=3, seconds=1)
    view.refresh_if_stale()
    assert read_body(view, OVERVIEW)["market_cap"]["value"] == 200
    worker.clock.move(hours=1)
    view.refresh_if_stale()
    market_cap = read_body(view, OVERVIEW)["market_cap"]
    assert (market_cap["value"], market_cap["source"]) == (200, "sample:stale")
    assert market_cap["last_updated"] == "2026-11-18T11:07:42Z"


def test_a_fear_and_greed_index_is_current_after_one_day_and_stale_after_two(worker: Worker) -> None:
    store_fear_greed(worker, "sample", 60, hours=24)
    view = worker.view()
    assert read_body(view, OVERVIEW)["fear_greed"]["source"] == "sample"
    worker.clock.move(hours=13)
    view.refresh_if_stale()
    fear_greed = read_body(view, OVERVIEW)["fear_greed"]
    assert fear_greed["source"] == "sample:stale"
    assert (fear_greed["value"], fear_greed["label"]) == (60, "Greed")


def test_a_view_shows_only_its_own_realm(worker: Worker, sqlite_database: Database) -> None:
    worker.tick()
    market = replace(worker.market, sources=replace(worker.market.sources, realm="live"))
    other_view = MarketView(sqlite_database, market, now=worker.clock)
    other_view.reload()
    assert read_body(other_view, "/prices")["bitcoin"]["price_usd"] is None
    assert read_body(other_view, "/rankings", b"with_candles=24h")[0]["candles_24h"] == []
    assert read_body(other_view, OVERVIEW)["market_cap"]["value"] is None
