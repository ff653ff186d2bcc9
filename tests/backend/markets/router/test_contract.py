"""Tests that every market endpoint returns exactly the documented fields, filled and null."""

import re
from decimal import Decimal
from typing import Any

import pytest
from pydantic import TypeAdapter

from backend.markets import schemas
from backend.markets.model import DISPLAY_CURRENCIES
from tests.support.apps.market_app import Running

PRICE_FIELDS = {
    *("id", "datasrc2_id", "symbol", "source", "price_usd", "market_cap", "market_cap_rank", "last_updated"),
    *("pct_change_1h", "pct_change_24h", "pct_change_7d", "pct_change_30d"),
    *("ath", "ath_change_percentage", "ath_date"),
}
RANKED_FIELDS = {
    *("id", "datasrc2_id", "symbol", "name", "icon_url", "price_usd", "market_cap", "market_cap_rank"),
    *("pct_change_24h", "pct_change_7d", "candles_7d", "candles_24h", "last_updated"),
}
LINK_FIELDS = {
    *("website", "technical_doc", "twitter", "reddit"),
    *("message_board", "announcement", "explorer", "source_code"),
}
ASSET_FIELDS = {
    *("id", "name", "symbol", "datasrc1_slug", "datasrc2_id", "icon_url", "market_cap", "enabled"),
    *("ath", "ath_change_percentage", "ath_date", "sources", "metadata", "urls"),
}
METADATA_FIELDS = {
    *("name", "symbol", "logo", "description", "date_launched", "genesis_date", "address"),
    *("categories", "platforms", "infinite_supply", "urls"),
}
TOTAL_FIELDS = {"value", "display_value", "change_24h", "last_updated", "source"}
DECIMAL = re.compile(r"-?\d+(\.\d+)?")
INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z")
EXPONENT = re.compile(rb"[:\[,\"]\s*-?\d+(\.\d+)?[eE][+-]?\d+\s*[,\]}\"]")
"""A number with an exponent, bare or in a string of its own."""

SHAPES: dict[str, Any] = {
    "/assets": list[schemas.AssetOut],
    "/assets?filter=all": list[schemas.AssetOut],
    "/assets?filter=disabled": list[schemas.AssetOut],
    "/assets/bitcoin": schemas.AssetOut,
    "/assets/matic": schemas.AssetOut,
    "/assets/bitcoin/candles": schemas.CandleSeries,
    "/assets/bitcoin/candles?span=7d": schemas.CandleSeries,
    "/assets/bitcoin/candles?span=1h": schemas.CandleSeries,
    "/assets/bitcoin/candles?span=1y": schemas.CandleSeries,
    "/assets/matic/candles": schemas.CandleSeries,
    "/prices": dict[str, schemas.PriceRecord],
    "/prices/all": dict[str, schemas.PriceRecord],
    "/prices/bitcoin/quotes": schemas.AssetQuotes,
    "/prices/monero/quotes": schemas.AssetQuotes,
    "/prices/matic/quotes": schemas.AssetQuotes,
    "/aggregation/bitcoin": schemas.PriceRecord,
    "/aggregation/matic": schemas.PriceRecord,
    "/rankings": list[schemas.RankedToken],
    "/rankings?with_candles=24h": list[schemas.RankedToken],
    "/rankings?with_candles=7d": list[schemas.RankedToken],
    "/crypto/market-overview": schemas.MarketOverview,
    "/markets/figures": dict[str, schemas.FigureFacts],
    "/markets/rates": schemas.DisplayRates,
    "/markets/totals": schemas.TotalsHistory,
    "/markets/totals?span=24h": schemas.TotalsHistory,
    "/markets/totals?span=30d": schemas.TotalsHistory,
    "/markets/incidents": list[schemas.MarketIncident],
    "/markets/status": schemas.MarketStatus,
}
"""Every endpoint that answers JSON, with the shape it declares."""


@pytest.mark.parametrize("path", SHAPES)
def test_every_response_matches_its_declared_schema(running: Running, path: str) -> None:
    answer = running.get(path)
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    TypeAdapter(SHAPES[path]).validate_json(answer.text, strict=True)


@pytest.mark.parametrize("path", SHAPES)
def test_no_number_is_written_with_an_exponent(running: Running, path: str) -> None:
    found = EXPONENT.search(running.get(path).text)
    assert found is None, found


def test_the_exponent_pattern_matches_exponents() -> None:
    for body in (b'{"a":1e-9}', b"[1,2E5]", b'{"a":"1.2e-07"}', b"[-3e+1,0]"):
        assert EXPONENT.search(body)
    for body in (b'{"id":"0e1-token"}', b'{"a":"7e"}', b"[1,2]"):
        assert not EXPONENT.search(body)


def test_the_tiny_price_of_the_sample_market_is_written_in_full(sample: Running) -> None:
    record = sample.json("/prices")["baby-doge-coin"]
    assert Decimal(record["price_usd"]) < Decimal("0.0000001")
    assert record["price_usd"].startswith("0.0000000")


def test_price_records_have_exactly_the_documented_fields(running: Running) -> None:
    for path in ("/prices", "/prices/all"):
        assert all(set(record) == PRICE_FIELDS for record in running.json(path).values())
    assert set(running.json("/aggregation/bitcoin")) == PRICE_FIELDS


def test_ranked_tokens_have_exactly_the_documented_fields(running: Running) -> None:
    for query in ("", "?with_candles=24h", "?with_candles=7d"):
        assert all(set(token) == RANKED_FIELDS for token in running.json("/rankings" + query))


def test_assets_have_exactly_the_documented_fields(running: Running) -> None:
    for asset in [*running.json("/assets?filter=all"), running.json("/assets/bitcoin")]:
        assert set(asset) == ASSET_FIELDS
        assert set(asset["metadata"]) == METADATA_FIELDS
        assert set(asset["metadata"]["urls"]) == LINK_FIELDS
        assert set(asset["urls"]) == LINK_FIELDS | {"datasrc2"}


def test_the_overview_has_exactly_the_documented_fields(running: Running) -> None:
    overview = running.json("/crypto/market-overview")
    assert set(overview) == {"fear_greed", "market_cap", "volume_24h", "btc_market_cap_percentage"}
    assert set(overview["fear_greed"]) == {"value", "label", "last_updated", "source"}
    assert set(overview["market_cap"]) == set(overview["volume_24h"]) == TOTAL_FIELDS


def test_the_rates_have_exactly_the_display_currencies(running: Running) -> None:
    answer = running.json("/markets/rates")
    assert answer["base"] == "USD"
    assert tuple(answer["rates"]) == DISPLAY_CURRENCIES
    assert answer["rates"]["USD"] == {"rate": "1", "source": None, "last_updated": None}
    for rate in answer["rates"].values():
        assert rate["rate"] is None or DECIMAL.fullmatch(rate["rate"])


def test_the_rate_of_btc_makes_one_bitcoin_of_its_price(sample: Running) -> None:
    bitcoin, rates = sample.json("/prices")["bitcoin"], sample.json("/markets/rates")["rates"]
    assert round(Decimal(bitcoin["price_usd"]) * Decimal(rates["BTC"]["rate"]), 12) == 1
    assert rates["BTC"]["last_updated"] == bitcoin["last_updated"]
    assert {rate["source"] for code, rate in rates.items() if code != "USD"} == {"sample"}


def test_money_is_a_plain_decimal_string_or_null_and_capitalisation_a_number_or_null(
    running: Running,
) -> None:
    strings = PRICE_FIELDS - {
        *("id", "datasrc2_id", "symbol", "source", "market_cap", "market_cap_rank"),
        *("last_updated", "ath_date"),
    }
    for record in running.json("/prices").values():
        for name in strings:
            assert record[name] is None or DECIMAL.fullmatch(record[name]), (record["id"], name)
        assert record["market_cap"] is None or type(record["market_cap"]) in (int, float)
        assert record["market_cap_rank"] is None or type(record["market_cap_rank"]) is int
        for name in ("last_updated", "ath_date"):
            assert record[name] is None or INSTANT.fullmatch(record[name])


def test_the_sample_market_has_figures_and_an_empty_market_has_nulls(sample: Running, bare: Running) -> None:
    full = sample.json("/prices")["bitcoin"]
    assert None not in full.values()
    record = bare.json("/prices")["bitcoin"]
    filled_fields = {name for name, value in record.items() if value is not None}
    assert filled_fields == {"id", "datasrc2_id", "symbol", "source", "price_usd", "last_updated"}
    assert bare.json("/prices")["unus-sed-leo"]["price_usd"] is None
    overview = bare.json("/crypto/market-overview")
    assert overview["market_cap"]["value"] > 0
    assert overview["market_cap"]["change_24h"] is None
    assert overview["volume_24h"] | {"last_updated": None, "source": None} == dict.fromkeys(TOTAL_FIELDS)


def test_before_the_first_refresh_every_asset_is_listed_with_null_figures(empty: Running) -> None:
    prices = empty.json("/prices")
    assert len(prices) == len(empty.json("/assets")) == len(empty.json("/rankings")) > 200
    assert all(record["price_usd"] is record["source"] is None for record in prices.values())
    assert empty.json("/crypto/market-overview")["market_cap"]["display_value"] is None
    assert empty.json("/markets/status")["refreshed_at"] is None


def test_prices_are_keyed_by_id_and_legacy_prices_by_symbol_once_each(sample: Running) -> None:
    prices, legacy = sample.json("/prices"), sample.json("/prices/all")
    assert all(key == record["id"] for key, record in prices.items())
    assert {record["id"] for record in legacy.values()} == set(prices)
    assert all(key in (record["symbol"].upper(), record["id"]) for key, record in legacy.items())
    assert legacy["BTC"]["id"] == "bitcoin"


def test_an_asset_that_shares_the_symbol_of_a_larger_one_is_keyed_by_id(sample: Running) -> None:
    sharers = [record for record in sample.json("/prices").values() if record["symbol"].upper() == "NEIRO"]
    larger, smaller = sorted(sharers, key=lambda record: -record["market_cap"])
    legacy = sample.json("/prices/all")
    assert legacy["NEIRO"]["id"] == larger["id"]
    assert legacy[smaller["id"]]["id"] == smaller["id"]
