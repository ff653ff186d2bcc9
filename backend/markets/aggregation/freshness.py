"""Classifies quotes by age and marks published figures as stale when time passes. No I/O.

The age of a quote counts from the provider's own time. With T the expected poll interval, a quote is fresh
up to max(180 s, 2.5 T), ageing up to max(900 s, 6 T), then stale.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from backend.markets.aggregation.policy import AggregationPolicy
from backend.markets.model import Freshness, PublishedPrice, Quote, QuoteEvaluation
from backend.markets.numbers import is_sane
from backend.markets.reasons import Reason, build_reason


def validate_quote(quote: Quote, now: datetime, policy: AggregationPolicy) -> Reason | None:
    """Return the reason why ``quote`` is invalid; None if it is valid.

    Reasons contain times, not ages, so that they change only when the quote changes.
    """
    if not quote.price.is_finite():
        return build_reason("price_not_finite", figure=str(quote.price))
    if quote.price <= 0:
        return build_reason("price_not_positive")
    if not is_sane(quote.price):
        return build_reason("price_out_of_range")
    if quote.as_of - now > policy.future_tolerance:
        return build_reason("time_ahead", as_of=quote.as_of, limit_seconds=policy.future_tolerance)
    return None


def classify(provider: str, as_of: datetime, now: datetime, policy: AggregationPolicy) -> Freshness:
    """Classify a figure that ``provider`` dated ``as_of``. Each limit belongs to the better class."""
    age = now - as_of
    if age <= policy.fresh_limit(provider):
        return "fresh"
    return "ageing" if age <= policy.ageing_limit(provider) else "stale"


def is_fresh(published: PublishedPrice, now: datetime, policy: AggregationPolicy) -> bool:
    """Whether a published figure is recent enough to compare new quotes with.

    A blend has the time of its oldest quote, so the longest of its providers' limits applies.
    """
    if published.price is None or published.last_updated is None or not published.providers:
        return False
    limit = max(policy.fresh_limit(provider) for provider in published.providers)
    return now - published.last_updated <= limit


def apply_staleness(published: PublishedPrice, now: datetime, policy: AggregationPolicy) -> PublishedPrice:
    """Return what to show at ``now`` of a stored figure that was not refreshed since.

    Returns the same object while nothing changes. Returns a copy labelled stale when the age exceeds the
    limits of all its providers, and a copy without figures when it exceeds ``policy.null_after``.
    """
    if published.price is None or published.last_updated is None:
        return published
    if now - published.last_updated > policy.null_after:
        return build_expired(published, policy)
    if published.stale or now - published.last_updated <= _compute_usable_duration(published, policy):
        return published
    evaluations = tuple(
        replace(evaluation, freshness="stale", used=False, reason=build_reason("not_renewed"))
        for evaluation in published.evaluations
    )
    return build_last_known(published, evaluations)


def next_staleness_change(published: PublishedPrice, policy: AggregationPolicy) -> datetime | None:
    """The first instant at which :func:`apply_staleness` changes the figure; None if it never does."""
    if published.price is None or published.last_updated is None:
        return None
    duration = policy.null_after
    if not published.stale:
        duration = min(duration, _compute_usable_duration(published, policy))
    return published.last_updated + duration + timedelta.resolution


def build_last_known(previous: PublishedPrice, evaluations: tuple[QuoteEvaluation, ...]) -> PublishedPrice:
    """Build the last known figure from ``previous``: same price, same time, labelled stale."""
    return replace(
        previous,
        stale=True,
        rule="stale",
        reason=build_reason("last_known", providers=list(previous.providers), as_of=_require_time(previous)),
        spread_pct=None,
        evaluations=evaluations,
    )


def build_expired(
    previous: PublishedPrice,
    policy: AggregationPolicy,
    evaluations: tuple[QuoteEvaluation, ...] | None = None,
) -> PublishedPrice:
    """Build an empty figure: the last known one is too old to be shown."""
    return PublishedPrice(
        asset_id=previous.asset_id,
        price=None,
        providers=(),
        stale=False,
        last_updated=None,
        rule="none",
        reason=build_reason("expired", as_of=_require_time(previous), limit_seconds=policy.null_after),
        evaluations=previous.evaluations if evaluations is None else evaluations,
    )


def _require_time(previous: PublishedPrice) -> datetime:
    if previous.last_updated is None:
        raise ValueError(f"{previous.asset_id}: the figure has no time.")
    return previous.last_updated


def _compute_usable_duration(published: PublishedPrice, policy: AggregationPolicy) -> timedelta:
    return max((policy.ageing_limit(provider) for provider in published.providers), default=policy.min_ageing)
