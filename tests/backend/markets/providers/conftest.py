"""Provides a provider server with a fixed clock, and the assets of its market."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from tests.support.providers.provider_pages import Pages
from tests.support.providers.provider_server import ProviderServer
from tests.support.providers.simulated_coins import COINS

MOMENT = datetime(2026, 5, 18, 12, 49, 21, tzinfo=UTC)


@dataclass(frozen=True)
class KnownAsset:
    """As much of an asset as a provider looks at."""

    id: str
    datasrc1_slug: str | None = None
    datasrc2_id: str | None = None
    cmc_id: int | None = None


@pytest.fixture
def now() -> datetime:
    return MOMENT


@pytest.fixture
def server(now: datetime) -> Iterator[ProviderServer]:
    with ProviderServer(Pages(now=now)) as running:
        yield running


@pytest.fixture
def assets() -> list[KnownAsset]:
    """One asset for every coin of the server's market; our ids differ from theirs."""
    return [KnownAsset(f"our-{coin.gecko}", coin.slug, coin.gecko) for coin in COINS]


@pytest.fixture
def known_asset() -> type[KnownAsset]:
    return KnownAsset
