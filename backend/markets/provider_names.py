"""Gives each data provider's name as people write it."""

from collections.abc import Mapping

TITLES: Mapping[str, str] = {
    "coingecko": "CoinGecko",
    "coinmarketcap": "CoinMarketCap",
    "alternative.me": "alternative.me",
    "alternative_me": "alternative.me",
    "sample-a": "Sample view A",
    "sample-b": "Sample view B",
}


def title(provider: str) -> str:
    """The provider's name as people write it."""
    return TITLES.get(provider, provider)
