"""Lists the websites and short names of the data providers. No I/O."""

from collections.abc import Mapping
from typing import NamedTuple

from backend.markets.provider_names import ALTERNATIVE_ME, COINGECKO, COINMARKETCAP, TITLES


class Provider(NamedTuple):
    """``short_name`` fits a table cell."""

    name: str
    short_name: str
    website: str


PROVIDERS: Mapping[str, Provider] = {
    COINGECKO: Provider(TITLES[COINGECKO], "CoinGecko", "https://www.coingecko.com/"),
    COINMARKETCAP: Provider(TITLES[COINMARKETCAP], "CMC", "https://coinmarketcap.com/"),
    ALTERNATIVE_ME: Provider(
        TITLES[ALTERNATIVE_ME], "alternative.me", "https://alternative.me/crypto/fear-and-greed-index/"
    ),
}
"""By the provider's id on the wire."""


def get_name(provider_id: str) -> str:
    """Returns the name of a provider; an unknown id is its own name."""
    return PROVIDERS[provider_id].name if provider_id in PROVIDERS else provider_id


def split_source(source: str) -> list[str]:
    """Returns the provider ids in a figure's source: both in ``coingecko+coinmarketcap:stale``."""
    return source.split(":")[0].split("+")


def get_short_name(provider_id: str) -> str:
    return PROVIDERS[provider_id].short_name if provider_id in PROVIDERS else provider_id
