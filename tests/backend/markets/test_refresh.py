"""Tests refreshes in sequence: provider calls, stored data, and reports of failing providers."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa
import structlog

from backend.markets import refresh
from backend.markets.model import ErrorKind
from backend.markets.responses.snapshot import CHANGE_TOPIC
from backend.markets.tables import price_points
from backend.store.database import Database, bump, change_counters
from tests.support.apps.market_app import (
    FailingSource,
    Worker,
    build_sample_market,
    make_sources_failable,
    read_tables,
)


class PowerCut(BaseException):
    """What a killed process is to the code in its transaction."""


@pytest.fixture
def failable_worker(sqlite_database: Database) -> tuple[Worker, dict[str, FailingSource]]:
    """A worker whose providers do as the test says."""
    market, sources = make_sources_failable(build_sample_market())
    return Worker(sqlite_database, market), sources


def read_change_counter(database: Database) -> int:
    with database.read() as connection:
        query = sa.select(change_counters.c.n).where(change_counters.c.topic == CHANGE_TOPIC)
        return connection.execute(query).scalar() or 0


def totals_from(worker: Worker) -> str | None:
    totals = worker.view().snapshot.overview.totals
    return totals.provider if totals else None


def run_without_logs(tick: Callable[..., Any], **later: float) -> Any:
    """A tick whose failures are expected and need no log."""
    with structlog.testing.capture_logs():
        return tick(**later)


# -- the first refreshes ----------------------------------------------------------------------------


def test_a_refresh_publishes_every_asset_and_reports_the_successful_calls(database: Database) -> None:
    worker = Worker(database, build_sample_market())
    report = worker.tick()
    assert report.failed == {}
    assert set(report.answered) == {
        *("sample-a quotes", "sample-b quotes", "sample-a overview", "sample-a fear_greed"),
    }
    assert report.changed == len(worker.market.registry.enabled)
    record = worker.price("bitcoin")
    assert record["source"] == "sample"
    assert Decimal(record["price_usd"]) > 0
    assert read_change_counter(database) == 1


def test_the_same_refreshes_store_the_same_on_both_databases(database: Database) -> None:
    """Figures are exact wherever they are stored: the other store's run is the yardstick."""
    worker = Worker(database, build_sample_market())
    worker.tick()
    worker.tick(seconds=15)
    prices = {asset.id: worker.price(asset.id)["price_usd"] for asset in worker.market.registry.enabled}
    quoted = build_sample_market().sources.quotes[0].quotes(worker.market.registry.enabled, worker.clock())
    lone = quoted.quotes["unus-sed-leo"]
    assert Decimal(prices["unus-sed-leo"]) == lone.price
    candle_json = {
        key: array_json
        for key, array_json in worker.view().snapshot.candle_json.items()
        if key[0] == "bitcoin"
    }
    assert len(candle_json) == 2


def test_a_second_tick_in_the_same_second_polls_nobody_and_changes_nothing(worker: Worker) -> None:
    worker.tick()
    worker.tick()  # judges the first quotes once more, now beside a published price
    before = read_tables(worker.database)
    report = worker.tick()
    assert report.answered == ()
    assert report.changed == 0
    assert read_tables(worker.database) == before


def test_each_role_is_polled_at_its_own_interval(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    for _ in range(21):
        worker.tick(seconds=15)
    calls = sources["sample-a"].asked
    assert calls.count("quotes") == 21
    assert calls.count("market_totals") == 6
    assert calls.count("fear_greed") == 2
    assert sources["sample-b"].asked == ["quotes"] * 21  # the first gives the rest


def test_all_providers_are_polled_after_the_clock_was_set_back(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    worker.tick()
    worker.tick(hours=-1)
    assert sources["sample-b"].asked == ["quotes"] * 2
    worker.tick(seconds=5)
    assert sources["sample-b"].asked == ["quotes"] * 2, "from then on by the new time"


def test_a_slightly_early_tick_after_a_late_one_still_polls(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    worker.tick()
    worker.tick(seconds=11.9)
    assert sources["sample-b"].asked == ["quotes"]
    worker.tick(seconds=0.2)
    assert sources["sample-b"].asked == ["quotes"] * 2


def test_no_transaction_is_open_during_a_provider_call(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    one_at_a_time = threading.Lock()

    def write_meanwhile() -> None:
        with one_at_a_time:  # the questions are asked side by side
            other_connection = sqlite3.connect(worker.database.url.removeprefix("sqlite:///"), timeout=0)
            other_connection.executescript("BEGIN IMMEDIATE; UPDATE change_counters SET n = n + 1; COMMIT")
            other_connection.close()

    with worker.database.write() as connection:
        bump(connection, CHANGE_TOPIC)
    sources["sample-a"].before_answer = write_meanwhile
    assert worker.tick().failed == {}
    assert read_change_counter(worker.database) == 5  # ours, one a question, and the refresh's own


# -- killed ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "where",
    [
        "store_states",
        "bump",
        "published_price_to_row",
        "price_history.store_half_hour_json",
        "incident_log.record_incidents",
    ],
)
def test_a_killed_refresh_changes_nothing_and_the_next_one_succeeds(
    database: Database, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    worker = Worker(database, build_sample_market())
    worker.tick()
    before, price_before = read_tables(database), worker.price("bitcoin")

    def raise_power_cut(*_: object, **__: object) -> None:
        raise PowerCut

    room, _, name = where.rpartition(".")
    with monkeypatch.context() as patched:
        patched.setattr(getattr(refresh, room) if room else refresh, name, raise_power_cut)
        with contextlib.suppress(PowerCut):
            worker.tick(seconds=60)
    assert worker.reports[-1].changed == len(
        worker.market.registry.enabled
    )  # of the first: the second never ended
    assert read_tables(database) == before
    assert worker.price("bitcoin") == price_before
    assert worker.tick(seconds=15).failed == {}
    assert worker.price("bitcoin")["last_updated"] > price_before["last_updated"]


# -- one provider fails ------------------------------------------------------------------------------


def test_a_failing_provider_is_reported_without_affecting_the_others(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    worker.tick()
    sources["sample-b"].fail()
    for _ in range(12):
        report = run_without_logs(worker.tick, seconds=60)
    assert "sample-a quotes" in report.answered
    figure = worker.view().snapshot.published_prices["bitcoin"]
    assert figure.providers == ("sample-a",)
    assert not figure.stale
    evaluations = {evaluation.provider: evaluation for evaluation in figure.evaluations}
    assert evaluations["sample-a"].used
    assert not evaluations["sample-b"].used
    assert evaluations["sample-b"].freshness == "ageing"
    assert evaluations["sample-b"].reason.text.startswith("Ageing")
    result = worker.status()["by_name"]
    assert result["sample-a"]["state"] == "ok"
    assert "as the test has it" in result["sample-b"]["message"]
    assert result["sample-b"]["last_success_at"] < result["sample-a"]["last_success_at"]


@pytest.mark.parametrize("kind", [ErrorKind.UNAVAILABLE, ErrorKind.NOT_FOUND])
def test_a_provider_that_fails_at_every_tick_is_soon_called_less_often(
    failable_worker: tuple[Worker, dict[str, FailingSource]], kind: ErrorKind
) -> None:
    """Even one that is asked for quotes alone, which at ticks of 15 s fails four times a minute."""
    worker, sources = failable_worker
    sources["sample-b"].fail(kind)
    for _ in range(40):
        run_without_logs(worker.tick, seconds=15)
    assert len(sources["sample-b"].asked) < 20
    assert worker.status()["by_name"]["sample-b"]["state"] in ("open", "waiting")
    sources["sample-b"].recover()
    for _ in range(40):
        run_without_logs(worker.tick, seconds=15)
    assert worker.status()["by_name"]["sample-b"]["state"] == "ok"
    assert worker.view().snapshot.published_prices["bitcoin"].providers == ("sample-a", "sample-b")


def test_a_provider_is_not_called_before_its_retry_after(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    sources["sample-b"].fail(ErrorKind.THROTTLED, retry_after=100)
    run_without_logs(worker.tick)
    sources["sample-b"].recover()
    for _ in range(6):
        worker.tick(seconds=15)
    assert len(sources["sample-b"].asked) == 1
    result = worker.status()["by_name"]["sample-b"]
    assert result["state"] == "throttled"
    assert result["retry_at"] == "2026-11-18T10:09:22Z"
    worker.tick(seconds=15)
    assert len(sources["sample-b"].asked) == 2
    assert worker.status()["by_name"]["sample-b"]["state"] == "ok"


def test_an_exception_in_one_adapter_does_not_affect_other_providers(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    sources["sample-a"].fault = KeyError("a slip in the adapter")
    report = run_without_logs(worker.tick)
    assert set(report.failed) == {"sample-a quotes", "sample-a overview", "sample-a fear_greed"}
    assert all("slip" not in words for words in report.failed.values())
    assert worker.view().snapshot.published_prices["bitcoin"].providers == ("sample-b",)


def test_the_overview_comes_from_the_next_provider_while_the_first_fails(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    sources["sample-a"].fail()
    run_without_logs(worker.tick)
    run_without_logs(worker.tick, seconds=15)
    assert totals_from(worker) == "sample-b"
    sources["sample-a"].recover()
    for _ in range(10):
        run_without_logs(worker.tick, seconds=60)
    assert totals_from(worker) == "sample-a"


# -- all fail ----------------------------------------------------------------------------------------


def test_with_all_providers_down_the_last_figure_becomes_stale_disappears_and_recovers(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    worker.tick()
    before = worker.price("bitcoin")
    for source in sources.values():
        source.fail()

    run_without_logs(worker.tick, seconds=60)
    assert worker.price("bitcoin") == before
    run_without_logs(worker.tick, minutes=13)
    assert worker.price("bitcoin") == before
    run_without_logs(worker.tick, minutes=2)
    stale = worker.price("bitcoin")
    assert stale == before | {"source": "sample:stale"}
    run_without_logs(worker.tick, hours=23)
    assert worker.price("bitcoin") == stale
    assert worker.status()["stale"] == len(worker.market.registry.enabled)
    run_without_logs(worker.tick, hours=1)
    gone = worker.price("bitcoin")
    assert {name for name, value in gone.items() if value is not None} == {"id", "datasrc2_id", "symbol"}

    for source in sources.values():
        source.recover()
    worker.tick(hours=1)
    back = worker.price("bitcoin")
    assert back["source"] == "sample"
    assert back["last_updated"] > before["last_updated"]
    assert worker.status()["stale"] == 0


def test_stored_figures_match_those_a_reader_derives_without_refreshes(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    worker.tick()
    reader = worker.view()
    for source in sources.values():
        source.fail()
    for minutes in (1, 20, 60 * 5, 60 * 20):
        run_without_logs(worker.tick, minutes=minutes)
        reader.refresh_if_stale()
        own_figures, stored_ones = reader.snapshot.published_prices, worker.view().snapshot.published_prices
        for asset_id, figure in stored_ones.items():
            assert (own_figures[asset_id].price, own_figures[asset_id].source) == (
                figure.price,
                figure.source,
            )
            assert own_figures[asset_id].last_updated == figure.last_updated


def test_a_stale_figure_stores_no_price_point(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = failable_worker
    worker.tick()
    for source in sources.values():
        source.fail()
    run_without_logs(worker.tick, minutes=20)
    sources["sample-a"].fault = None
    with worker.database.read() as connection:
        assert connection.execute(sa.select(price_points.c.at).distinct()).scalars().all() == [
            worker.clock() - timedelta(minutes=20)
        ]


# -- realms ------------------------------------------------------------------------------------------
