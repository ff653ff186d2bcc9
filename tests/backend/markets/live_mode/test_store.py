"""Tests that live mode keeps ids, figures and candles over a restart, apart from the sample market's."""

from datetime import timedelta
from pathlib import Path

import pytest
import structlog

from backend.markets import configuration
from tests.support.apps.live_mode import MAP, NOON, QUOTES, Start
from tests.support.apps.market_app import Worker, build_sample_market, live_settings, run_app
from tests.support.providers.provider_server import FAULTS, says
from tests.support.providers.simulated_coins import COINS


def test_resolved_ids_survive_a_restart(start: Start, tmp_path: Path) -> None:
    live = start()
    live.tick()
    assert len(live.server.seen(MAP)) == 1
    market = configuration.build_market(live_settings(tmp_path, live.server.url), live.running.database)
    slug_ids = configuration.load_slug_ids(live.running.database)
    assert slug_ids.ids["pepe"] == 24478
    assert slug_ids.resolved_at == NOON
    live.server.pages.now = live.clock.move(minutes=30)
    with structlog.testing.capture_logs():
        Worker(live.running.database, market, live.clock).tick()
    assert len(live.server.seen(MAP)) == 1
    assert "24478" in live.server.seen(QUOTES)[-1].query["id"]
    market.close()


def test_sample_and_live_figures_in_one_store_are_never_mixed(start: Start) -> None:
    live = start()
    sample = Worker(live.running.database, build_sample_market(), live.clock)
    for _ in range(3):
        sample.tick(minutes=1)
        live.tick(minutes=5)
    assert b"sample" not in live.running.get("/prices").text
    assert b"sample" not in live.running.get("/prices/bitcoin/quotes").text
    assert {record["source"] for record in live.prices().values()} <= {
        *("coingecko", "coinmarketcap", "coingecko+coinmarketcap"),
    }
    price = sample.price("bitcoin")
    assert price["source"] == "sample"
    assert price["price_usd"] != live.prices()["bitcoin"]["price_usd"]
    totals = sample.view().snapshot.overview.totals
    assert totals is not None
    assert totals.provider == "sample-a"
    assert live.overview()["market_cap"]["source"] == "coingecko"
    day = live.running.json("/rankings?with_candles=24h&limit=1")[0]["candles_24h"]
    assert len(day) == 1  # the sample market's backfilled ones are not among them


def test_a_pause_leaves_a_gap_in_the_candles(start: Start) -> None:
    live = start()
    live.tick()
    live.tick(minutes=5)
    live.tick(hours=3)
    rows = live.running.json("/rankings?with_candles=24h&limit=1")[0]["candles_24h"]
    assert [row[0] for row in rows] == [
        int((NOON + timedelta(hours=hours)).timestamp() * 1000) for hours in (0, 3)
    ]


def test_the_service_starts_with_the_data_of_an_earlier_run(start: Start, tmp_path: Path) -> None:
    live = start()
    live.tick()
    restarted = run_app(live_settings(tmp_path, live.server.url), live.clock)
    assert restarted.json("/prices") == live.prices()
    restarted.close()


@pytest.mark.parametrize("fault", ["not-found", "unauthorised", "down", "broken-json"])
def test_unavailable_candles_fall_back_to_sampled_ones_without_affecting_quotes(
    start: Start, fault: str
) -> None:
    live = start()
    live.tick()
    live.server.always("/api/v3/coins/bitcoin/ohlc", FAULTS[fault])
    for span, basis in (("24h", "polls"), ("7d", "sparkline")):
        series = live.running.json(f"/assets/bitcoin/candles?span={span}")
        assert series["basis"] == basis
        assert series["candles"]
    assert live.provider("coingecko")["state"] == "ok"


def test_ohlc_candles_are_fetched_once_for_all_requests(start: Start) -> None:
    live = start()
    live.tick()
    first = live.running.json("/assets/bitcoin/candles?span=24h")
    assert (first["basis"], first["source"], len(first["candles"])) == ("ohlc", "coingecko", 48)
    assert live.running.json("/assets/bitcoin/candles?span=24h") == first
    assert len(live.server.seen("/api/v3/coins/bitcoin/ohlc")) == 1


@pytest.mark.parametrize(
    ("span", "basis", "page", "count"),
    [
        ("30d", "ohlc", "ohlc", 180),
        ("90d", "hourly_prices", "market_chart", 90),
        ("1y", "daily_prices", "market_chart", 365),
    ],
)
def test_a_long_history_is_fetched_once_and_stays_while_the_provider_is_down(
    start: Start, span: str, basis: str, page: str, count: int
) -> None:
    live = start(coingecko_monthly_quota=100_000)
    live.tick()
    credits = live.provider("coingecko")["credits_used"]
    path = f"/api/v3/coins/bitcoin/{page}"
    first = live.running.json(f"/assets/bitcoin/candles?span={span}")
    assert (first["basis"], first["source"], len(first["candles"])) == (basis, "coingecko", count)
    assert first["candles"][-1][4] == pytest.approx(live.server.pages.price(COINS[0], live.clock()))
    assert live.running.json(f"/assets/bitcoin/candles?span={span}") == first
    assert len(live.server.seen(path)) == 1
    assert live.provider("coingecko")["credits_used"] == credits + 1
    live.server.always(path, FAULTS["down"])
    live.clock.move(hours=13)
    later = live.running.json(f"/assets/bitcoin/candles?span={span}")
    assert (later["basis"], later["source"]) == (basis, "coingecko:stale")
    assert later["last_updated"] == first["last_updated"]


def test_the_last_hour_is_built_from_our_own_polls_without_a_call(start: Start) -> None:
    live = start()
    live.tick()
    for _ in range(12):
        live.tick(minutes=5)
    before = len(live.server.requests)
    series = live.running.json("/assets/bitcoin/candles?span=1h")
    assert (series["basis"], series["source"]) == ("polls", "coingecko+coinmarketcap")
    assert len(series["candles"]) == 12
    assert len(live.server.requests) == before


def test_a_refused_history_is_not_requested_again_at_once_and_own_candles_are_returned(start: Start) -> None:
    live = start()
    live.tick()
    path = "/api/v3/coins/bitcoin/market_chart"
    refusal = {"status": {"error_code": 10012, "error_message": "Beyond the allowed time range."}}
    live.server.always(path, says(401, {"error": refusal}))
    for _ in range(2):
        series = live.running.json("/assets/bitcoin/candles?span=1y")
        assert (series["basis"], len(series["candles"])) == ("polls", 1)
    assert len(live.server.seen(path)) == 1
    assert live.provider("coingecko")["state"] == "ok"


def test_no_key_of_a_provider_is_stored(start: Start, tmp_path: Path) -> None:
    live = start()
    live.tick()
    for file in tmp_path.glob("chainproof.db*"):
        assert b"a-key-of-the-test" not in file.read_bytes()
