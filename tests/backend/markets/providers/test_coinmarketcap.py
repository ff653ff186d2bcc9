"""Tests CoinMarketCap over real HTTP: ids from slugs, every response format, every refusal."""

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, get_args

import pytest

from backend.markets.model import ErrorKind, ProviderError
from backend.markets.providers.coinmarketcap import SlugIds
from backend.markets.providers.coinmarketcap_parsing import (
    find_usd_figures,
    parse_fear_greed,
    parse_map,
    parse_quotes,
)
from tests.support.providers.adapters import CMC_KEY as KEY
from tests.support.providers.adapters import build_coinmarketcap as asking
from tests.support.providers.provider_pages import DataForm, QuoteForm, format_timestamp
from tests.support.providers.provider_server import FAULTS, Behaviour, ProviderServer, cmc_error, says
from tests.support.providers.simulated_coins import COINS

MAP = "/v1/cryptocurrency/map"
V3 = "/v3/cryptocurrency/quotes/latest"
V2 = "/v2/cryptocurrency/quotes/latest"


@pytest.mark.parametrize("data_form", get_args(DataForm))
@pytest.mark.parametrize("quote_form", get_args(QuoteForm))
def test_every_documented_form_gives_the_same_quotes(
    server: ProviderServer, assets: list[Any], now: datetime, data_form: DataForm, quote_form: QuoteForm
) -> None:
    server.pages.data_form, server.pages.quote_form = data_form, quote_form
    poll = asking(server.url).quotes(assets, now)
    assert len(poll.quotes) == len(COINS) >= 30
    assert (poll.provider, poll.credits, poll.missing, dict(poll.rejected)) == ("coinmarketcap", 1, (), {})
    bitcoin = poll.quotes["our-bitcoin"]
    expected = Decimal(str(server.pages.price(COINS[0], now) * (1 + server.pages.provider_gap)))
    assert (bitcoin.price, bitcoin.external_id, bitcoin.market_cap_rank) == (expected, "1", 1)
    assert bitcoin.ath is None
    assert poll.quotes["our-wrapped-bitcoin"].market_cap_rank is None


def test_slugs_are_resolved_once_a_day(server: ProviderServer, assets: list[Any], now: datetime) -> None:
    resolved: list[SlugIds] = []
    provider = asking(server.url, on_resolved=resolved.append)
    for hours in (0, 1, 23, 25, 26):
        moment = now + timedelta(hours=hours)
        server.pages.now = moment
        provider.quotes(assets, moment)
    assert len(server.seen(MAP)) == 2
    assert len(server.seen(V3)) == 5
    assert resolved[0].ids["bitcoin"] == 1
    assert [ids.resolved_at for ids in resolved] == [now, now + timedelta(hours=25)]


def test_ids_of_an_earlier_run_save_the_map_request(
    server: ProviderServer, assets: list[Any], now: datetime
) -> None:
    ids = SlugIds(now - timedelta(hours=1), {coin.slug: coin.cmc for coin in COINS})
    assert len(asking(server.url, slug_ids=ids).quotes(assets, now).quotes) == len(COINS)
    assert server.seen(MAP) == []


def test_a_configured_id_needs_no_slug(
    server: ProviderServer, known_asset: Callable[..., Any], now: datetime
) -> None:
    poll = asking(server.url).quotes([known_asset("b", None, None, 1), known_asset("none")], now)
    assert set(poll.quotes) == {"b"}
    assert poll.missing == ()
    assert server.seen(MAP) == []
    assert server.seen(V3)[0].query == {"id": "1", "convert": "USD"}


def test_a_new_slug_is_resolved_at_the_next_poll_but_an_unknown_one_is_not_retried_each_time(
    server: ProviderServer, known_asset: Callable[..., Any], now: datetime
) -> None:
    provider = asking(server.url)
    provider.quotes([known_asset("b", "bitcoin")], now)
    later = now + timedelta(minutes=20)
    assets = [known_asset("b", "bitcoin"), known_asset("e", "ethereum"), known_asset("x", "no-such")]
    for minutes in (0, 20, 40):
        poll = provider.quotes(assets, later + timedelta(minutes=minutes))
        assert (set(poll.quotes), poll.missing) == ({"b", "e"}, ("x",))
    assert len(server.seen(MAP)) == 2


def test_known_ids_stay_when_the_map_request_fails(
    server: ProviderServer, assets: list[Any], now: datetime
) -> None:
    provider = asking(server.url)
    provider.quotes(assets, now)
    server.always(MAP, FAULTS["down"])
    for minutes in (0, 5):
        assert len(provider.quotes(assets, now + timedelta(days=2, minutes=minutes)).quotes) == len(COINS)
    assert len(server.seen(MAP)) == 1 + 3  # one try of three requests, not one a poll


@pytest.mark.parametrize("fault", ["down", "key-wrong", "throttled-json"])
def test_a_refused_map_request_is_an_error_without_known_ids(
    server: ProviderServer, assets: list[Any], now: datetime, fault: str
) -> None:
    server.always(MAP, FAULTS[fault])
    with pytest.raises(ProviderError):
        asking(server.url).quotes(assets, now)
    assert server.seen(V3) == []


def test_silently_dropped_ids_are_reported_as_missing(
    server: ProviderServer, assets: list[Any], now: datetime
) -> None:
    provider = asking(server.url)
    provider.quotes(assets, now)
    server.pages.gone = {"pepe"}
    assert provider.quotes(assets, now).missing == ("our-pepe",)


def test_many_assets_are_requested_in_batches(
    server: ProviderServer, known_asset: Callable[..., Any], now: datetime
) -> None:
    assets = [known_asset(f"a{n}", None, None, n) for n in range(1, 402)]
    poll = asking(server.url).quotes(assets, now)
    assert [len(request.query["id"].split(",")) for request in server.seen(V3)] == [200, 200, 1]
    assert poll.credits == 3
    assert len(poll.missing) + len(poll.quotes) == 401


def test_version_2_is_used_where_version_3_does_not_exist(
    server: ProviderServer, assets: list[Any], now: datetime
) -> None:
    server.pages.has_v3_quotes = False
    provider = asking(server.url)
    for _ in range(3):
        assert len(provider.quotes(assets, now).quotes) == len(COINS)
    assert (len(server.seen(V3)), len(server.seen(V2))) == (1, 3)
    assert server.seen(V2)[0].query["skip_invalid"] == "true"


def test_version_2_skips_the_id_that_makes_version_3_refuse_the_call(
    server: ProviderServer, assets: list[Any], now: datetime
) -> None:
    server.once(V3, cmc_error(400, 400, 'Invalid value for "id": "990001"'))
    provider = asking(server.url)
    assert len(provider.quotes(assets, now).quotes) == len(COINS)
    provider.quotes(assets, now)
    assert (len(server.seen(V3)), len(server.seen(V2))) == (2, 1)


def quotes_page(now: datetime, **changes: object) -> dict[str, object]:
    usd = {"price": 5, "last_updated": format_timestamp(now)}
    row = {"id": 1, "slug": "bitcoin", "is_active": 1, "quote": {"USD": usd}, **changes}
    return {"status": {"error_code": 0}, "data": [row]}


def usd(now: datetime, **changes: object) -> dict[str, object]:
    return {"USD": {"price": 5, "last_updated": format_timestamp(now), **changes}}


def test_an_inactive_asset_and_another_currency_are_rejected(now: datetime) -> None:
    inactive = parse_quotes(quotes_page(now, is_active=0), {1: ["b"]}, now)
    euro = parse_quotes(quotes_page(now, quote={"EUR": {"price": 5}}), {1: ["b"]}, now)
    assert inactive.rejected == {"b": "the provider calls it inactive"}
    assert euro.rejected == {"b": "the answer holds no price"}


def test_a_row_of_an_unrequested_id_is_ignored(now: datetime) -> None:
    for other_id in (2, None, "bitcoin", [1]):
        page = parse_quotes(quotes_page(now, id=other_id), {1: ["b"]}, now)
        assert (page.quotes, page.rejected) == ({}, {})


def test_an_id_may_come_as_a_string_and_the_time_from_the_row(now: datetime) -> None:
    page = parse_quotes(
        quotes_page(now, id="1", quote={"USD": {"price": "5.0"}}, last_updated=format_timestamp(now)),
        {1: ["b"]},
        now,
    )
    assert (page.quotes["b"].price, page.quotes["b"].as_of) == (Decimal("5.0"), now)


def test_the_active_asset_wins_where_a_key_has_several_rows(now: datetime) -> None:
    rows = [
        {"id": 1, "is_active": 0, "quote": usd(now, price=9)},
        {"id": 1, "is_active": 1, "quote": usd(now)},
        {"id": 7, "is_active": 1, "quote": usd(now, price=7)},
    ]
    for order in (rows, rows[::-1]):
        page = parse_quotes({"data": {"BTC": order}}, {1: ["b"]}, now)
        assert page.quotes["b"].price == 5
        assert page.rejected == {}


@pytest.mark.parametrize(
    ("quote", "price"),
    [
        ([{"price": 1}], 1),
        ([{"symbol": "EUR", "price": 1}], None),
        ([{"id": 2790, "price": 1}], None),
        ([{"price": 1}, {"price": 2}], None),
        ([{"symbol": "EUR", "price": 1}, {"id": "2781", "price": 2}], 2),
        ({"2781": {"price": 3}}, 3),
        (None, None),
        ("5", None),
    ],
)
def test_only_figures_in_usd_are_used(quote: object, price: int | None) -> None:
    assert find_usd_figures(quote).get("price") == price


def test_credits_come_from_the_response(
    server: ProviderServer, known_asset: Callable[..., Any], now: datetime
) -> None:
    page = quotes_page(now) | {"status": {"error_code": "0", "credit_count": 7}}
    server.once(V3, says(200, page))
    assert asking(server.url).quotes([known_asset("b", None, None, 1)], now).credits == 7


def test_a_slug_with_two_active_owners_is_not_resolved() -> None:
    rows = [
        {"id": 1, "slug": "bitcoin", "is_active": 1},
        {"id": 2, "slug": "two", "is_active": 1},
        {"id": 3, "slug": "two", "is_active": 1},
        {"id": 4, "slug": "old", "is_active": 0},
        {"id": 5, "slug": "old"},
        {"id": 6, "slug": "not-asked"},
        {"id": None, "slug": "none"},
        None,
    ]
    found = parse_map({"data": rows}, frozenset({"bitcoin", "two", "old", "none"}))
    assert found == {"bitcoin": 1, "old": 5}


# Errors ---------------------------------------------------------------------------------------------

TO_MIDNIGHT = 11 * 3600 + 10 * 60 + 39


@pytest.mark.parametrize(
    ("behaviour", "fault", "wait"),
    [
        (cmc_error(401, 1001, "This API Key is invalid."), ErrorKind.UNAUTHORISED, None),
        (cmc_error(401, "1002", "API key missing."), ErrorKind.UNAUTHORISED, None),
        (cmc_error(402, 1003, ""), ErrorKind.UNAUTHORISED, None),
        (cmc_error(402, 1004, None), ErrorKind.UNAUTHORISED, None),
        (cmc_error(403, 1005, ""), ErrorKind.UNAUTHORISED, None),
        (cmc_error(403, 1006, ""), ErrorKind.UNAUTHORISED, None),
        (cmc_error(403, 1007, ""), ErrorKind.UNAUTHORISED, None),
        (cmc_error(429, 1008, "minute"), ErrorKind.THROTTLED, 60),
        (cmc_error(429, "1008", "minute", retry_after="12"), ErrorKind.THROTTLED, 12),
        (cmc_error(429, 1008, "minute", x_ratelimit_reset="1779108591"), ErrorKind.THROTTLED, 30),
        (cmc_error(429, 1008, "minute", x_ratelimit_reset="1779108591000"), ErrorKind.THROTTLED, 30),
        (cmc_error(429, 1009, "day"), ErrorKind.QUOTA_SPENT, TO_MIDNIGHT),
        (cmc_error(429, "1010", "month"), ErrorKind.QUOTA_SPENT, None),
        (cmc_error(429, 1010, "month", retry_after="86400"), ErrorKind.QUOTA_SPENT, 86_400),
        (cmc_error(429, 1011, "IP"), ErrorKind.THROTTLED, 60),
        (cmc_error(200, "1008", "minute"), ErrorKind.THROTTLED, 60),
        (cmc_error(200, 1001, "key"), ErrorKind.UNAUTHORISED, None),
        (cmc_error(200, 500, "oops"), ErrorKind.UNAVAILABLE, None),
        (cmc_error(200, 77, "new"), ErrorKind.MALFORMED, None),
        (Behaviour(429, b"slow down", "text/plain"), ErrorKind.THROTTLED, 60),
        (FAULTS["throttled-html"], ErrorKind.THROTTLED, 60),
        (FAULTS["forbidden-html"], ErrorKind.REFUSED, None),
        (cmc_error(404, 404, "gone"), ErrorKind.NOT_FOUND, None),
        (cmc_error(400, 400, '"id" is not allowed'), ErrorKind.MALFORMED, None),
        (cmc_error(500, 500, "An internal server error occurred"), ErrorKind.UNAVAILABLE, None),
        (FAULTS["down"], ErrorKind.UNAVAILABLE, None),
        (FAULTS["broken-json"], ErrorKind.MALFORMED, None),
        (FAULTS["empty"], ErrorKind.MALFORMED, None),
        (FAULTS["dropped"], ErrorKind.UNAVAILABLE, None),
        (says(200, {"status": {"error_code": 0}}), ErrorKind.MALFORMED, None),
        (says(200, {"status": {"error_code": 0}, "data": None}), ErrorKind.MALFORMED, None),
        (says(200, []), ErrorKind.MALFORMED, None),
    ],
)
def test_a_refusal_raises_its_kind_of_error(
    behaviour: Behaviour,
    fault: ErrorKind,
    wait: float | None,
    server: ProviderServer,
    known_asset: Callable[..., Any],
    now: datetime,
) -> None:
    server.always("*", behaviour)
    with pytest.raises(ProviderError) as caught:
        asking(server.url).quotes([known_asset("b", None, None, 1)], now)
    assert (caught.value.kind, caught.value.retry_after) == (fault, wait)
    assert len(caught.value.message) > 5


def test_a_key_in_an_error_message_is_redacted(server: ProviderServer, now: datetime) -> None:
    server.always("*", cmc_error(500, 500, f"trouble with {KEY.get_secret_value()}"))
    with pytest.raises(ProviderError, match=r"trouble with \[key\]"):
        asking(server.url).market_totals(now)


def test_the_server_sees_the_key(server: ProviderServer, now: datetime) -> None:
    asking(server.url).market_totals(now)
    assert server.requests[0].headers["x-cmc_pro_api_key"] == KEY.get_secret_value()


# Other pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("quote_form", ["keyed", "keyed_by_id"])
def test_the_totals_are_parsed(server: ProviderServer, now: datetime, quote_form: QuoteForm) -> None:
    server.pages.quote_form = quote_form
    figures = asking(server.url).market_totals(now)
    assert (figures.provider, figures.as_of, figures.credits) == ("coinmarketcap", now, 1)
    assert (figures.market_cap_change_24h, figures.volume_change_24h) == (Decimal("-1.5"), Decimal("30.1"))
    assert figures.btc_market_cap_percentage == Decimal("57.7")
    assert figures.eth_market_cap_percentage == Decimal("9.6")


def test_totals_without_usd_are_malformed(server: ProviderServer, now: datetime) -> None:
    server.once("*", says(200, {"data": {"quote": {"EUR": {"total_market_cap": 5}}}}))
    with pytest.raises(ProviderError, match="USD") as caught:
        asking(server.url).market_totals(now)
    assert caught.value.kind is ErrorKind.MALFORMED


def test_the_fear_and_greed_index_keeps_the_providers_label(server: ProviderServer, now: datetime) -> None:
    index = asking(server.url).fear_greed(now)
    assert (index.value, index.label, index.as_of, index.credits) == (64, "Greed", now, 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"value": None},
        {"value": 101},
        {"value": -1},
        {"value": 50.5},
        {"value_classification": ""},
        {"update_time": None},
    ],
)
def test_an_incomplete_index_is_malformed(changes: dict[str, object], now: datetime) -> None:
    data = {"value": 64, "value_classification": "Greed", "update_time": format_timestamp(now), **changes}
    with pytest.raises(ProviderError) as caught:
        parse_fear_greed({"data": data}, now)
    assert caught.value.kind is ErrorKind.MALFORMED


def test_the_usage_of_the_key_is_reported(server: ProviderServer, now: datetime) -> None:
    provider = asking(server.url)
    provider.market_totals(now)
    usage = provider.usage(now)
    assert usage is not None
    assert (usage.quota, usage.used, usage.per_minute) == (10_000, 1, 30)
