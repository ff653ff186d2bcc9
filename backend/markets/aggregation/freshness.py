"""How old is too old: classes of quotes, and what becomes of a published figure by the clock. Pure.

A quote's age counts from the provider's own time. With T the expected poll interval a quote is
fresh up to max(180 s, 2.5 T), ageing up to max(900 s, 6 T), then stale.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from backend.markets.aggregation.policy import Policy
from backend.markets.model import Freshness, Published, Quote, QuoteEvaluation
from backend.markets.numbers import is_sane
from backend.markets.reasons import Reason, say


def fault_of(quote: Quote, now: datetime, policy: Policy) -> Reason | None:
    """Why ``quote`` cannot be used at all; null when it is valid.

    Reasons name times, not ages: they stay the same until something happens.
    """
    if not quote.price.is_finite():
        return say("price_not_finite", figure=str(quote.price))
    if quote.price <= 0:
        return say("price_not_positive")
    if not is_sane(quote.price):
        return say("price_out_of_range")
    if quote.as_of - now > policy.future_tolerance:
        return say("time_ahead", as_of=quote.as_of, limit_seconds=policy.future_tolerance)
    return None


def classify(provider: str, as_of: datetime, now: datetime, policy: Policy) -> Freshness:
    """The class of a figure that ``provider`` dated ``as_of``; both limits belong to the better class."""
    age = now - as_of
    if age <= policy.fresh_limit(provider):
        return "fresh"
    return "ageing" if age <= policy.ageing_limit(provider) else "stale"


def is_fresh(published: Published, now: datetime, policy: Policy) -> bool:
    """Whether a published figure is recent enough to judge new quotes by.

    A blend is dated by its oldest quote, so the most patient of its providers' limits holds.
    """
    if published.price is None or published.last_updated is None or not published.providers:
        return False
    limit = max(policy.fresh_limit(provider) for provider in published.providers)
    return now - published.last_updated <= limit


def restale(published: Published, now: datetime, policy: Policy) -> Published:
    """What a reader must be shown at ``now`` of a stored figure that no refresh has renewed since.

    The same object while nothing changes; a copy labelled stale once its age is past the limit of
    each of its providers; a copy without figures once it is past ``policy.null_after``.
    """
    if published.price is None or published.last_updated is None:
        return published
    if now - published.last_updated > policy.null_after:
        return expired(published, policy)
    if published.stale or now - published.last_updated <= _usable_for(published, policy):
        return published
    judgements = tuple(
        replace(judgement, freshness="stale", used=False, reason=say("not_renewed"))
        for judgement in published.judgements
    )
    return last_known(published, judgements)


def next_change(published: Published, policy: Policy) -> datetime | None:
    """The first instant at which :func:`restale` gives something else; null when it never will."""
    if published.price is None or published.last_updated is None:
        return None
    lasts = policy.null_after
    if not published.stale:
        lasts = min(lasts, _usable_for(published, policy))
    return published.last_updated + lasts + timedelta.resolution


def last_known(previous: Published, judgements: tuple[QuoteEvaluation, ...]) -> Published:
    """``previous`` once more as the last known good figure: same price, same time, labelled stale."""
    return replace(
        previous,
        stale=True,
        rule="stale",
        reason=say("last_known", providers=list(previous.providers), as_of=_time_of(previous)),
        spread_pct=None,
        judgements=judgements,
    )


def expired(
    previous: Published, policy: Policy, judgements: tuple[QuoteEvaluation, ...] | None = None
) -> Published:
    """No figure at all: the last known one is too old to be shown."""
    return Published(
        asset_id=previous.asset_id,
        price=None,
        providers=(),
        stale=False,
        last_updated=None,
        rule="none",
        reason=say("expired", as_of=_time_of(previous), limit_seconds=policy.null_after),
        judgements=previous.judgements if judgements is None else judgements,
    )


def _time_of(previous: Published) -> datetime:
    if previous.last_updated is None:
        raise ValueError(f"{previous.asset_id}: a figure without a time is not a known one.")
    return previous.last_updated


def _usable_for(published: Published, policy: Policy) -> timedelta:
    return max(
        (policy.ageing_limit(provider) for provider in published.providers), default=policy.ageing_floor
    )
