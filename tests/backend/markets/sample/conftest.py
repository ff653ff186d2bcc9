"""A small cast of assets and one market of them, shared since a market never changes."""

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
    """Every part of the cast, some large assets, and two that only a user knows."""
    cast = load_shipped_calibration().cast
    played = [
        *(cast.depeg, cast.collapse, cast.listing, cast.suspended, cast.lagging, cast.one_view_only),
        *(
            cast.tiny_price,
            cast.disabled,
            *cast.halted,
            *cast.divergent,
            *cast.conflicting,
            *cast.shared_symbol,
        ),
        *cast.unranked,
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
    others = [
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
    ids = list(dict.fromkeys([*large, *others, *played]))
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
def calm() -> datetime:
    """An ordinary instant in the calm week of a cycle, with no outage."""
    return datetime(2026, 11, 18, 10, 7, 42, tzinfo=UTC)
