"""Builds quotes and figures for tests of the aggregation rule, all around one moment."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from backend.markets.aggregation.aggregate import AggregationResult, aggregate
from backend.markets.aggregation.policy import AggregationPolicy, AssetTraits
from backend.markets.aggregation.state import AggregationState
from backend.markets.model import PublishedPrice, Quote
from backend.markets.reasons import Reason

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)
POLICY = AggregationPolicy()
COIN = AssetTraits("coin", pegged=False, sigma_1h=Decimal("0.7"))
DOLLAR = AssetTraits("coin", pegged=True, sigma_1h=Decimal("0.1"))
EMPTY = AggregationState()


def seconds(count: float) -> timedelta:
    return timedelta(seconds=count)


def quote(
    provider: str, price: str | Decimal, *, age: float = 30, now: datetime = NOW, **figures: Any
) -> Quote:
    """A quote of ``provider`` that is ``age`` seconds old at ``now``."""
    return Quote(
        provider=provider,
        asset_id="coin",
        external_id=f"{provider}-coin",
        price=Decimal(price),
        as_of=now - seconds(age),
        received_at=now,
        **figures,
    )


def gecko(price: str | Decimal, **rest: Any) -> Quote:
    return quote("coingecko", price, **rest)


def cmc(price: str | Decimal, **rest: Any) -> Quote:
    return quote("coinmarketcap", price, **rest)


def run_aggregation(
    quotes: Sequence[Quote],
    previous: PublishedPrice | None = None,
    state: AggregationState = EMPTY,
    *,
    now: datetime = NOW,
    policy: AggregationPolicy = POLICY,
    asset: AssetTraits = COIN,
) -> AggregationResult:
    return aggregate(quotes, previous, state, now=now, policy=policy, asset=asset)


def next_tick(
    before: AggregationResult, quotes: Sequence[Quote], *, now: datetime, **rest: Any
) -> AggregationResult:
    """The next tick after ``before``."""
    return run_aggregation(quotes, before.published, before.state, now=now, **rest)


def reasons(outcome: AggregationResult) -> dict[str, str]:
    """The message why each provider's quote was used or not."""
    return {evaluation.provider: evaluation.reason.text for evaluation in outcome.published.evaluations}


def used(outcome: AggregationResult) -> set[str]:
    return {evaluation.provider for evaluation in outcome.published.evaluations if evaluation.used}


def incident_actions(outcome: AggregationResult) -> list[tuple[str, str]]:
    return [(event.kind, event.action) for event in outcome.events]


def published(
    price: str | None = "100", *, age: float = 30, now: datetime = NOW, **rest: Any
) -> PublishedPrice:
    """A figure published from CoinGecko alone, ``age`` seconds old at ``now``."""
    has_price = price is not None
    fields: dict[str, Any] = {
        "asset_id": "coin",
        "price": Decimal(price) if price is not None else None,
        "providers": ("coingecko",) if has_price else (),
        "stale": False,
        "last_updated": now - seconds(age) if has_price else None,
        "rule": "single" if has_price else "none",
        "reason": Reason(None, "For a test."),
    }
    return PublishedPrice(**(fields | rest))
