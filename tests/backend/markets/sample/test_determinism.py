"""Tests that the state depends on seed and time alone, not on earlier calls, the process or other assets."""

import hashlib
import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from backend.markets.sample import SampleMarket, SampleProvider
from tests.backend.markets.sample.conftest import SEED, Coin, coins

ROOT = Path(__file__).parents[4]
INSTANTS = [datetime(2024, 3, 1, tzinfo=UTC) + timedelta(days=37.37 * n, seconds=11 * n) for n in range(12)]


def fingerprint(provider: SampleProvider, time: datetime) -> str:
    poll = provider.quotes(coins(), time)
    result = [
        poll.quotes,
        sorted(poll.sparklines.items()),
        provider.market_totals(time),
        provider.fear_greed(time),
    ]
    return hashlib.sha256(repr(result).encode()).hexdigest()


def test_the_order_of_requests_changes_no_result() -> None:
    forward, shuffled = (SampleMarket(SEED, coins()) for _ in range(2))
    order = list(INSTANTS)
    random.Random(5).shuffle(order)
    expected = {time: fingerprint(SampleProvider("sample-a", forward), time) for time in INSTANTS}
    assert {time: fingerprint(SampleProvider("sample-a", shuffled), time) for time in order} == expected


def test_cache_eviction_changes_no_result(market: SampleMarket, calm_time: datetime) -> None:
    before = market.prices(calm_time).copy()
    for day in range(400):
        market.prices(calm_time + timedelta(days=day, hours=day % 24))
    assert (market.prices(calm_time) == before).all()


@pytest.mark.processes
def test_another_process_gives_the_same_result() -> None:
    program = (
        "from datetime import datetime\n"
        "from backend.markets.sample import SampleMarket, SampleProvider\n"
        "from tests.backend.markets.sample.conftest import SEED, coins\n"
        "from tests.backend.markets.sample.test_determinism import fingerprint\n"
        f"time = datetime.fromisoformat({INSTANTS[4].isoformat()!r})\n"
        "print(fingerprint(SampleProvider('sample-b', SampleMarket(SEED, coins())), time))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "77", "PYTHONPATH": str(ROOT)},
    )
    here = fingerprint(SampleProvider("sample-b", SampleMarket(SEED, coins())), INSTANTS[4])
    assert result.stdout.strip() == here


def test_the_price_of_an_asset_does_not_depend_on_other_assets(
    market: SampleMarket, calm_time: datetime
) -> None:
    single_asset_market = SampleMarket(SEED, [Coin("solana")])
    assert single_asset_market.ids == ("solana",)
    assert single_asset_market.price_at("solana", calm_time) == market.price_at("solana", calm_time)


def test_the_order_of_assets_changes_no_price(market: SampleMarket, calm_time: datetime) -> None:
    turned = SampleMarket(SEED, coins()[::-1])
    assert (turned.prices(calm_time)[::-1] == market.prices(calm_time)).all()


def test_another_seed_gives_another_market(market: SampleMarket, calm_time: datetime) -> None:
    other_market = SampleMarket(SEED + 1, coins())
    price_moves = np.abs(np.log(other_market.prices(calm_time) / market.prices(calm_time)))
    pegged = market.universe.pegged[: len(price_moves)]
    assert (price_moves[~pegged] > 1e-4).all()


def test_two_assets_with_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="same id"):
        SampleMarket(SEED, [Coin("solana"), Coin("solana")])


def test_an_instant_without_a_time_zone_is_refused(market: SampleMarket) -> None:
    with pytest.raises(ValueError, match="time zone"):
        market.prices(datetime(2026, 1, 1))  # noqa: DTZ001 - the fault under test
