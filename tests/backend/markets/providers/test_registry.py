"""Tests which providers the settings select, and in which order they are preferred."""

from datetime import datetime
from typing import Any

import pytest

from backend.markets.providers.coinmarketcap import SlugIds
from backend.markets.providers.registry import LiveProviders, build_providers
from backend.settings import Settings, SettingsError
from tests.support.providers.provider_server import ProviderServer
from tests.support.providers.simulated_coins import COINS


def provider_names_by_role(providers: LiveProviders) -> list[list[str]]:
    roles = (providers.quotes, providers.overview, providers.fear_greed)
    return [[provider.name for provider in role] for role in roles]


def settings(**values: Any) -> Settings:
    return Settings(mode="live", **values)


def test_without_keys_coingecko_and_alternative_me_remain() -> None:
    assert provider_names_by_role(build_providers(settings())) == [
        ["coingecko"],
        ["coingecko"],
        ["alternative.me"],
    ]


@pytest.mark.parametrize("primary", ["coingecko", "coinmarketcap"])
def test_the_primary_provider_comes_first(primary: str) -> None:
    providers = build_providers(settings(coinmarketcap_api_key="k", primary_provider=primary))
    quotes, overview, fear_greed = provider_names_by_role(providers)
    assert quotes[0] == overview[0] == primary
    assert set(quotes) == {"coingecko", "coinmarketcap"}
    assert fear_greed == ["alternative.me", "coinmarketcap"]
    assert providers.ohlc.name == "coingecko"


def test_invalid_settings_raise_an_error_that_names_the_setting() -> None:
    with pytest.raises(SettingsError, match="Set CHAINPROOF_COINGECKO_API_KEY, or set the plan to"):
        settings(coingecko_plan="demo")
    with pytest.raises(SettingsError, match="CHAINPROOF_COINGECKO_BASE_URL: 'nowhere' is not accepted"):
        settings(coingecko_base_url="nowhere")


def test_all_providers_use_their_configured_urls(
    server: ProviderServer, assets: list[Any], now: datetime
) -> None:
    resolved: list[SlugIds] = []
    providers = build_providers(
        settings(
            coingecko_base_url=server.url,
            coinmarketcap_base_url=server.url,
            coinmarketcap_api_key="k",
            alternative_me_base_url=server.url,
        ),
        on_slugs_resolved=resolved.append,
    )
    assert [len(provider.quotes(assets, now).quotes) for provider in providers.quotes] == [len(COINS)] * 2
    assert [provider.market_totals(now).as_of for provider in providers.overview] == [now] * 2
    assert [provider.fear_greed(now).value for provider in providers.fear_greed] == [40, 64]
    assert len(providers.ohlc.ohlc(assets[0], "24h", now)) == 48
    assert len(resolved) == 1
    providers.close()
