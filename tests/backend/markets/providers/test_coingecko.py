"""Tests CoinGecko over real HTTP: every page, and every refusal."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from pydantic import SecretStr

from backend.markets.model import ChartSpan, ErrorKind, ProviderError
from backend.markets.providers.coingecko import CoinGecko
from backend.markets.providers.coingecko_parsing import (
    parse_global,
    parse_market_chart,
    parse_markets,
    parse_ohlc,
)
from backend.settings import CoinGeckoPlan
from tests.support.providers.adapters import build_coingecko as asking
from tests.support.providers.provider_pages import format_timestamp
from tests.support.providers.provider_server import FAULTS, Behaviour, ProviderServer, says
from tests.support.providers.simulated_coins import COINS

MARKETS = "/api/v3/coins/markets"


def test_every_asset_gets_its_quote(server: ProviderServer, assets: list[Any], now: datetime) -> None:
    poll = asking(server.url).quotes(assets, now)
    assert len(poll.quotes) == len(COINS) >= 30
    assert (poll.provider, poll.received_at, poll.credits) == ("coingecko", now, 1)
    assert (poll.missing, dict(poll.rejected)) == ((), {})
    bitcoin = poll.quotes["our-bitcoin"]
    assert (bitcoin.asset_id, bitcoin.external_id, bitcoin.market_cap_rank) == ("our-bitcoin", "bitcoin", 1)
    assert bitcoin.price == Decimal(str(server.pages.price(COINS[0], now)))
    assert None not in (
        bitcoin.pct_change_1h,
        bitcoin.pct_change_24h,
        bitcoin.pct_change_7d,
        bitcoin.pct_change_30d,
    )
    assert bitcoin.ath_date is not None
    assert 167 <= len(poll.sparklines["our-bitcoin"]) <= 169
    assert poll.images["our-bitcoin"] == f"{server.url}/images/bitcoin.png"


def test_the_request_has_all_parameters(server: ProviderServer, assets: list[Any], now: datetime) -> None:
    asking(server.url).quotes(assets, now)
    query = dict(server.requests[0].query)
    assert set(query.pop("ids").split(",")) == {coin.gecko for coin in COINS}
    assert query == {
        "vs_currency": "usd",
        "order": "market_cap_desc",
        "per_page": "250",
        "page": "1",
        "sparkline": "true",
        "price_change_percentage": "1h,24h,7d,30d",
        "precision": "full",
        "include_rehypothecated": "true",
    }


def test_exponents_integers_and_nulls_are_parsed_exactly(
    server: ProviderServer, assets: list[Any], now: datetime
) -> None:
    quotes = asking(server.url).quotes(assets, now).quotes
    assert Decimal("1e-9") < quotes["our-example-grain"].price < Decimal("1.4e-9")
    assert quotes["our-example-other-pepe"].market_cap is None
    assert quotes["our-example-other-sol"].market_cap is None  # it said 0
    assert quotes["our-wrapped-bitcoin"].market_cap_rank is None
    assert quotes["our-pepe"].price != quotes["our-example-other-pepe"].price


def test_many_assets_are_requested_in_batches(
    server: ProviderServer, known_asset: Callable[..., Any], now: datetime
) -> None:
    server.pages.invent = True
    assets = [known_asset(f"a{n}", None, f"coin-{n}") for n in range(501)]
    poll = asking(server.url).quotes(assets, now)
    assert len(poll.quotes) == 501
    assert poll.credits == 3
    assert [len(request.query["ids"].split(",")) for request in server.requests] == [250, 250, 1]


def test_no_request_is_sent_without_a_known_asset(
    server: ProviderServer, known_asset: Callable[..., Any], now: datetime
) -> None:
    poll = asking(server.url).quotes([known_asset("a", "slug")], now)
    assert (dict(poll.quotes), poll.missing, poll.credits, server.requests) == ({}, (), 0, [])


def test_removed_ids_are_reported_as_missing(
    server: ProviderServer, assets: list[Any], now: datetime
) -> None:
    server.pages.gone = {"ripple", "pepe"}
    poll = asking(server.url).quotes(assets, now)
    assert poll.missing == ("our-pepe", "our-ripple")
    assert len(poll.quotes) == len(COINS) - 2


def test_an_empty_price_is_rejected_without_affecting_other_assets(
    server: ProviderServer, assets: list[Any], now: datetime
) -> None:
    server.pages.empty_prices = {"tron"}
    poll = asking(server.url).quotes(assets, now)
    assert poll.rejected == {"our-tron": "the answer holds no price"}
    assert len(poll.quotes) == len(COINS) - 1


def test_pages_move_between_polls(server: ProviderServer, assets: list[Any], now: datetime) -> None:
    first = asking(server.url).quotes(assets, now)
    server.pages.now = now + timedelta(seconds=60)
    second = asking(server.url).quotes(assets, now + timedelta(seconds=60))
    assert all(first.quotes[name].price != second.quotes[name].price for name in first.quotes)


def row(now: datetime, **changes: object) -> dict[str, object]:
    return {"id": "bitcoin", "current_price": 5, "last_updated": format_timestamp(now), **changes}


def test_a_row_with_null_in_every_field_but_price_and_time_is_a_quote(now: datetime) -> None:
    names = (
        "market_cap",
        "market_cap_rank",
        "total_volume",
        "ath",
        "ath_date",
        "sparkline_in_7d",
        "image",
        "roi",
    )
    page = parse_markets([row(now, **dict.fromkeys(names))], {"bitcoin": ["b"]}, now)
    quote = page.quotes["b"]
    assert (quote.price, quote.market_cap, quote.market_cap_rank, quote.ath) == (Decimal(5), None, None, None)
    assert (page.sparklines, page.images) == ({}, {})


def test_a_row_of_an_unrequested_id_is_ignored(now: datetime) -> None:
    rows = [row(now, id="bitcoin-fake"), row(now, id=None), row(now, id=["bitcoin"]), "bitcoin", None]
    page = parse_markets(rows, {"bitcoin": ["b"]}, now)
    assert (page.quotes, page.rejected) == ({}, {})


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_the_newest_valid_row_wins_among_duplicates(order: tuple[int, ...], now: datetime) -> None:
    rows = [
        row(now, current_price=None),
        row(now - timedelta(minutes=1), current_price=1),
        row(now, current_price=2),
    ]
    page = parse_markets([rows[index] for index in order], {"bitcoin": ["b"]}, now)
    assert page.quotes["b"].price == 2
    assert page.rejected == {}


@pytest.mark.parametrize(
    ("closes", "point_count"),
    [
        ([1, 2, 3], 3),
        ([None, None, 2, 3], 2),
        ([1, None, 3], 0),
        ([1, 2, None], 0),
        ([1, 0, 3], 0),
        ([1], 0),
        ([], 0),
        (None, 0),
        ("1,2", 0),
        ([1] * 1001, 0),
    ],
)
def test_a_sparkline_with_a_gap_is_not_used(closes: object, point_count: int, now: datetime) -> None:
    page = parse_markets([row(now, sparkline_in_7d={"price": closes})], {"bitcoin": ["b"]}, now)
    assert len(page.sparklines.get("b", ())) == point_count


@pytest.mark.parametrize(
    "image", ["missing_large.png", "javascript:alert(1)", "", 5, "https://x.test/" + "a" * 3000]
)
def test_an_image_without_a_valid_url_is_ignored(image: object, now: datetime) -> None:
    assert parse_markets([row(now, image=image)], {"bitcoin": ["b"]}, now).images == {}


def test_two_assets_may_share_an_id(now: datetime) -> None:
    assert set(parse_markets([row(now)], {"bitcoin": ["a", "b"]}, now).quotes) == {"a", "b"}


# Other pages ----------------------------------------------------------------------------------------


def test_the_totals_are_parsed(server: ProviderServer, now: datetime) -> None:
    figures = asking(server.url).market_totals(now)
    assert (figures.provider, figures.as_of, figures.credits) == ("coingecko", now, 1)
    assert figures.market_cap > Decimal("1e12")
    assert figures.volume_change_24h == Decimal("33.064521460740046")
    assert figures.btc_market_cap_percentage == Decimal("57.9539332566265")


def test_totals_without_the_change_of_the_volume_are_parsed(now: datetime) -> None:
    data = {"total_market_cap": {"usd": 5}, "updated_at": int(now.timestamp())}
    figures = parse_global({"data": data}, now)
    assert (figures.market_cap, figures.volume_24h, figures.volume_change_24h) == (Decimal(5), None, None)


def test_the_totals_give_the_rates_of_the_display_currencies(now: datetime) -> None:
    caps = {"usd": 4, "eur": Decimal("3.4"), "btc": Decimal("0.0004"), "jpy": 0, "krw": "x", "aed": 12}
    figures = parse_global({"data": {"total_market_cap": caps, "updated_at": int(now.timestamp())}}, now)
    assert figures.rates == {"EUR": Decimal("0.85"), "BTC": Decimal("0.0001")}


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"total_market_cap": {"usd": 5}},
        {"total_market_cap": {"eur": 5}, "updated_at": 1779108561},
        {"total_market_cap": {"usd": 0}, "updated_at": 1779108561},
        {"total_market_cap": {"usd": 5}, "updated_at": 1999999999},
        None,
        [],
    ],
)
def test_totals_without_a_value_or_a_valid_time_are_malformed(data: object, now: datetime) -> None:
    with pytest.raises(ProviderError) as caught:
        parse_global({"data": data}, now)
    assert caught.value.kind is ErrorKind.MALFORMED


@pytest.mark.parametrize(
    ("span", "count", "seconds"), [("24h", 48, 1800), ("7d", 42, 14_400), ("30d", 180, 14_400)]
)
def test_candles_have_their_opening_times(
    server: ProviderServer, assets: list[Any], now: datetime, span: ChartSpan, count: int, seconds: int
) -> None:
    candles = asking(server.url).ohlc(assets[0], span, now)
    times = [candle.open_time for candle in candles]
    assert len(times) == count
    assert all(later - earlier == timedelta(seconds=seconds) for earlier, later in pairwise(times))
    assert times[-1] <= now < times[-1] + timedelta(seconds=seconds)
    assert all(candle.low <= candle.open <= candle.high and candle.volume is None for candle in candles)
    assert server.requests[0].query == {
        "vs_currency": "usd",
        "days": {"24h": "1", "7d": "7", "30d": "30"}[span],
        "precision": "full",
    }


def test_the_time_of_a_row_is_the_closing_time_of_its_candle(now: datetime) -> None:
    close = now.replace(minute=30, second=0)
    (candle,) = parse_ohlc([[int(close.timestamp()) * 1000, 1, 3, 1, 2]], "24h", now)
    assert candle.open_time == close - timedelta(minutes=30)


def test_malformed_rows_are_dropped_and_the_others_sorted(now: datetime) -> None:
    base = int(now.replace(hour=0, minute=0, second=0).timestamp()) * 1000
    step = 1_800_000
    good = [[base + n * step, 2, 3, 1, 2] for n in (2, 1, 3, 2)]
    bad: list[object] = [
        None,
        [],
        [base, 1, 2],
        [base + 9 * step, 2, 1, 3, 2],  # high below low
        [base + 9 * step, 9, 3, 1, 2],  # opened above its high
        [base + 9 * step, 2, None, 1, 2],
        [base + 9 * step, 0, 3, 0, 2],
        ["x", 2, 3, 1, 2],
        [base + 100 * step, 2, 3, 1, 2],  # tomorrow
        [-5, 2, 3, 1, 2],
        [10**40, 2, 3, 1, 2],
    ]
    candles = parse_ohlc([*bad, *good], "24h", now)
    times = [candle.open_time for candle in candles]
    assert times == sorted(set(times))
    assert len(times) == 3


def test_an_empty_list_of_candles_is_valid_but_a_list_of_invalid_ones_is_an_error(now: datetime) -> None:
    assert parse_ohlc([], "7d", now) == ()
    for payload in ([None], {"error": 1}, None):
        with pytest.raises(ProviderError) as caught:
            parse_ohlc(payload, "7d", now)
        assert caught.value.kind is ErrorKind.MALFORMED


def test_candles_of_an_unknown_id_are_not_found(
    server: ProviderServer, known_asset: Callable[..., Any], now: datetime
) -> None:
    for asset in (known_asset("a", None, "no such coin/../key"), known_asset("a", "slug")):
        with pytest.raises(ProviderError) as caught:
            asking(server.url).ohlc(asset, "7d", now)
        assert caught.value.kind is ErrorKind.NOT_FOUND
    assert server.requests[0].path == "/api/v3/coins/no%20such%20coin%2F..%2Fkey/ohlc"


@pytest.mark.parametrize(
    ("span", "days", "step"), [("90d", 90, timedelta(hours=1)), ("1y", 365, timedelta(days=1))]
)
def test_past_prices_are_hourly_up_to_90_days_and_daily_beyond(
    server: ProviderServer, assets: list[Any], now: datetime, span: ChartSpan, days: int, step: timedelta
) -> None:
    points = asking(server.url).past_prices(assets[0], span, now)
    times = [at for at, _ in points]
    assert times == sorted(set(times))
    assert {later - earlier for earlier, later in pairwise(times[:-1])} == {step}
    assert now - timedelta(days=days) <= times[0] <= now - timedelta(days=days) + step
    assert points[-1] == (now, Decimal(str(server.pages.price(COINS[0], now))))
    (request,) = server.requests
    assert request.path == "/api/v3/coins/bitcoin/market_chart"
    assert request.query == {"vs_currency": "usd", "days": str(days), "precision": "full"}


def test_malformed_past_prices_are_dropped_and_the_others_sorted(now: datetime) -> None:
    base = int(now.timestamp()) * 1000
    good = [[base, 3], [base - 7_200_000, 1], [base - 3_600_000, "2"]]
    bad: list[object] = [
        *(None, [], [base], [base - 1, None], [base - 1, 0]),
        *(["x", 2], [base + 3_600_000, 2], [-5, 2], [10**40, 2]),
    ]
    points = parse_market_chart({"prices": [*bad, *good], "market_caps": None}, now)
    assert points == tuple((now - timedelta(hours=2 - n), Decimal(1 + n)) for n in range(3))
    assert parse_market_chart({"prices": []}, now) == ()
    for payload in (None, [], {"prices": None}, {"prices": [None]}):
        with pytest.raises(ProviderError) as caught:
            parse_market_chart(payload, now)
        assert caught.value.kind is ErrorKind.MALFORMED


def test_the_usage_of_a_key_is_reported(server: ProviderServer, now: datetime) -> None:
    provider = CoinGecko.connect("pro", SecretStr("k"), server.url)
    provider.market_totals(now)
    usage = provider.usage(now)
    assert usage is not None
    assert (usage.quota, usage.used, usage.per_minute) == (10_000, 2, 100)


def test_usage_is_unknown_without_a_key_or_if_the_plan_does_not_report_it(
    server: ProviderServer, now: datetime
) -> None:
    assert CoinGecko.connect("keyless", None, server.url).usage(now) is None
    assert server.requests == []
    server.always("/api/v3/key", says(403, {"status": {"error_code": 10005, "error_message": "plan"}}))
    assert CoinGecko.connect("demo", SecretStr("k"), server.url).usage(now) is None
    server.always("/api/v3/key", FAULTS["throttled-json"])
    with pytest.raises(ProviderError):
        CoinGecko.connect("demo", SecretStr("k"), server.url).usage(now)


# Plans ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "key", "header"),
    [
        ("keyless", None, None),
        ("demo", "k", "x-cg-demo-api-key"),
        ("pro", "k", "x-cg-pro-api-key"),
        ("keyless", "k", "x-cg-demo-api-key"),
    ],
)
def test_the_plan_decides_the_header(
    server: ProviderServer, now: datetime, plan: CoinGeckoPlan, key: str | None, header: str | None
) -> None:
    secret = SecretStr(key) if key else None
    CoinGecko.connect(plan, secret, server.url).market_totals(now)
    sent_headers = {
        name: value for name, value in server.requests[0].headers.items() if name.startswith("x-cg")
    }
    assert sent_headers == ({header: "k"} if header else {})


@pytest.mark.parametrize(
    ("plan", "host"),
    [("demo", "api.coingecko.com"), ("pro", "pro-api.coingecko.com"), ("keyless", "api.coingecko.com")],
)
def test_the_plan_decides_the_host(plan: CoinGeckoPlan, host: str) -> None:
    key = None if plan == "keyless" else SecretStr("k")
    assert CoinGecko.connect(plan, key)._client.origin_name == host


def test_a_base_url_with_a_path_is_used_unchanged(
    server: ProviderServer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.pages, "answer", lambda path, query: (200, {"path": path}))
    with pytest.raises(ProviderError):
        CoinGecko.connect("keyless", None, f"{server.url}/mirror/v9").market_totals(now)
    assert server.requests[0].path == "/mirror/v9/global"


def test_a_recorded_page_is_parsed_through_http(
    server: ProviderServer, assets: list[Any], now: datetime
) -> None:
    text = json.dumps([row(now, current_price=0)]).replace('"current_price": 0', '"current_price": 1.223E-09')
    server.once(MARKETS, Behaviour(body=b"\xef\xbb\xbf" + text.encode()))
    assert asking(server.url).quotes(assets, now).quotes["our-bitcoin"].price == Decimal("1.223E-9")
