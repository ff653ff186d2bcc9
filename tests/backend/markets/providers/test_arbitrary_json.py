"""Tests that any JSON of a provider gives a result or a ProviderError, never another exception."""

import contextlib
import copy
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.markets.model import ProviderError, Quote
from backend.markets.providers import (
    alternative_me,
    coingecko,
    coingecko_parsing,
    coinmarketcap,
    coinmarketcap_parsing,
    parsing,
)
from backend.markets.providers.provider_http import ProviderResponse, retry_after
from tests.support.providers.provider_pages import Pages
from tests.support.providers.simulated_coins import COINS
from tests.support.test_session.property_tests import examples

NOW = datetime(2026, 5, 18, 12, 49, 21, tzinfo=UTC)
PAGES = Pages(now=NOW)
WANTED = {"bitcoin": ["b"], "example-grain": ["g"], "": ["e"]}
NUMBERS = {1: ["b"], 990001: ["g"]}

PARSERS: dict[str, Callable[[Any], object]] = {
    "markets": lambda payload: coingecko_parsing.parse_markets(payload, WANTED, NOW),
    "global": lambda payload: coingecko_parsing.parse_global(payload, NOW),
    "ohlc": lambda payload: coingecko_parsing.parse_ohlc(payload, "7d", NOW),
    "market chart": lambda payload: coingecko_parsing.parse_market_chart(payload, NOW),
    "key": coingecko_parsing.parse_usage,
    "cmc quotes": lambda payload: coinmarketcap_parsing.parse_quotes(payload, NUMBERS, NOW),
    "cmc map": lambda payload: coinmarketcap_parsing.parse_map(payload, frozenset({"bitcoin"})),
    "cmc global": lambda payload: coinmarketcap_parsing.parse_global(payload, NOW),
    "cmc fear and greed": lambda payload: coinmarketcap_parsing.parse_fear_greed(payload, NOW),
    "cmc key": coinmarketcap_parsing.parse_usage,
    "fear and greed": lambda payload: alternative_me.parse_fear_greed(payload, NOW),
}
QUERY = {"ids": "bitcoin,example-grain", "sparkline": "true", "price_change_percentage": "1h,24h,7d,30d"}
GOOD: dict[str, object] = {
    "markets": PAGES.answer("/api/v3/coins/markets", QUERY)[1],
    "global": PAGES.answer("/api/v3/global", {})[1],
    "ohlc": PAGES.ohlc(COINS[0], {"days": "7"})[:3],
    "market chart": {"prices": PAGES.past_prices(COINS[0], 1)[:3], "total_volumes": []},
    "key": PAGES.answer("/api/v3/key", {})[1],
    "cmc quotes": PAGES.cmc_quotes({1, 990001}),
    "cmc map": PAGES.answer("/v1/cryptocurrency/map", {})[1],
    "cmc global": PAGES.cmc_global(),
    "cmc fear and greed": PAGES.answer("/v3/fear-and-greed/latest", {})[1],
    "cmc key": PAGES.answer("/v1/key/info", {})[1],
    "fear and greed": PAGES.fear_greed_alternative(),
}


def keys_in(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from keys_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys_in(item)


def places_in(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(items)[:30]:
        yield from places_in(item, (*path, key))


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals()
    | st.text(max_size=20)
    | st.sampled_from(
        ["bitcoin", "USD", "2781", "1e999999", "2026-05-18T12:00:00Z", 10**90, Decimal("1e400"), 1]
    )
)
names = st.sampled_from(sorted(set(keys_in(list(GOOD.values()))))) | st.text(max_size=5)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=6),
    max_leaves=12,
)


@st.composite
def draw_damaged_page(draw: st.DrawFn) -> tuple[str, object]:
    """A good page with one value in it replaced by anything."""
    kind = draw(st.sampled_from(sorted(GOOD)))
    page: Any = copy.deepcopy(parsing.load_json(json.dumps(GOOD[kind]).encode()))
    path = draw(st.sampled_from(list(places_in(page))))
    if not path:
        return kind, draw(anything)
    holder = page
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = draw(anything)
    return kind, page


def quotes_of(result: object) -> list[Quote]:
    return list(getattr(result, "quotes", {}).values())


def check(kind: str, payload: object) -> None:
    with contextlib.suppress(ProviderError):
        check_quotes(quotes_of(PARSERS[kind](payload)))


def check_quotes(quotes: list[Quote]) -> None:
    for quote in quotes:
        assert quote.price > 0
        assert quote.as_of.tzinfo is UTC
        for figure in (quote.price, quote.market_cap, quote.volume_24h, quote.pct_change_24h, quote.ath):
            assert figure is None or (isinstance(figure, Decimal) and len(format(figure, "f")) < 130)


@pytest.mark.parametrize("kind", sorted(PARSERS))
def test_a_valid_page_is_parsed(kind: str) -> None:
    payload = parsing.load_json(json.dumps(GOOD[kind]).encode())
    result = PARSERS[kind](payload)
    if kind in ("markets", "cmc quotes"):
        assert {quote.asset_id for quote in quotes_of(result)} == {"b", "g"}


@settings(max_examples=examples(120), deadline=None)
@given(st.sampled_from(sorted(PARSERS)), anything)
def test_any_json_gives_a_result_or_a_provider_error(kind: str, payload: object) -> None:
    check(kind, payload)


@settings(max_examples=examples(240), deadline=None)
@given(draw_damaged_page())
def test_a_damaged_page_gives_a_result_or_a_provider_error(case: tuple[str, object]) -> None:
    check(*case)


headers = st.dictionaries(st.sampled_from(["retry-after", "x-ratelimit-reset"]), st.text(max_size=30))


@settings(max_examples=examples(120), deadline=None)
@given(
    st.sampled_from(
        [
            partial(coingecko.check_response, key_sent=True),
            coinmarketcap.check_response,
            alternative_me.check_response,
        ]
    ),
    st.integers(200, 599),
    headers,
    st.text(max_size=40),
    anything,
    st.sampled_from([None, "is empty", "is a web page and not JSON"]),
)
def test_any_response_is_accepted_or_raises_a_printable_error(
    check_response: Callable[[ProviderResponse, datetime], object],
    status: int,
    headers: dict[str, str],
    text: str,
    payload: object,
    parse_error: str | None,
) -> None:
    response = ProviderResponse(status, headers, text, None if parse_error else payload, parse_error)
    raised = None
    try:
        check_response(response, NOW)
    except ProviderError as error:
        raised = error
    if raised is None:
        assert status == 200
    else:
        assert raised.message.isprintable()
        assert len(raised.message) > 5
        assert raised.retry_after is None or 0 <= raised.retry_after <= 31 * 86_400


@settings(deadline=None)
@given(headers)
def test_retry_after_is_between_zero_and_a_month(response_headers: dict[str, str]) -> None:
    wait = retry_after(response_headers, NOW)
    assert wait is None or 0 <= wait <= 31 * 86_400
