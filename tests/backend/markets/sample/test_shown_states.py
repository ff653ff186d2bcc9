"""Tests that the sample market has every state at any time, after the real aggregation."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.markets.aggregation.aggregate import aggregate
from backend.markets.aggregation.policy import AggregationPolicy
from backend.markets.aggregation.state import AggregationState
from backend.markets.assets.model import Asset
from backend.markets.configuration import build_traits
from backend.markets.model import Quote
from backend.markets.provider_names import SAMPLE_PROVIDERS
from backend.markets.sample import EventKind, SampleMarket, SampleProvider
from tests.backend.markets.sample.conftest import SEED, coins
from tests.support.providers.sample_events import next_event

ASSETS = coins()
MARKET = SampleMarket(SEED, ASSETS)
VIEWS = [SampleProvider(name, MARKET) for name in SAMPLE_PROVIDERS]
POLICY = AggregationPolicy(primary=SAMPLE_PROVIDERS[0], order=SAMPLE_PROVIDERS)
ANY_TIME = st.datetimes(datetime(2024, 1, 1), datetime(2040, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001
LOUD = (EventKind.OUTAGE, EventKind.THROTTLE, EventKind.CRASH)


def states(polls: list[Mapping[str, Quote]], now: datetime) -> Counter[str]:
    seen: Counter[str] = Counter()
    for asset in ASSETS:
        quotes = [quotes[asset.id] for quotes in polls if asset.id in quotes]
        traits = build_traits(cast(Asset, asset))
        result = aggregate(quotes, None, AggregationState(), now=now, policy=POLICY, asset=traits).published
        seen.update([result.rule, *result.flags, *(["kept"] if result.stale else [])])
    return seen


@settings(max_examples=20, deadline=None)
@given(ANY_TIME)
def test_at_any_quiet_time_most_agree_one_diverges_and_one_is_stale(time: datetime) -> None:
    # Half an hour after the crash hour the delay between the views still shows as disagreement.
    if any(
        MARKET.schedule.active(kind, moment)
        for kind in LOUD
        for moment in (time, time - timedelta(minutes=30))
    ):
        return
    seen = states([view.quotes(ASSETS, time).quotes for view in VIEWS], time)
    assert seen["divergent"] + seen["conflict"] >= 1
    assert seen["stale"] >= 1
    assert seen["mean"] >= 0.8 * len(ASSETS)


@pytest.mark.parametrize("minute", [20, 24, 32])
def test_in_the_crash_hour_the_delay_alone_makes_many_disagree(minute: int) -> None:
    crash = next_event(MARKET.schedule, EventKind.CRASH, datetime(2026, 11, 16, tzinfo=UTC))
    now = crash.starts + timedelta(minutes=minute)
    seen = states([view.quotes(ASSETS, now).quotes for view in VIEWS], now)
    assert seen["divergent"] + seen["conflict"] > 0.2 * len(ASSETS)
