"""Live mode end to end against a local server that speaks the providers' shapes, and fails as they do."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import structlog

from backend.http_client import Retry, UpstreamClient
from backend.markets import setup
from tests.support import databases
from tests.support.market_app import (
    BarePages,
    Clock,
    Running,
    Worker,
    enable_only,
    few_in_sample,
    live_settings,
    run_app,
    worker_of,
)
from tests.support.provider_pages import COINS, Coin, Pages, Query
from tests.support.provider_server import FAULTS, Behaviour, ProviderServer, free_port

MARKETS = "/api/v3/coins/markets"
GLOBAL = "/api/v3/global"
FEAR_GREED = "/fng/"
QUOTES = "/v3/cryptocurrency/quotes/latest"
MAP = "/v1/cryptocurrency/map"
ASSETS = ("bitcoin", "ethereum", "solana", "pepe", "shiba-inu", "wrapped-bitcoin", "monero")
OWN = """\
assets:
  - {id: example-grain, name: Grain, symbol: GRAIN, datasrc1_slug: example-grain, datasrc2_id: example-grain}
  - {id: other-pepe, name: Other Pepe, symbol: PEPE, datasrc2_id: example-other-pepe}
"""
NOON = datetime.fromisoformat("2026-05-18T12:00:00Z")


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """One attempt and a tiny deadline, so that a test of a slow provider is not slow itself."""
    defaults: dict[str, Any] = UpstreamClient.__init__.__kwdefaults__ or {}
    assert {"deadline", "retry"} <= set(defaults)
    monkeypatch.setitem(defaults, "deadline", 0.6)
    monkeypatch.setitem(defaults, "retry", Retry(attempts=1))


class Live:
    """The application and its worker in live mode, and the server that both ask."""

    def __init__(self, server: ProviderServer, running: Running) -> None:
        self.server, self.running, self.clock = server, running, running.clock
        self.worker = worker_of(running)

    def tick(self, **later: float) -> None:
        self.clock.move(**later)
        self.server.pages.now = self.clock()
        with structlog.testing.capture_logs():
            self.worker.tick()
        self.running.look()

    def prices(self) -> dict[str, Any]:
        return self.running.json("/prices")  # type: ignore[no-any-return]

    def provider(self, name: str) -> dict[str, Any]:
        told: list[dict[str, Any]] = self.running.json("/markets/status")["providers"]
        return next(each for each in told if each["provider"] == name)

    def overview(self) -> dict[str, Any]:
        return self.running.json("/crypto/market-overview")  # type: ignore[no-any-return]

    def quotes(self, asset_id: str) -> dict[str, Any]:
        told: dict[str, Any] = self.running.json(f"/prices/{asset_id}/quotes")
        return told | {"by_provider": {quote["provider"]: quote for quote in told["quotes"]}}


Start = Callable[..., Live]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Live mode with ``pages``, and what else the settings are to say."""
    begun: list[Live] = []

    def begin(pages: Pages | None = None, *, assets: tuple[str, ...] = ASSETS, **settings: Any) -> Live:
        enable_only(tmp_path, assets, more=OWN)
        server = ProviderServer(pages or Pages())
        server.__enter__()
        live = Live(server, run_app(live_settings(tmp_path, server.url, **settings), Clock(NOON)))
        begun.append(live)
        return live

    yield begin
    for live in begun:
        live.running.close()
        live.server.__exit__()


# -- all is well -------------------------------------------------------------------------------------


def test_two_providers_that_agree_are_averaged_and_named(start: Start) -> None:
    live = start()
    live.tick()
    record = live.prices()["bitcoin"]
    assert record["source"] == "coingecko+coinmarketcap"
    told = live.quotes("bitcoin")
    each = [Decimal(quote["price_usd"]) for quote in told["quotes"]]
    assert Decimal(record["price_usd"]) == sum(each) / 2
    assert record["last_updated"] == min(quote["as_of"] for quote in told["quotes"])
    assert told["rule"] == "mean"
    assert all(quote["used"] for quote in told["quotes"])
    answer = live.running.get("/prices")
    assert answer.headers["x-data-mode"] == "live"
    assert b"sample" not in answer.text


def test_the_overview_is_the_first_providers_and_the_index_that_of_its_own(start: Start) -> None:
    live = start()
    live.tick()
    overview = live.overview()
    assert overview["market_cap"]["source"] == overview["volume_24h"]["source"] == "coingecko"
    assert overview["fear_greed"] == {
        "value": 40,
        "label": "Fear",
        "last_updated": "2026-05-18T00:00:00Z",
        "source": "alternative.me",
    }


def test_candles_of_a_week_come_from_the_sparkline_and_those_of_a_day_grow(start: Start) -> None:
    live = start()
    live.tick()
    for token in live.running.json("/rankings?with_candles=7d"):
        assert len(token["candles_7d"]) == (42 if token["price_usd"] else 0), token["id"]
    for minutes in (5, 10, 20):
        live.tick(minutes=minutes)
    token = live.running.json("/rankings?with_candles=24h&limit=1")[0]
    assert len(token["candles_24h"]) == 2
    assert token["candles_24h"][-1][4] == float(live.prices()["bitcoin"]["price_usd"])


def test_everything_is_well_in_the_status_and_credits_are_counted(start: Start) -> None:
    live = start()
    live.tick()
    for name, roles in (
        ("coingecko", ["quotes", "overview"]),
        ("coinmarketcap", ["quotes", "overview", "fear_greed"]),
        ("alternative.me", ["fear_greed"]),
    ):
        told = live.provider(name)
        assert (told["state"], told["message"], told["role"]) == ("ok", None, roles)
        assert told["last_success_at"] == "2026-05-18T12:00:00Z"
    assert live.provider("coingecko")["credits_used"] is None  # keyless: nothing is counted
    cmc = live.provider("coinmarketcap")
    assert (cmc["credits_used"], cmc["credits_quota"]) == (1, 10_000)
    assert cmc["quota_resets_at"] == "2026-06-01T00:00:00Z"
    live.tick(seconds=cmc["poll_interval_seconds"])
    assert live.provider("coinmarketcap")["credits_used"] == 2
    live.tick(days=20)
    assert live.provider("coinmarketcap")["credits_used"] == 1


def test_a_metered_plan_of_the_first_provider_counts_each_of_its_calls(start: Start) -> None:
    live = start(coingecko_api_key="a-key-of-the-test", coingecko_plan="demo")
    live.tick()
    told = live.provider("coingecko")
    assert (told["credits_used"], told["credits_quota"]) == (2, 10_000)  # quotes and overview
    assert live.running.get("/assets/bitcoin/candles").status == 200
    assert live.provider("coingecko")["credits_used"] == 3
    assert live.running.get("/assets/bitcoin/candles").status == 200  # kept
    assert live.provider("coingecko")["credits_used"] == 3
    assert live.server.seen(MARKETS)[0].headers["x-cg-demo-api-key"] == "a-key-of-the-test"


def test_without_a_key_for_the_second_provider_the_first_alone_is_asked(start: Start) -> None:
    live = start(coinmarketcap_api_key=None)
    live.tick()
    assert live.prices()["bitcoin"]["source"] == "coingecko"
    assert live.server.seen(QUOTES) == []


def test_no_key_reaches_an_answer(start: Start) -> None:
    live = start()
    live.server.always(
        QUOTES, Behaviour(401, b'{"status":{"error_code":1001,"error_message":"bad a-key-of-the-test"}}')
    )
    live.tick()
    for path in ("/markets/status", "/prices/bitcoin/quotes", "/prices"):
        assert b"a-key-of-the-test" not in live.running.get(path).body


# -- odd figures -------------------------------------------------------------------------------------


def test_tiny_prices_come_through_exactly_and_without_an_exponent(start: Start) -> None:
    live = start(coinmarketcap_api_key=None)
    live.tick()
    prices = live.prices()
    for asset_id, coin in (
        ("example-grain", "example-grain"),
        ("other-pepe", "example-other-pepe"),
        ("pepe", "pepe"),
    ):
        known = next(each for each in COINS if each.gecko == coin)
        sent = live.server.pages.price(known, live.clock())
        assert prices[asset_id]["price_usd"] == format(Decimal(str(sent)), "f")


def test_two_assets_with_one_symbol_keep_apart_and_the_larger_has_it(start: Start) -> None:
    live = start()
    live.tick()
    prices, legacy = live.prices(), live.running.json("/prices/all")
    assert prices["pepe"]["symbol"] == prices["other-pepe"]["symbol"] == "PEPE"
    assert prices["pepe"]["price_usd"] != prices["other-pepe"]["price_usd"]
    assert legacy["PEPE"] == prices["pepe"] == live.running.json("/aggregation/pepe")
    assert legacy["other-pepe"] == prices["other-pepe"]
    assert prices["other-pepe"]["market_cap"] is None


def test_an_asset_without_a_rank_has_none_and_still_has_a_price(start: Start) -> None:
    live = start()
    live.tick()
    record = live.prices()["wrapped-bitcoin"]
    assert record["market_cap_rank"] is None
    assert record["price_usd"] is not None


def test_ids_that_are_gone_are_null_and_named_and_the_rest_stands(start: Start) -> None:
    live = start(Pages(gone={"monero", "solana"}))
    live.tick()
    prices = live.prices()
    assert prices["monero"]["price_usd"] is prices["solana"]["source"] is None
    assert prices["bitcoin"]["source"] == "coingecko+coinmarketcap"
    assert live.provider("coingecko")["missing_ids"] == ["monero", "solana"]
    assert {"monero", "solana"} <= set(live.provider("coinmarketcap")["missing_ids"])
    assert live.running.json("/markets/status")["stale"] == 2
    assert live.running.get("/assets/monero/candles").json()["candles"] == []


class EmptyPrices(Pages):
    """A renamed coin: its row is there, with an object where the price was."""

    def gecko_row(self, coin: Coin, query: Query) -> dict[str, Any]:
        row = super().gecko_row(coin, query)
        return row | {"current_price": {}} if coin.gecko == "solana" else row


def test_an_empty_price_is_none_and_the_other_providers_stands(start: Start) -> None:
    live = start(EmptyPrices())
    live.tick()
    assert live.prices()["solana"]["source"] == "coinmarketcap"
    assert [quote["provider"] for quote in live.quotes("solana")["quotes"]] == ["coinmarketcap"]


class OddTimes(Pages):
    """Zero times as some languages write them, and addresses that no store can hold."""

    def gecko_row(self, coin: Coin, query: Query) -> dict[str, Any]:
        row = super().gecko_row(coin, query) | {"ath_date": "0001-01-01T00:00:00Z"}
        if coin.gecko == "solana":
            row["last_updated"] = "0001-01-01T00:00:00Z"
        if coin.gecko == "pepe":
            row["image"] = "https://images.example/\ud800\x00.png"
        return row


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_times_of_the_year_one_and_addresses_that_are_none_break_nothing(
    start: Start, store: databases.Store, tmp_path: Path
) -> None:
    try:
        with databases.fresh(store, tmp_path) as url:
            live = start(OddTimes(), coinmarketcap_api_key=None, database_url=url)
            live.tick()
            live.tick(minutes=5)
            assert live.worker.reports[-1].failed == {}
            assert live.prices()["bitcoin"]["ath_date"] == "0001-01-01T00:00:00Z"
            assert live.prices()["solana"]["price_usd"] is None
            assert live.prices()["pepe"]["price_usd"] is not None
            live.running.close()
    except databases.NoPostgres as missing:
        pytest.skip(str(missing))


def test_rows_with_nulls_everywhere_give_a_price_and_nothing_made_up(start: Start) -> None:
    live = start(BarePages())
    live.tick()
    record = live.prices()["bitcoin"]
    assert record["source"] == "coingecko+coinmarketcap"
    assert record["market_cap"] is record["pct_change_24h"] is record["ath"] is None
    tokens = live.running.json("/rankings?sort=pct_change_24h")
    assert [token["id"] for token in tokens] == sorted(token["id"] for token in tokens)


# -- one provider fails ------------------------------------------------------------------------------

STATES = {
    "throttled-json": ("throttled", "2026-05-18T12:01:00Z"),
    "throttled-json-7s": ("throttled", "2026-05-18T12:00:07Z"),
    "throttled-text": ("throttled", "2026-05-18T12:01:00Z"),
    "throttled-html": ("throttled", "2026-05-18T12:01:00Z"),
    "unauthorised": ("unauthorised", None),
    "payment": ("unauthorised", None),
    "forbidden-html": ("unauthorised", None),
    "broken-json": ("ok", None),
    "web-page": ("ok", None),
    "empty": ("ok", None),
    "cut-off": ("ok", None),
    "dropped": ("ok", None),
    "slow": ("ok", None),
    "down": ("ok", None),
}
"""What a provider's state is after one such answer, and when it is asked again."""


@pytest.mark.parametrize("fault", STATES)
def test_while_the_first_provider_fails_the_second_ones_figures_stand_and_the_status_says_why(
    start: Start, fault: str
) -> None:
    live = start()
    live.server.always(MARKETS, FAULTS[fault])
    live.tick()
    record = live.prices()["bitcoin"]
    assert record["source"] == "coinmarketcap"
    assert record["price_usd"] is not None
    assert [quote["provider"] for quote in live.quotes("bitcoin")["quotes"]] == ["coinmarketcap"]
    told = live.provider("coingecko")
    assert (told["state"], told["retry_at"]) == STATES[fault]
    assert told["message"]
    assert live.provider("coinmarketcap")["state"] == "ok"
    assert live.overview()["market_cap"]["value"] is not None


@pytest.mark.parametrize(
    "fault", ["throttled-json", "month-spent", "key-wrong", "down", "broken-json", "payment"]
)
def test_while_the_second_provider_fails_the_first_ones_figures_stand(start: Start, fault: str) -> None:
    live = start()
    live.server.always(QUOTES, FAULTS[fault])
    live.server.always("/v2/cryptocurrency/quotes/latest", FAULTS[fault])
    live.tick()
    assert live.prices()["bitcoin"]["source"] == "coingecko"
    told = live.provider("coinmarketcap")
    assert told["message"]
    expected = {"throttled-json": "throttled", "month-spent": "quota_spent", "key-wrong": "unauthorised"}
    assert told["state"] == expected.get(fault, "unauthorised" if fault == "payment" else "ok")


def test_a_throttled_provider_is_asked_again_exactly_when_it_said(start: Start) -> None:
    live = start()
    live.server.once(MARKETS, FAULTS["throttled-json-7s"])
    live.tick()
    live.tick(seconds=6)
    assert len(live.server.seen(MARKETS)) == 1
    live.tick(seconds=2)
    assert len(live.server.seen(MARKETS)) == 2
    assert live.prices()["bitcoin"]["source"] == "coingecko+coinmarketcap"
    assert live.provider("coingecko")["state"] == "ok"


def test_a_refused_key_is_not_used_again_until_it_is_changed(start: Start, tmp_path: Path) -> None:
    live = start()
    live.server.always(QUOTES, FAULTS["key-wrong"])
    live.tick()
    for _ in range(3):
        live.tick(hours=1)
    assert len(live.server.seen(QUOTES)) == 1
    live.server.always(QUOTES, None)
    settings = live_settings(tmp_path, live.server.url, coinmarketcap_api_key="another-key")
    market = setup.prepare(settings, live.running.database)
    live.server.pages.now = live.clock.move(minutes=1)
    Worker(live.running.database, market, live.clock).tick()
    live.running.look()
    assert len(live.server.seen(QUOTES)) == 2
    assert "coinmarketcap" in live.prices()["bitcoin"]["source"]
    market.close()


def test_a_plan_without_the_overview_takes_it_from_the_other_provider(start: Start) -> None:
    live = start()
    live.server.always(GLOBAL, FAULTS["unauthorised"])
    for _ in range(6):
        live.tick(minutes=5)
    assert live.prices()["bitcoin"]["source"] == "coingecko+coinmarketcap"
    assert live.overview()["market_cap"]["source"] == "coinmarketcap"
    live.server.always(GLOBAL, None)
    for _ in range(4):
        live.tick(hours=1)
    assert live.overview()["market_cap"]["source"] == "coingecko"


def test_a_provider_whose_month_is_spent_leaves_the_overview_to_the_other(start: Start) -> None:
    live = start(coingecko_api_key="k", coingecko_plan="demo", coingecko_monthly_quota=100)
    live.tick()
    with live.running.database.write() as connection:
        connection.exec_driver_sql(
            "UPDATE provider_states SET body = replace(body, '\"used\":2', '\"used\":100')"
        )
    live.tick(days=2)
    assert live.provider("coingecko")["credits_used"] == 100
    assert live.overview()["market_cap"]["source"] == "coinmarketcap"
    assert live.prices()["bitcoin"]["source"] == "coinmarketcap"


def test_the_index_returns_to_its_own_provider_when_that_answers_again(start: Start) -> None:
    live = start()
    live.server.once(FEAR_GREED, FAULTS["web-page"])
    live.tick()
    live.tick(seconds=15)
    live.tick(hours=2)
    live.tick(hours=2)
    assert live.overview()["fear_greed"]["source"] == "alternative.me"


def test_the_index_comes_from_the_other_provider_while_its_own_does_not_answer(start: Start) -> None:
    live = start()
    live.server.always(FEAR_GREED, FAULTS["web-page"])
    live.tick()
    live.tick(seconds=15)
    fear_greed = live.overview()["fear_greed"]
    assert (fear_greed["value"], fear_greed["label"], fear_greed["source"]) == (64, "Greed", "coinmarketcap")


# -- both fail ---------------------------------------------------------------------------------------


def test_when_nobody_answers_the_last_figures_stand_then_are_stale_then_go_then_return(start: Start) -> None:
    live = start()
    live.tick()
    known = live.prices()["bitcoin"]
    live.server.always("*", FAULTS["web-page"])
    live.tick(minutes=10)
    assert live.prices()["bitcoin"] == known
    live.tick(minutes=25)
    assert live.prices()["bitcoin"] == known | {"source": "coingecko+coinmarketcap:stale"}
    assert live.running.json("/markets/status")["stale"] == len(live.prices())
    live.tick(hours=20)
    assert live.prices()["bitcoin"]["price_usd"] == known["price_usd"]
    assert live.overview()["market_cap"]["source"] == "coingecko:stale"
    live.tick(hours=4)
    assert live.prices()["bitcoin"]["price_usd"] is live.prices()["bitcoin"]["source"] is None
    live.server.always("*", None)
    live.tick(hours=1)
    assert live.prices()["bitcoin"]["source"] == "coingecko+coinmarketcap"
    assert live.overview()["market_cap"]["source"] == "coingecko"


def test_a_provider_that_is_not_there_at_all_is_a_sentence_in_the_status(tmp_path: Path) -> None:
    enable_only(tmp_path, ("bitcoin",))
    settings = live_settings(tmp_path, f"http://127.0.0.1:{free_port()}")
    running = run_app(settings, Clock(NOON))
    with structlog.testing.capture_logs():
        report = worker_of(running).tick()
    running.look()
    assert report.answered == ()
    assert running.json("/prices")["bitcoin"]["price_usd"] is None
    for told in running.json("/markets/status")["providers"]:
        assert told["last_success_at"] is None
        assert told["message"]
    running.close()


# -- what is kept ------------------------------------------------------------------------------------


def test_resolved_ids_are_kept_over_a_restart(start: Start, tmp_path: Path) -> None:
    live = start()
    live.tick()
    assert len(live.server.seen(MAP)) == 1
    market = setup.prepare(live_settings(tmp_path, live.server.url), live.running.database)
    kept = setup.load_slug_ids(live.running.database)
    assert kept.ids["pepe"] == 24478
    assert kept.resolved_at == NOON
    live.server.pages.now = live.clock.move(minutes=30)
    with structlog.testing.capture_logs():
        Worker(live.running.database, market, live.clock).tick()
    assert len(live.server.seen(MAP)) == 1
    assert "24478" in live.server.seen(QUOTES)[-1].query["id"]
    market.close()


def test_sample_and_live_figures_in_one_store_never_meet(start: Start) -> None:
    live = start()
    sample = Worker(live.running.database, few_in_sample(), live.clock)
    for _ in range(3):
        sample.tick(minutes=1)
        live.tick(minutes=5)
    assert b"sample" not in live.running.get("/prices").text
    assert b"sample" not in live.running.get("/prices/bitcoin/quotes").text
    assert {record["source"] for record in live.prices().values()} <= {
        *("coingecko", "coinmarketcap", "coingecko+coinmarketcap"),
    }
    shown = sample.price("bitcoin")
    assert shown["source"] == "sample"
    assert shown["price_usd"] != live.prices()["bitcoin"]["price_usd"]
    totals = sample.view().snapshot.overview.totals
    assert totals is not None
    assert totals.provider == "sample-a"
    assert live.overview()["market_cap"]["source"] == "coingecko"
    day = live.running.json("/rankings?with_candles=24h&limit=1")[0]["candles_24h"]
    assert len(day) == 1  # the sample market's backfilled ones are not among them


def test_a_pause_leaves_a_gap_in_the_candles_that_nobody_fills_with_a_guess(start: Start) -> None:
    live = start()
    live.tick()
    live.tick(minutes=5)
    live.tick(hours=3)
    rows = live.running.json("/rankings?with_candles=24h&limit=1")[0]["candles_24h"]
    assert [row[0] for row in rows] == [
        int((NOON + timedelta(hours=hours)).timestamp() * 1000) for hours in (0, 3)
    ]


def test_the_service_starts_on_what_an_earlier_run_stored(start: Start, tmp_path: Path) -> None:
    live = start()
    live.tick()
    again = run_app(live_settings(tmp_path, live.server.url), live.clock)
    assert again.json("/prices") == live.prices()
    again.close()


@pytest.mark.parametrize("fault", ["not-found", "unauthorised", "down", "broken-json"])
def test_candles_that_cannot_be_had_fall_back_to_our_own_and_cost_the_quotes_nothing(
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


def test_true_candles_are_fetched_once_for_all_readers(start: Start) -> None:
    live = start()
    live.tick()
    first = live.running.json("/assets/bitcoin/candles?span=24h")
    assert (first["basis"], first["source"], len(first["candles"])) == ("ohlc", "coingecko", 48)
    assert live.running.json("/assets/bitcoin/candles?span=24h") == first
    assert len(live.server.seen("/api/v3/coins/bitcoin/ohlc")) == 1


def test_no_key_of_a_provider_is_stored(start: Start, tmp_path: Path) -> None:
    live = start()
    live.tick()
    for file in tmp_path.glob("chainproof.db*"):
        assert b"a-key-of-the-test" not in file.read_bytes()
