"""Quotes and figures for tests of the market's rules, all around one moment."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from backend.markets.aggregation.aggregate import Outcome, aggregate
from backend.markets.aggregation.policy import AssetTraits, Policy
from backend.markets.aggregation.state import Memory
from backend.markets.model import Published, Quote
from backend.markets.reasons import Reason

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)
POLICY = Policy()
COIN = AssetTraits("coin", pegged=False, sigma_1h=Decimal("0.7"))
DOLLAR = AssetTraits("coin", pegged=True, sigma_1h=Decimal("0.1"))
EMPTY = Memory()


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


def judge(
    quotes: Sequence[Quote],
    previous: Published | None = None,
    memory: Memory = EMPTY,
    *,
    now: datetime = NOW,
    policy: Policy = POLICY,
    asset: AssetTraits = COIN,
) -> Outcome:
    return aggregate(quotes, previous, memory, now=now, policy=policy, asset=asset)


def then(before: Outcome, quotes: Sequence[Quote], *, now: datetime, **rest: Any) -> Outcome:
    """The next tick after ``before``."""
    return judge(quotes, before.published, before.memory, now=now, **rest)


def reasons(outcome: Outcome) -> dict[str, str]:
    """Why each provider's quote was used or not, in words."""
    return {judgement.provider: judgement.reason.text for judgement in outcome.published.judgements}


def used(outcome: Outcome) -> set[str]:
    return {judgement.provider for judgement in outcome.published.judgements if judgement.used}


def told(outcome: Outcome) -> list[tuple[str, str]]:
    return [(event.kind, event.action) for event in outcome.events]


def published(price: str | None = "100", *, age: float = 30, now: datetime = NOW, **rest: Any) -> Published:
    """A figure published from CoinGecko alone, ``age`` seconds old at ``now``."""
    known = price is not None
    fields: dict[str, Any] = {
        "asset_id": "coin",
        "price": Decimal(price) if price is not None else None,
        "providers": ("coingecko",) if known else (),
        "stale": False,
        "last_updated": now - seconds(age) if known else None,
        "rule": "single" if known else "none",
        "reason": Reason(None, "For a test."),
    }
    return Published(**(fields | rest))
