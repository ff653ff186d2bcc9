"""Lists the names and websites of the data providers. No I/O."""

from collections.abc import Mapping
from typing import NamedTuple


class Provider(NamedTuple):
    """``short_name`` fits a table cell."""

    name: str
    short_name: str
    website: str


PROVIDERS: Mapping[str, Provider] = {
    "coingecko": Provider("CoinGecko", "CoinGecko", "https://www.coingecko.com/"),
    "coinmarketcap": Provider("CoinMarketCap", "CMC", "https://coinmarketcap.com/"),
    "alternative.me": Provider(
        "alternative.me", "alternative.me", "https://alternative.me/crypto/fear-and-greed-index/"
    ),
}
"""By the provider's id on the wire."""


def get_name(provider_id: str) -> str:
    """Returns the name of a provider; an unknown id is its own name."""
    return PROVIDERS[provider_id].name if provider_id in PROVIDERS else provider_id


def get_short_name(provider_id: str) -> str:
    return PROVIDERS[provider_id].short_name if provider_id in PROVIDERS else provider_id
