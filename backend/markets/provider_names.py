"""Defines the ids of the data providers, as stored and sent, and their titles for users."""

from collections.abc import Mapping
from typing import Final

COINGECKO: Final = "coingecko"
COINMARKETCAP: Final = "coinmarketcap"
ALTERNATIVE_ME: Final = "alternative.me"

SAMPLE_PROVIDERS: Final = ("sample-a", "sample-b")
"""The two views of the sample market; both are published as ``sample``."""

TITLES: Mapping[str, str] = {
    COINGECKO: "CoinGecko",
    COINMARKETCAP: "CoinMarketCap",
    ALTERNATIVE_ME: "alternative.me",
    "alternative_me": "alternative.me",
    SAMPLE_PROVIDERS[0]: "Sample view A",
    SAMPLE_PROVIDERS[1]: "Sample view B",
}


def title(provider: str) -> str:
    """The provider's title; its id if it has none."""
    return TITLES.get(provider, provider)
