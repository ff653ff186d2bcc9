"""Registers the price providers: builds them from the settings and lists them by role."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import SecretStr

from backend.markets.provider_names import ALTERNATIVE_ME, COINGECKO, COINMARKETCAP
from backend.markets.providers.alternative_me import AlternativeMe
from backend.markets.providers.coingecko import CoinGecko
from backend.markets.providers.coinmarketcap import CoinMarketCap, SlugIds
from backend.markets.providers.replay.transport import build_transports
from backend.settings import Settings

REPLAY_KEY = SecretStr("replay")
"""Placeholder for CoinMarketCap's key, which the client requires. Replay sends no requests."""


@dataclass(frozen=True, slots=True)
class LiveProviders:
    """Providers by role, each tuple in order of preference."""

    quotes: tuple[CoinGecko | CoinMarketCap, ...]
    overview: tuple[CoinGecko | CoinMarketCap, ...]
    fear_greed: tuple[AlternativeMe | CoinMarketCap, ...]
    ohlc: CoinGecko
    metered: tuple[CoinGecko | CoinMarketCap, ...]
    """Providers that report a key's usage."""

    def close(self) -> None:
        """Close all connections."""
        for provider in {*self.quotes, *self.overview, *self.fear_greed, self.ohlc}:
            provider.close()


def build_providers(
    settings: Settings,
    *,
    slug_ids: SlugIds | None = None,
    on_slugs_resolved: Callable[[SlugIds], None] | None = None,
) -> LiveProviders:
    """Build the providers for ``settings``; CoinMarketCap only with a key. Sends no request.

    ``slug_ids`` are CoinMarketCap's ids resolved earlier; ``on_slugs_resolved`` is called with newer ones.
    """
    coingecko = CoinGecko.connect(
        settings.coingecko_plan, settings.coingecko_api_key, settings.coingecko_base_url
    )
    alternative_me = AlternativeMe.connect(settings.alternative_me_base_url)
    if settings.coinmarketcap_api_key is None:
        return LiveProviders((coingecko,), (coingecko,), (alternative_me,), coingecko, (coingecko,))
    coinmarketcap = CoinMarketCap.connect(
        settings.coinmarketcap_api_key,
        settings.coinmarketcap_base_url,
        slug_ids=slug_ids,
        on_resolved=on_slugs_resolved,
    )
    return _order_by_preference(coingecko, coinmarketcap, alternative_me, settings)


def build_replay(settings: Settings) -> LiveProviders:
    """Build the same providers over responses recorded in the configured folder, without a network.

    CoinMarketCap is included if the folder has recordings of it.
    """
    recorded = build_transports(settings)
    coingecko = CoinGecko.connect("keyless", transport=recorded[COINGECKO])
    alternative_me = AlternativeMe.connect(transport=recorded[ALTERNATIVE_ME])
    if COINMARKETCAP not in recorded:
        return LiveProviders((coingecko,), (coingecko,), (alternative_me,), coingecko, (coingecko,))
    coinmarketcap = CoinMarketCap.connect(REPLAY_KEY, transport=recorded[COINMARKETCAP])
    return _order_by_preference(coingecko, coinmarketcap, alternative_me, settings)


def _order_by_preference(
    coingecko: CoinGecko, coinmarketcap: CoinMarketCap, alternative_me: AlternativeMe, settings: Settings
) -> LiveProviders:
    quote_providers: tuple[CoinGecko | CoinMarketCap, ...] = (coingecko, coinmarketcap)
    if settings.primary_provider == COINMARKETCAP:
        quote_providers = (coinmarketcap, coingecko)
    # alternative.me first: it is free, and its index has the longer history.
    return LiveProviders(
        quote_providers, quote_providers, (alternative_me, coinmarketcap), coingecko, quote_providers
    )
