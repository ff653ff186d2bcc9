"""Provides a few assets with every scripted role, and one market of them, which never changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from backend.markets.provider_names import SAMPLE_PROVIDERS
from backend.markets.sample import SampleMarket, SampleProvider
from backend.markets.sample.calibration import load_shipped_calibration

SEED = 2026


@dataclass(frozen=True)
class Coin:
    id: str
    symbol: str = "X"
    enabled: bool = True
    pegged_to: str | None = None


def coins() -> list[Coin]:
    """List the assets of all scripted roles, some large assets, and two that a user added."""
    roles = load_shipped_calibration().event_assets
    scripted = [
        *(roles.depeg, roles.collapse, roles.listing, roles.suspended, roles.lagging, roles.one_view_only),
        *(
            roles.tiny_price,
            roles.disabled,
            *roles.halted,
            *roles.divergent,
            *roles.conflicting,
            *roles.shared_symbol,
        ),
        *roles.unranked,
    ]
    large = [
        "bitcoin",
        "ethereum",
        "bnb",
        "xrp",
        "solana",
        "dogecoin",
        "cardano",
        "tron",
        "chainlink",
        "tether",
    ]
    other_ids = [
        "avalanche",
        "sui",
        "polkadot",
        "near",
        "aave",
        "uniswap",
        "pepe",
        "shiba-inu",
        "aptos",
        "filecoin",
    ]
    ids = list(dict.fromkeys([*large, *other_ids, *scripted]))
    return [
        *(Coin(asset_id) for asset_id in ids),
        Coin("my-own-token"),
        Coin("my-own-dollar", pegged_to="usd"),
    ]


@pytest.fixture(scope="session")
def assets() -> list[Coin]:
    return coins()


@pytest.fixture(scope="session")
def market(assets: list[Coin]) -> SampleMarket:
    return SampleMarket(SEED, assets)


@pytest.fixture(scope="session")
def views(market: SampleMarket) -> Mapping[str, SampleProvider]:
    return {name: SampleProvider(name, market) for name in SAMPLE_PROVIDERS}


@pytest.fixture
def calm_time() -> datetime:
    """Return an instant in the calm week of a cycle, without an outage."""
    return datetime(2026, 11, 18, 10, 7, 42, tzinfo=UTC)
