"""Tests the figures of live mode end to end, against a local server with the providers' formats."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.support.apps.live_mode import MARKETS, QUOTES, Start
from tests.support.apps.market_app import BarePages
from tests.support.providers.provider_pages import Pages, Query
from tests.support.providers.provider_server import FAULTS, Behaviour
from tests.support.providers.simulated_coins import COINS, Coin
from tests.support.store import databases

# -- all is well -------------------------------------------------------------------------------------


def test_two_providers_that_agree_are_averaged_and_named(start: Start) -> None:
    live = start()
    live.tick()
    record = live.prices()["bitcoin"]
    assert record["source"] == "coingecko+coinmarketcap"
    result = live.quotes("bitcoin")
    prices = [Decimal(quote["price_usd"]) for quote in result["quotes"]]
    assert Decimal(record["price_usd"]) == sum(prices) / 2
    assert record["last_updated"] == min(quote["as_of"] for quote in result["quotes"])
    assert result["rule"] == "mean"
    assert all(quote["used"] for quote in result["quotes"])
    answer = live.running.get("/prices")
    assert answer.headers["x-data-mode"] == "live"
    assert b"sample" not in answer.text


def test_the_overview_comes_from_the_first_provider_and_the_index_from_its_own(start: Start) -> None:
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


def test_week_candles_come_from_the_sparkline_and_day_candles_from_polls(start: Start) -> None:
    live = start()
    live.tick()
    for token in live.running.json("/rankings?with_candles=7d"):
        assert len(token["candles_7d"]) == (42 if token["price_usd"] else 0), token["id"]
    for minutes in (5, 10, 20):
        live.tick(minutes=minutes)
    token = live.running.json("/rankings?with_candles=24h&limit=1")[0]
    assert len(token["candles_24h"]) == 2
    assert token["candles_24h"][-1][4] == float(live.prices()["bitcoin"]["price_usd"])


def test_the_status_is_ok_and_credits_are_counted(start: Start) -> None:
    live = start()
    live.tick()
    for name, roles in (
        ("coingecko", ["quotes", "overview"]),
        ("coinmarketcap", ["quotes", "overview", "fear_greed"]),
        ("alternative.me", ["fear_greed"]),
    ):
        result = live.provider(name)
        assert (result["state"], result["message"], result["role"]) == ("ok", None, roles)
        assert result["last_success_at"] == "2026-05-18T12:00:00Z"
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
    result = live.provider("coingecko")
    assert (result["credits_used"], result["credits_quota"]) == (2, 10_000)  # quotes and overview
    assert live.running.get("/assets/bitcoin/candles").status == 200
    assert live.provider("coingecko")["credits_used"] == 3
    assert live.running.get("/assets/bitcoin/candles").status == 200  # kept
    assert live.provider("coingecko")["credits_used"] == 3
    assert live.server.seen(MARKETS)[0].headers["x-cg-demo-api-key"] == "a-key-of-the-test"


def test_without_a_key_for_the_second_provider_only_the_first_is_polled(start: Start) -> None:
    live = start(coinmarketcap_api_key=None)
    live.tick()
    assert live.prices()["bitcoin"]["source"] == "coingecko"
    assert live.server.seen(QUOTES) == []


def test_no_key_appears_in_a_response(start: Start) -> None:
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
        known_coin = next(known for known in COINS if known.gecko == coin)
        sent_price = live.server.pages.price(known_coin, live.clock())
        assert prices[asset_id]["price_usd"] == format(Decimal(str(sent_price)), "f")


def test_two_assets_with_one_symbol_stay_separate_and_the_larger_has_it(start: Start) -> None:
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


def test_removed_ids_have_null_prices_and_are_listed_without_affecting_others(start: Start) -> None:
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


def test_an_empty_price_is_ignored_and_the_other_providers_is_used(start: Start) -> None:
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
def test_dates_of_year_one_and_invalid_urls_cause_no_errors(
    start: Start, store: databases.Store, tmp_path: Path
) -> None:
    with databases.create_database(store, tmp_path) as url:
        live = start(OddTimes(), coinmarketcap_api_key=None, database_url=url)
        live.tick()
        live.tick(minutes=5)
        assert live.worker.reports[-1].failed == {}
        assert live.prices()["bitcoin"]["ath_date"] == "0001-01-01T00:00:00Z"
        assert live.prices()["solana"]["price_usd"] is None
        assert live.prices()["pepe"]["price_usd"] is not None
        live.running.close()


def test_rows_with_only_nulls_beside_the_price_give_only_a_price(start: Start) -> None:
    live = start(BarePages())
    live.tick()
    record = live.prices()["bitcoin"]
    assert record["source"] == "coingecko+coinmarketcap"
    assert record["market_cap"] is record["pct_change_24h"] is record["ath"] is None
    tokens = live.running.json("/rankings?sort=pct_change_24h")
    assert [token["id"] for token in tokens] == sorted(token["id"] for token in tokens)


@pytest.mark.parametrize("primary", ["coingecko", "coinmarketcap"])
def test_exchange_rates_come_from_coingecko_whoever_gives_the_overview(start: Start, primary: str) -> None:
    live = start(primary_provider=primary)
    live.tick()
    assert live.overview()["market_cap"]["source"] == primary
    answer = live.running.json("/markets/rates")["rates"]
    assert answer["EUR"] == {
        "rate": "0.85",
        "source": "coingecko",
        "last_updated": "2026-05-18T12:00:00Z",
    }
    assert answer["GBP"] == {"rate": None, "source": None, "last_updated": None}  # the provider says nothing
    assert answer["BTC"]["source"] == "coingecko+coinmarketcap"


def test_the_last_known_rates_are_marked_as_stale(start: Start) -> None:
    live = start()
    live.tick()
    live.server.always("*", FAULTS["web-page"])
    live.tick(hours=4)
    rate = live.running.json("/markets/rates")["rates"]["EUR"]
    assert (rate["rate"], rate["source"]) == ("0.85", "coingecko:stale")
    assert rate["last_updated"] == "2026-05-18T12:00:00Z"
