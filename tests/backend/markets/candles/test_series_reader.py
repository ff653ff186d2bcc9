"""Tests the candles of one asset: the provider's if available, else our own."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
import structlog

from backend.markets.candles.series_reader import CandleReader
from backend.markets.model import CANDLE_SECONDS_BY_SPAN, CANDLES_PER_SPAN, ChartSpan, ErrorKind, Span
from backend.store.database import Database
from tests.support.apps.market_app import FailingSource, Worker, build_sample_market, make_sources_failable


@pytest.fixture
def failable_worker(database: Database) -> tuple[Worker, dict[str, FailingSource]]:
    market, sources = make_sources_failable(build_sample_market())
    worker = Worker(database, market)
    worker.tick()
    return worker, sources


def read(
    worker: Worker, asset_id: str = "bitcoin", span: ChartSpan = "24h", *, reader: CandleReader | None = None
) -> dict[str, Any]:
    """Read with a new reader, as another process would, unless one is passed."""
    asset = worker.market.registry.by_id[asset_id]
    reader = reader or CandleReader(worker.database, worker.market)
    with structlog.testing.capture_logs():
        body = reader.read(asset, span, worker.clock())
    payload: dict[str, Any] = json.loads(body)
    return payload


def count_ohlc_requests(sources: dict[str, FailingSource]) -> int:
    return sources["sample-a"].asked.count("ohlc")


@pytest.mark.parametrize("span", ["1h", "24h", "7d"])
def test_a_series_is_fetched_once_until_the_provider_has_a_new_one(
    failable_worker: tuple[Worker, dict[str, FailingSource]], span: ChartSpan
) -> None:
    worker, sources = failable_worker
    first = read(worker, span=span)
    assert (first["basis"], first["source"]) == ("ohlc", "sample")
    assert len(first["candles"]) == CANDLES_PER_SPAN[span]
    worker.clock.move(seconds=14)
    assert read(worker, span=span)["last_updated"] == first["last_updated"]
    assert count_ohlc_requests(sources) == 1
    worker.clock.move(seconds=1)
    assert read(worker, span=span)["last_updated"] > first["last_updated"]
    assert count_ohlc_requests(sources) == 2


@pytest.mark.parametrize("span", ["30d", "90d", "1y"])
def test_a_long_history_is_fetched_once_for_all_readers_while_it_is_current(
    failable_worker: tuple[Worker, dict[str, FailingSource]], span: ChartSpan
) -> None:
    worker, sources = failable_worker
    fresh_for = worker.market.sources.fetch_rules[span].fresh_for
    first = read(worker, span=span)
    assert (first["basis"], first["source"]) == ("hourly_prices", "sample")
    assert first["interval_seconds"] == CANDLE_SECONDS_BY_SPAN[span]
    assert len(first["candles"]) == CANDLES_PER_SPAN[span]
    worker.clock.move(seconds=fresh_for.total_seconds() - 1)
    assert read(worker, span=span)["last_updated"] == first["last_updated"]
    assert sources["sample-a"].asked.count("past_prices") == 1
    worker.clock.move(seconds=1)
    assert read(worker, span=span)["last_updated"] > first["last_updated"]
    assert sources["sample-a"].asked.count("past_prices") == 2


def test_several_simultaneous_readers_cost_one_call(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    reader = CandleReader(worker.database, worker.market)
    asset, now = worker.market.registry.by_id["bitcoin"], worker.clock()
    start = Barrier(4)

    def read_together() -> bytes:
        start.wait()
        return reader.read(asset, "90d", now)

    with ThreadPoolExecutor(4) as readers:
        bodies = [readers.submit(read_together) for _ in range(4)]
    assert len({body.result() for body in bodies}) == 1
    assert sources["sample-a"].asked.count("past_prices") == 1


@pytest.mark.parametrize("fault", [ErrorKind.UNAVAILABLE, ErrorKind.REFUSED, ErrorKind.QUOTA_SPENT])
def test_the_stored_history_stays_while_the_provider_gives_none_and_says_that_it_is_stale(
    failable_worker: tuple[Worker, dict[str, FailingSource]], fault: ErrorKind
) -> None:
    worker, sources = failable_worker
    kept = read(worker, span="1y")
    sources["sample-a"].fail(fault)
    worker.clock.move(hours=2)
    for _ in range(2):
        series = read(worker, span="1y")
        assert series == {**kept, "source": "sample:stale"}
    sources["sample-a"].recover()
    worker.clock.move(days=1)
    assert read(worker, span="1y")["source"] == "sample"


def test_our_own_candles_replace_a_stored_history_that_reaches_less_far(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    read(worker, span="1h")
    with structlog.testing.capture_logs():
        for _ in range(3):
            worker.tick(minutes=20)
    sources["sample-a"].fail()
    series = read(worker, span="1h")
    assert (series["basis"], series["source"]) == ("polls", "sample")
    assert len(series["candles"]) == 4
    assert series["last_updated"] == f"{worker.clock():%Y-%m-%dT%H:%M:%SZ}"


@pytest.mark.parametrize("span", ["1h", "30d", "90d", "1y"])
def test_without_any_history_the_candles_of_our_own_polls_are_returned(
    failable_worker: tuple[Worker, dict[str, FailingSource]], span: ChartSpan
) -> None:
    worker, sources = failable_worker
    sources["sample-a"].fail()
    series = read(worker, span=span)
    assert (series["basis"], series["source"]) == ("polls", "sample")
    assert len(series["candles"]) == 1


@pytest.mark.parametrize(("span", "basis"), [("24h", "polls"), ("7d", "sparkline")])
def test_without_the_provider_sampled_candles_are_returned_with_their_basis(
    failable_worker: tuple[Worker, dict[str, FailingSource]], span: Span, basis: str
) -> None:
    worker, sources = failable_worker
    sources["sample-a"].fail()
    series = read(worker, span=span)
    assert (series["basis"], series["source"]) == (basis, "sample")
    assert len(series["candles"]) == CANDLES_PER_SPAN[span]


def test_sampled_candles_have_the_time_of_their_data_not_of_the_request(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    for source in sources.values():
        source.fail()
    without_history = replace(worker.market.sources, history=None)
    worker = replace(worker, market=replace(worker.market, sources=without_history))
    with structlog.testing.capture_logs():
        worker.tick(hours=3)
    series = read(worker)
    last = series["candles"][-1][0] / 1000
    assert last <= worker.clock().timestamp() - 2 * 3600
    assert series["last_updated"] < (worker.clock() - timedelta(hours=2)).isoformat()


def test_a_blocked_provider_gets_no_request(failable_worker: tuple[Worker, dict[str, FailingSource]]) -> None:
    worker, sources = failable_worker
    sources["sample-a"].fail(ErrorKind.THROTTLED, retry_after=3600)
    assert read(worker)["basis"] == "polls"
    assert read(worker)["basis"] == "polls"
    assert count_ohlc_requests(sources) == 1
    assert worker.status()["by_name"]["sample-a"]["state"] == "throttled"


@pytest.mark.parametrize("fault", [ErrorKind.NOT_FOUND, ErrorKind.UNAUTHORISED])
def test_an_unavailable_series_is_not_requested_each_time_and_opens_no_breaker(
    failable_worker: tuple[Worker, dict[str, FailingSource]], fault: ErrorKind
) -> None:
    worker, sources = failable_worker
    sources["sample-a"].fail(fault)
    reader = CandleReader(worker.database, worker.market)
    for _ in range(3):
        assert read(worker, reader=reader)["basis"] == "polls"
    assert count_ohlc_requests(sources) == 1
    assert worker.status()["by_name"]["sample-a"]["state"] == "ok"


def test_an_asset_unknown_to_the_provider_has_sampled_candles(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    sources["sample-a"]._source = build_sample_market().sources.quotes[1]
    series = read(worker, "unus-sed-leo")
    assert series["basis"] == "polls"
    assert len(series["candles"]) == CANDLES_PER_SPAN["24h"]


def test_a_disabled_asset_is_never_requested(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    for span in ("24h", "1y"):
        series = read(worker, "dogecoin", span)
        assert (series["candles"], series["source"], series["last_updated"]) == ([], None, None)
    assert "past_prices" not in sources["sample-a"].asked
    assert count_ohlc_requests(sources) == 0
