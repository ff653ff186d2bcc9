"""Every market endpoint answers exactly the interface's fields, full and with nulls everywhere."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from pydantic import TypeAdapter

from backend.markets import schemas
from backend.markets.model import SPAN_COUNT, SPAN_SECONDS, Span
from tests.support.market_app import (
    BarePages,
    Clock,
    Running,
    enable_only,
    follow,
    live_settings,
    run_app,
    settings_in,
    worker_of,
)
from tests.support.provider_server import ProviderServer

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
    "/markets/status": schemas.MarketStatus,
}
"""Every endpoint that answers JSON, with the shape it declares."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The whole shipped book after two refreshes."""
    settings, clock = settings_in(tmp_path_factory.mktemp("sample")), Clock()
    running = run_app(settings, clock)
    worker = worker_of(running)
    worker.tick()
    worker.tick(seconds=15)
    running.look()
    yield running
    running.close()


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Live mode with providers that leave out whatever they may; most assets unknown to them."""
    clock, home = Clock(), tmp_path_factory.mktemp("bare")
    enable_only(home, ("bitcoin", "ethereum", "monero", "unus-sed-leo", "usdc"))
    with ProviderServer(BarePages()) as server:
        follow(server, clock)
        settings = live_settings(home, server.url)
        running = run_app(settings, clock)
        worker_of(running).tick()
        running.look()
        yield running
        running.close()


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Before the first refresh."""
    running = run_app(settings_in(tmp_path_factory.mktemp("empty")), Clock())
    yield running
    running.close()


@pytest.fixture(params=["sample", "bare", "empty"])
def running(request: pytest.FixtureRequest) -> Running:
    found: Running = request.getfixturevalue(request.param)
    return found


@pytest.mark.parametrize("path", SHAPES)
def test_every_answer_has_exactly_the_shape_that_it_declares(running: Running, path: str) -> None:
    answer = running.get(path)
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    TypeAdapter(SHAPES[path]).validate_json(answer.text, strict=True)


@pytest.mark.parametrize("path", SHAPES)
def test_no_number_is_written_with_an_exponent(running: Running, path: str) -> None:
    found = EXPONENT.search(running.get(path).text)
    assert found is None, found


def test_the_search_for_exponents_finds_them_where_they_are() -> None:
    for body in (b'{"a":1e-9}', b"[1,2E5]", b'{"a":"1.2e-07"}', b"[-3e+1,0]"):
        assert EXPONENT.search(body)
    for body in (b'{"id":"0e1-token"}', b'{"a":"7e"}', b"[1,2]"):
        assert not EXPONENT.search(body)


def test_the_tiny_price_of_the_sample_market_is_written_in_full(sample: Running) -> None:
    record = sample.json("/prices")["baby-doge-coin"]
    assert Decimal(record["price_usd"]) < Decimal("0.0000001")
    assert record["price_usd"].startswith("0.0000000")


def test_price_records_hold_the_interfaces_fields_and_no_other(running: Running) -> None:
    for path in ("/prices", "/prices/all"):
        assert all(set(record) == PRICE_FIELDS for record in running.json(path).values())
    assert set(running.json("/aggregation/bitcoin")) == PRICE_FIELDS


def test_ranked_tokens_hold_the_interfaces_fields_and_no_other(running: Running) -> None:
    for query in ("", "?with_candles=24h", "?with_candles=7d"):
        assert all(set(token) == RANKED_FIELDS for token in running.json("/rankings" + query))


def test_assets_hold_the_interfaces_fields_and_no_other(running: Running) -> None:
    for asset in [*running.json("/assets?filter=all"), running.json("/assets/bitcoin")]:
        assert set(asset) == ASSET_FIELDS
        assert set(asset["metadata"]) == METADATA_FIELDS
        assert set(asset["metadata"]["urls"]) == LINK_FIELDS
        assert set(asset["urls"]) == LINK_FIELDS | {"datasrc2"}


def test_the_overview_holds_the_interfaces_fields_and_no_other(running: Running) -> None:
    overview = running.json("/crypto/market-overview")
    assert set(overview) == {"fear_greed", "market_cap", "volume_24h", "btc_market_cap_percentage"}
    assert set(overview["fear_greed"]) == {"value", "label", "last_updated", "source"}
    assert set(overview["market_cap"]) == set(overview["volume_24h"]) == TOTAL_FIELDS


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


def test_the_sample_market_shows_figures_and_the_bare_one_shows_nulls(sample: Running, bare: Running) -> None:
    full = sample.json("/prices")["bitcoin"]
    assert None not in full.values()
    record = bare.json("/prices")["bitcoin"]
    known = {name for name, value in record.items() if value is not None}
    assert known == {"id", "datasrc2_id", "symbol", "source", "price_usd", "last_updated"}
    assert bare.json("/prices")["unus-sed-leo"]["price_usd"] is None
    overview = bare.json("/crypto/market-overview")
    assert overview["market_cap"]["value"] > 0
    assert overview["market_cap"]["change_24h"] is None
    assert overview["volume_24h"] | {"last_updated": None, "source": None} == dict.fromkeys(TOTAL_FIELDS)


def test_before_the_first_refresh_every_figure_is_null_and_every_asset_is_there(empty: Running) -> None:
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


def test_an_asset_whose_symbol_a_larger_one_has_goes_by_its_id(sample: Running) -> None:
    sharers = [record for record in sample.json("/prices").values() if record["symbol"].upper() == "NEIRO"]
    larger, smaller = sorted(sharers, key=lambda record: -record["market_cap"])
    legacy = sample.json("/prices/all")
    assert legacy["NEIRO"]["id"] == larger["id"]
    assert legacy[smaller["id"]]["id"] == smaller["id"]


# -- candles -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("span", "other"), [("24h", "candles_7d"), ("7d", "candles_24h")])
def test_only_the_candles_that_were_asked_for_are_filled(sample: Running, span: Span, other: str) -> None:
    halted = {token["id"] for token in sample.json("/rankings") if is_stale(sample, token["id"])}
    assert "terra" in halted
    for token in sample.json(f"/rankings?with_candles={span}"):
        assert token[other] == []
        rows = token[f"candles_{span}"]
        check_candles(rows, span)
        if token["id"] not in halted | {"monad"}:  # the newcomer is younger than a week
            assert len(rows) == SPAN_COUNT[span], token["id"]
            assert rows[-1][0] == opened_ms(sample, span)


def test_an_asset_that_nobody_quotes_at_the_moment_keeps_the_candles_that_are_known(sample: Running) -> None:
    token = next(t for t in sample.json("/rankings?with_candles=24h") if t["id"] == "terra")
    assert len(token["candles_24h"]) == SPAN_COUNT["24h"]
    assert token["candles_24h"][-1][0] < opened_ms(sample, "24h")
    series = sample.json("/prices/terra/quotes")
    assert series["source"] == "sample:stale"


@pytest.mark.parametrize("span", ["24h", "7d"])
@pytest.mark.parametrize("asset_id", ["bitcoin", "wrapped-bitcoin"])
def test_a_series_has_as_many_candles_as_its_span_holds(sample: Running, asset_id: str, span: Span) -> None:
    series = sample.json(f"/assets/{asset_id}/candles?span={span}")
    assert series["interval_seconds"] == SPAN_SECONDS[span]
    assert series["source"] == "sample"
    assert len(series["candles"]) == SPAN_COUNT[span]
    assert series["candles"][-1][0] == opened_ms(sample, span)
    check_candles(series["candles"], span)


def test_without_candles_both_arrays_are_empty(sample: Running) -> None:
    assert all(token["candles_7d"] == token["candles_24h"] == [] for token in sample.json("/rankings"))


def is_stale(running: Running, asset_id: str) -> bool:
    record = running.json("/prices")[asset_id]
    return record["source"] is None or record["source"].endswith(":stale")


def opened_ms(running: Running, span: Span) -> int:
    """When the candle opened that is open now."""
    return int(running.clock().timestamp()) // SPAN_SECONDS[span] * SPAN_SECONDS[span] * 1000


def check_candles(rows: Sequence[Sequence[Any]], span: Span) -> None:
    """Ascending, on the grid, without gaps; low and high around the rest."""
    seconds = SPAN_SECONDS[span]
    times = [row[0] for row in rows]
    assert all(type(time) is int and time % (seconds * 1000) == 0 for time in times)
    assert all(later - earlier == seconds * 1000 for earlier, later in pairwise(times))
    for _, first, high, low, last, volume in rows:
        assert low <= min(first, last) <= max(first, last) <= high
        assert volume is None or volume >= 0


# -- rankings ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("sort", ["market_cap", "pct_change_24h", "pct_change_7d"])
def test_rankings_are_in_order_with_nulls_last_and_ties_by_rank_then_id(
    running: Running, sort: str, order: str
) -> None:
    tokens = running.json(f"/rankings?sort={sort}&order={order}")
    assert len(tokens) == len(running.json("/prices"))

    def key(token: dict[str, Any]) -> tuple[Any, ...]:
        value, rank = token[sort], token["market_cap_rank"]
        size = Decimal(0) if value is None else Decimal(str(value))
        return value is None, -size if order == "desc" else size, rank is None, rank or 0, token["id"]

    assert tokens == sorted(tokens, key=key)


def test_rankings_are_by_capitalisation_downwards_unless_asked_otherwise(sample: Running) -> None:
    assert sample.json("/rankings") == sample.json("/rankings?sort=market_cap&order=desc")
    assert sample.json("/rankings")[0]["id"] == "bitcoin"


def test_a_limit_cuts_the_ranking_short(sample: Running) -> None:
    whole = sample.json("/rankings")
    assert sample.json("/rankings?limit=3") == whole[:3]
    assert sample.json("/rankings?limit=1&order=asc") == sample.json("/rankings?order=asc")[:1]
    assert sample.json("/rankings?limit=100000") == whole


@pytest.mark.parametrize(
    "limit",
    ["0", "-1", "abc", "9" * 40, "", "1.5", "1e1", "%20", "+5", "0x3", "%D9%A3", "null", "00", "3,5", "-0"],
)
def test_a_limit_that_is_no_positive_whole_number_is_ignored(sample: Running, limit: str) -> None:
    assert sample.json(f"/rankings?limit={limit}") == sample.json("/rankings")


def test_unknown_query_parameters_are_ignored(sample: Running) -> None:
    for path in (
        "/rankings",
        "/prices",
        "/assets",
        "/crypto/market-overview",
        "/prices/all",
        "/aggregation/btc",
    ):
        assert sample.get(f"{path}?colour=blue&x=").text == sample.get(path).text


# -- assets ------------------------------------------------------------------------------------------


def test_the_filter_parts_the_assets_into_enabled_and_disabled(sample: Running) -> None:
    enabled, disabled, every = (
        sample.json(f"/assets?filter={name}") for name in ("enabled", "disabled", "all")
    )
    assert sample.json("/assets") == enabled
    assert all(asset["enabled"] for asset in enabled)
    assert {asset["enabled"] for asset in disabled} == {False}
    assert {asset["id"] for asset in every} == {asset["id"] for asset in [*enabled, *disabled]}
    assert len(every) == len(enabled) + len(disabled)


@pytest.mark.parametrize("name", ["enabled", "all"])
def test_assets_are_by_capitalisation_unknown_ones_last(sample: Running, name: str) -> None:
    caps = [asset["market_cap"] for asset in sample.json(f"/assets?filter={name}")]
    known = [cap for cap in caps if cap is not None]
    assert known == sorted(known, reverse=True)
    assert None not in caps[: len(known)]


def test_a_disabled_asset_can_be_read_but_is_in_no_listing(sample: Running) -> None:
    assert sample.json("/assets/matic")["enabled"] is False
    assert "matic" not in sample.json("/prices")
    assert "matic" not in {token["id"] for token in sample.json("/rankings")}


# -- aggregation -------------------------------------------------------------------------------------


@pytest.mark.parametrize("term", ["bitcoin", "BTC", "btc", "bTc"])
def test_aggregation_finds_an_asset_by_id_and_by_symbol_in_any_case(sample: Running, term: str) -> None:
    assert sample.json(f"/aggregation/{term}") == sample.json("/prices")["bitcoin"]


def test_aggregation_takes_the_id_before_a_symbol_and_a_symbol_before_a_source_id(sample: Running) -> None:
    assets = sample.json("/assets?filter=all")
    ids, symbols = {a["id"] for a in assets}, {a["symbol"].upper() for a in assets}
    by_second = next(
        a
        for a in assets
        if a["datasrc2_id"] and a["datasrc2_id"] not in ids and a["datasrc2_id"].upper() not in symbols
    )
    assert sample.json(f"/aggregation/{by_second['datasrc2_id']}")["id"] == by_second["id"]
    seconds = {a["datasrc2_id"] for a in assets}
    by_first = next(
        a
        for a in assets
        if a["datasrc1_slug"]
        and a["datasrc1_slug"] not in ids | seconds
        and a["datasrc1_slug"].upper() not in symbols
    )
    assert sample.json(f"/aggregation/{by_first['datasrc1_slug']}")["id"] == by_first["id"]
    for asset in assets:
        if asset["id"].upper() in symbols:  # such as an asset whose id is another's symbol
            assert sample.json(f"/aggregation/{asset['id']}")["id"] == asset["id"]


def test_aggregation_takes_the_largest_of_those_that_share_a_symbol(sample: Running) -> None:
    assert sample.json("/aggregation/neiro-on-eth")["id"] == "neiro-on-eth"
    by_symbol = sample.json("/prices/all")["NEIRO"]
    found = sample.json("/aggregation/NEIRO")
    assert found == by_symbol


def test_aggregation_of_a_word_that_names_nothing_is_404(sample: Running) -> None:
    answer = sample.get("/aggregation/no-such-thing")
    assert answer.status == 404
    assert answer.json()["code"] == "not_found"
    assert "no-such-thing" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/prices/all", "/aggregation/bitcoin"])
def test_deprecated_paths_say_so_and_name_the_successor(running: Running, path: str) -> None:
    headers = running.get(path).headers
    assert re.fullmatch(r"@\d+", headers["deprecation"])
    assert headers["link"] == '</prices>; rel="successor-version"'


@pytest.mark.parametrize("path", ["/prices", "/rankings", "/assets", "/crypto/market-overview"])
def test_current_paths_carry_no_deprecation(sample: Running, path: str) -> None:
    assert "deprecation" not in sample.get(path).headers


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/rankings?sort=price",
        "/rankings?sort=",
        "/rankings?order=up",
        "/rankings?order=DESC",
        "/rankings?with_candles=1h",
        "/rankings?with_candles=",
        "/assets?filter=some",
        "/assets/bitcoin/candles?span=1y",
        "/rankings?sort=%FF%FE",
        "/rankings?order=%ED%A0%80",
    ],
)
def test_a_word_that_is_not_listed_is_400_and_told_with_its_place(sample: Running, path: str) -> None:
    answer = sample.get(path)
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert {"type", "title", "status", "detail", "instance", "code", "errors"} == set(problem)
    assert (problem["status"], problem["code"]) == (400, "invalid_request")
    (fault,) = problem["errors"]
    assert set(fault) == {"loc", "msg", "type"}
    assert fault["loc"] == ["query", path.partition("?")[2].partition("=")[0]]
    assert problem["instance"].endswith(answer.headers["x-request-id"])


def test_every_fault_of_a_request_is_told(sample: Running) -> None:
    problem = sample.get("/rankings?sort=x&order=y&with_candles=z").json()
    assert [fault["loc"][1] for fault in problem["errors"]] == ["sort", "order", "with_candles"]
    assert "2 more" in problem["detail"]


@pytest.mark.parametrize(
    "path",
    [
        "/assets/nothing",
        "/assets/nothing/candles",
        "/prices/nothing/quotes",
        "/assets/nothing/icon",
        "/assets/%00",
        "/prices/%ED%A0%80/quotes",
        f"/aggregation/{'x' * 5000}",
        "/aggregation/%F0%9F%92%A9",
        "/assets/BITCOIN",
    ],
)
def test_what_is_not_configured_is_404(running: Running, path: str) -> None:
    answer = running.get(path)
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "not_found"
    assert len(answer.body) < 1000
