"""One refresh after another: what is asked, what is stored, what is told when providers fail."""

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
from tests.support.market_app import FailingSource, Worker, build_sample_market, make_sources_failable, stored


class PowerCut(BaseException):
    """What a killed process is to the code in its transaction."""


@pytest.fixture
def trouble(sqlite_database: Database) -> tuple[Worker, dict[str, FailingSource]]:
    """A worker whose providers do as the test says."""
    market, sources = make_sources_failable(build_sample_market())
    return Worker(sqlite_database, market), sources


def changes(database: Database) -> int:
    with database.read() as connection:
        query = sa.select(change_counters.c.n).where(change_counters.c.topic == CHANGE_TOPIC)
        return connection.execute(query).scalar() or 0


def totals_from(worker: Worker) -> str | None:
    totals = worker.view().snapshot.overview.totals
    return totals.provider if totals else None


def quietly(tick: Callable[..., Any], **later: float) -> Any:
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
    assert changes(database) == 1


def test_the_same_refreshes_store_the_same_on_both_databases(database: Database) -> None:
    """Figures are exact wherever they are stored: the other store's run is the yardstick."""
    worker = Worker(database, build_sample_market())
    worker.tick()
    worker.tick(seconds=15)
    prices = {asset.id: worker.price(asset.id)["price_usd"] for asset in worker.market.registry.enabled}
    quoted = build_sample_market().sources.quotes[0].quotes(worker.market.registry.enabled, worker.clock())
    lone = quoted.quotes["unus-sed-leo"]
    assert Decimal(prices["unus-sed-leo"]) == lone.price
    candle_arrays = {
        key: candle_array
        for key, candle_array in worker.view().snapshot.candle_arrays.items()
        if key[0] == "bitcoin"
    }
    assert len(candle_arrays) == 2


def test_a_second_tick_in_the_same_second_polls_nobody_and_changes_nothing(worker: Worker) -> None:
    worker.tick()
    worker.tick()  # judges the first quotes once more, now beside a published price
    before = stored(worker.database)
    report = worker.tick()
    assert report.answered == ()
    assert report.changed == 0
    assert stored(worker.database) == before


def test_each_role_is_polled_at_its_own_interval(trouble: tuple[Worker, dict[str, FailingSource]]) -> None:
    worker, sources = trouble
    for _ in range(21):
        worker.tick(seconds=15)
    asked = sources["sample-a"].asked
    assert asked.count("quotes") == 21
    assert asked.count("global_figures") == 6
    assert asked.count("fear_greed") == 2
    assert sources["sample-b"].asked == ["quotes"] * 21  # the first gives the rest


def test_all_providers_are_polled_after_the_clock_was_set_back(
    trouble: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = trouble
    worker.tick()
    worker.tick(hours=-1)
    assert sources["sample-b"].asked == ["quotes"] * 2
    worker.tick(seconds=5)
    assert sources["sample-b"].asked == ["quotes"] * 2, "from then on by the new time"


def test_a_slightly_early_tick_after_a_late_one_still_polls(
    trouble: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = trouble
    worker.tick()
    worker.tick(seconds=11.9)
    assert sources["sample-b"].asked == ["quotes"]
    worker.tick(seconds=0.2)
    assert sources["sample-b"].asked == ["quotes"] * 2


def test_no_transaction_is_open_during_a_provider_call(
    trouble: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = trouble
    one_at_a_time = threading.Lock()

    def write_meanwhile() -> None:
        with one_at_a_time:  # the questions are asked side by side
            other = sqlite3.connect(worker.database.url.removeprefix("sqlite:///"), timeout=0)
            other.executescript("BEGIN IMMEDIATE; UPDATE change_counters SET n = n + 1; COMMIT")
            other.close()

    with worker.database.write() as connection:
        bump(connection, CHANGE_TOPIC)
    sources["sample-a"].before_answer = write_meanwhile
    assert worker.tick().failed == {}
    assert changes(worker.database) == 5  # ours, one a question, and the refresh's own


# -- killed ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "where",
    [
        "store_states",
        "bump",
        "published_to_row",
        "price_history.render_half_hours",
        "incident_log.record_incidents",
    ],
)
def test_a_killed_refresh_changes_nothing_and_the_next_one_succeeds(
    database: Database, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    worker = Worker(database, build_sample_market())
    worker.tick()
    before, shown = stored(database), worker.price("bitcoin")

    def cut(*_: object, **__: object) -> None:
        raise PowerCut

    room, _, name = where.rpartition(".")
    with monkeypatch.context() as patched:
        patched.setattr(getattr(refresh, room) if room else refresh, name, cut)
        with contextlib.suppress(PowerCut):
            worker.tick(seconds=60)
    assert worker.reports[-1].changed == len(
        worker.market.registry.enabled
    )  # of the first: the second never ended
    assert stored(database) == before
    assert worker.price("bitcoin") == shown
    assert worker.tick(seconds=15).failed == {}
    assert worker.price("bitcoin")["last_updated"] > shown["last_updated"]


# -- one provider fails ------------------------------------------------------------------------------


def test_a_failing_provider_is_reported_without_affecting_the_others(
    trouble: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = trouble
    worker.tick()
    sources["sample-b"].fail()
    for _ in range(12):
        report = quietly(worker.tick, seconds=60)
    assert "sample-a quotes" in report.answered
    figure = worker.view().snapshot.figures["bitcoin"]
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


def test_a_provider_that_fails_at_every_tick_is_soon_called_less_often(
    trouble: tuple[Worker, dict[str, FailingSource]],
) -> None:
    """Even one that is asked for quotes alone, which at ticks of 15 s fails four times a minute."""
    worker, sources = trouble
    sources["sample-b"].fail()
    for _ in range(40):
        quietly(worker.tick, seconds=15)
    assert len(sources["sample-b"].asked) < 20
    assert worker.status()["by_name"]["sample-b"]["state"] in ("open", "waiting")
    sources["sample-b"].recover()
    for _ in range(40):
        quietly(worker.tick, seconds=15)
    assert worker.status()["by_name"]["sample-b"]["state"] == "ok"
    assert worker.view().snapshot.figures["bitcoin"].providers == ("sample-a", "sample-b")


def test_a_provider_is_not_called_before_its_retry_after(
    trouble: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = trouble
    sources["sample-b"].fail(ErrorKind.THROTTLED, retry_after=100)
    quietly(worker.tick)
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
    trouble: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = trouble
    sources["sample-a"].fault = KeyError("a slip in the adapter")
    report = quietly(worker.tick)
    assert set(report.failed) == {"sample-a quotes", "sample-a overview", "sample-a fear_greed"}
    assert all("slip" not in words for words in report.failed.values())
    assert worker.view().snapshot.figures["bitcoin"].providers == ("sample-b",)


def test_the_overview_comes_from_the_next_provider_while_the_first_fails(
    trouble: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = trouble
    sources["sample-a"].fail()
    quietly(worker.tick)
    quietly(worker.tick, seconds=15)
    assert totals_from(worker) == "sample-b"
    sources["sample-a"].recover()
    for _ in range(10):
        quietly(worker.tick, seconds=60)
    assert totals_from(worker) == "sample-a"


# -- all fail ----------------------------------------------------------------------------------------


def test_with_all_providers_down_the_last_figure_becomes_stale_disappears_and_recovers(
    trouble: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = trouble
    worker.tick()
    known = worker.price("bitcoin")
    for source in sources.values():
        source.fail()

    quietly(worker.tick, seconds=60)
    assert worker.price("bitcoin") == known
    quietly(worker.tick, minutes=13)
    assert worker.price("bitcoin") == known
    quietly(worker.tick, minutes=2)
    stale = worker.price("bitcoin")
    assert stale == known | {"source": "sample:stale"}
    quietly(worker.tick, hours=23)
    assert worker.price("bitcoin") == stale
    assert worker.status()["stale"] == len(worker.market.registry.enabled)
    quietly(worker.tick, hours=1)
    gone = worker.price("bitcoin")
    assert {name for name, value in gone.items() if value is not None} == {"id", "datasrc2_id", "symbol"}

    for source in sources.values():
        source.recover()
    worker.tick(hours=1)
    back = worker.price("bitcoin")
    assert back["source"] == "sample"
    assert back["last_updated"] > known["last_updated"]
    assert worker.status()["stale"] == 0


def test_stored_figures_match_those_a_reader_derives_without_refreshes(
    trouble: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, sources = trouble
    worker.tick()
    reader = worker.view()
    for source in sources.values():
        source.fail()
    for minutes in (1, 20, 60 * 5, 60 * 20):
        quietly(worker.tick, minutes=minutes)
        reader.refresh_if_stale()
        mine, stored_ones = reader.snapshot.figures, worker.view().snapshot.figures
        for asset_id, figure in stored_ones.items():
            assert (mine[asset_id].price, mine[asset_id].source) == (figure.price, figure.source)
            assert mine[asset_id].last_updated == figure.last_updated


def test_a_stale_figure_stores_no_price_point(trouble: tuple[Worker, dict[str, FailingSource]]) -> None:
    worker, sources = trouble
    worker.tick()
    for source in sources.values():
        source.fail()
    quietly(worker.tick, minutes=20)
    sources["sample-a"].fault = None
    with worker.database.read() as connection:
        assert connection.execute(sa.select(price_points.c.at).distinct()).scalars().all() == [
            worker.clock() - timedelta(minutes=20)
        ]


# -- realms ------------------------------------------------------------------------------------------
