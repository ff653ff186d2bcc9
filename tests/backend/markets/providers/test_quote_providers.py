"""Tests the common behaviour of all quote providers."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from backend.markets.model import ErrorKind, ProviderError
from backend.markets.providers.coingecko_parsing import parse_markets
from backend.markets.providers.coinmarketcap_parsing import parse_quotes
from tests.support.processes.running import free_port
from tests.support.providers.adapters import build_coingecko, build_coinmarketcap
from tests.support.providers.provider_pages import format_timestamp
from tests.support.providers.provider_server import FAULTS, ProviderServer
from tests.support.providers.simulated_coins import COINS

Rejects = Callable[[dict[str, object], datetime], object]
EVERY = pytest.mark.parametrize("asking", [build_coingecko, build_coinmarketcap])


@EVERY
def test_nulls_everywhere_leave_a_price_or_a_reason(
    asking: Callable[[str], Any], server: ProviderServer, assets: list[Any], now: datetime
) -> None:
    server.pages.nulls = "all but price"
    poll = asking(server.url).quotes(assets, now)
    assert len(poll.quotes) == len(COINS)
    assert {(quote.market_cap, quote.volume_24h) for quote in poll.quotes.values()} == {(None, None)}
    server.pages.nulls = "all"
    poll = asking(server.url).quotes(assets, now)
    assert (dict(poll.quotes), set(poll.rejected.values())) == ({}, {"the answer holds no price"})
    assert poll.missing == ()


def of_coingecko(changes: dict[str, object], now: datetime) -> Any:
    renamed_changes = {"current_price" if name == "price" else name: value for name, value in changes.items()}
    row = {"id": "bitcoin", "current_price": 5, "last_updated": format_timestamp(now), **renamed_changes}
    return parse_markets([row], {"bitcoin": ["b"]}, now)


def of_coinmarketcap(changes: dict[str, object], now: datetime) -> Any:
    usd = {"price": 5, "last_updated": format_timestamp(now), **changes}
    row = {"id": 1, "slug": "bitcoin", "is_active": 1, "quote": {"USD": usd}}
    return parse_quotes({"status": {"error_code": 0}, "data": [row]}, {1: ["b"]}, now)


@pytest.mark.parametrize("page_of", [of_coingecko, of_coinmarketcap])
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"price": None}, "the answer holds no price"),
        ({"price": {}}, "the answer holds no price"),
        ({"price": 0}, "its price is not a number above zero"),
        ({"price": -3}, "its price is not a number above zero"),
        ({"last_updated": None}, "the answer holds no time"),
        ({"last_updated": "2026-05-18T13:49:21Z"}, "its time is 3,600 s in the future"),
    ],
)
def test_an_invalid_row_is_rejected_with_the_reason(
    page_of: Rejects, changes: dict[str, object], reason: str, now: datetime
) -> None:
    page: Any = page_of(changes, now)
    assert (page.quotes, page.rejected) == ({}, {"b": reason})


@EVERY
def test_a_provider_without_a_server_is_unavailable(asking: Callable[[str], Any], now: datetime) -> None:
    with pytest.raises(ProviderError, match="refused the connection") as caught:
        asking(f"http://127.0.0.1:{free_port()}").market_totals(now)
    assert caught.value.kind is ErrorKind.UNAVAILABLE


@EVERY
def test_a_slow_provider_is_unavailable(
    asking: Callable[..., Any], server: ProviderServer, now: datetime
) -> None:
    server.once("*", FAULTS["slow"])
    with pytest.raises(ProviderError, match=r"within 0\.2 s") as caught:
        asking(server.url, deadline_seconds=0.2).market_totals(now)
    assert caught.value.kind is ErrorKind.UNAVAILABLE
