"""Builds the live providers' adapters for a local server, without waits between attempts."""

from typing import Any

from pydantic import SecretStr

from backend.markets.providers.coingecko import CoinGecko
from backend.markets.providers.coinmarketcap import CoinMarketCap
from backend.upstream import RetryPolicy, UpstreamClient
from tests.support.waiting import LIMIT_SECONDS

NO_WAIT = RetryPolicy(wait_initial=0, wait_max=0, wait_jitter=0)
CMC_KEY = SecretStr("cmc-secret-1")


def build_coingecko(
    url: str, *, key_sent: bool = False, deadline_seconds: float = LIMIT_SECONDS, max_bytes: int = 8_000_000
) -> CoinGecko:
    client = UpstreamClient(
        f"{url}/api/v3", retry=NO_WAIT, deadline_seconds=deadline_seconds, max_bytes=max_bytes
    )
    return CoinGecko(client, key_sent=key_sent)


def build_coinmarketcap(
    url: str, *, deadline_seconds: float = LIMIT_SECONDS, **options: Any
) -> CoinMarketCap:
    headers = {"X-CMC_PRO_API_KEY": CMC_KEY}
    client = UpstreamClient(url, secret_headers=headers, deadline_seconds=deadline_seconds, retry=NO_WAIT)
    return CoinMarketCap(client, **options)
