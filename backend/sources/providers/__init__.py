"""Builds the search providers that the settings configure; by default there are none."""

from backend.settings import Settings
from backend.sources.providers.brave import Brave
from backend.sources.providers.protocols import SearchFailed, SearchProvider
from backend.sources.providers.searxng import SearXNG
from backend.sources.providers.tavily import Tavily

__all__ = ["SearchFailed", "SearchProvider", "build_providers"]


def build_providers(settings: Settings) -> list[SearchProvider]:
    """Build the configured providers, in the order in which they are asked.

    The list is empty outside live mode: the other modes use no network.
    """
    providers: list[SearchProvider] = []
    if settings.is_offline:
        return providers
    if settings.search_searxng_url is not None:
        providers.append(SearXNG.connect(settings.search_searxng_url))
    if settings.search_brave_api_key is not None:
        providers.append(Brave.connect(settings.search_brave_api_key, settings.search_brave_base_url))
    if settings.search_tavily_api_key is not None:
        providers.append(Tavily.connect(settings.search_tavily_api_key, settings.search_tavily_base_url))
    return providers
