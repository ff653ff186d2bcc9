"""How old is too old: classes of quotes, and what becomes of a published figure by the clock. Pure.

A quote's age counts from the provider's own time. With T the expected poll interval a quote is
fresh up to max(180 s, 2.5 T), ageing up to max(900 s, 6 T), then stale.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from backend.markets.model import Freshness, Judgement, Published, Quote
from backend.markets.numbers import is_sane, stamp
from backend.markets.policy import Policy, title


def fault_of(quote: Quote, now: datetime, policy: Policy) -> str | None:
    """Why ``quote`` cannot be used at all, as a sentence; null when it is valid.

    Sentences name times, not ages: they stay the same until something happens.
    """
    if not quote.price.is_finite():
        return f"Refused: {quote.price} is not a finite price."
    if quote.price <= 0:
        return "Refused: the price is not above zero."
    if not is_sane(quote.price):
        return "Refused: no price is that small, that large or that long."
    if quote.as_of - now > policy.future_tolerance:
        limit = words(policy.future_tolerance)
        return f"Refused: its time, {stamp(quote.as_of)}, is more than {limit} ahead of ours."
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
        replace(judgement, freshness="stale", used=False, reason="Not renewed in time: stale.")
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


def last_known(previous: Published, judgements: tuple[Judgement, ...]) -> Published:
    """``previous`` once more as the last known good figure: same price, same time, labelled stale."""
    when = stamp(previous.last_updated) if previous.last_updated else "an unknown time"
    names = " and ".join(title(provider) for provider in previous.providers)
    return replace(
        previous,
        stale=True,
        rule="stale",
        reason=f"No provider's quote is recent enough: the last known price, {names} at {when}.",
        spread_pct=None,
        judgements=judgements,
    )


def expired(
    previous: Published, policy: Policy, judgements: tuple[Judgement, ...] | None = None
) -> Published:
    """No figure at all: the last known one is too old to be shown."""
    when = stamp(previous.last_updated) if previous.last_updated else "an unknown time"
    limit = words(policy.null_after)
    return Published(
        asset_id=previous.asset_id,
        price=None,
        providers=(),
        stale=False,
        last_updated=None,
        rule="none",
        reason=f"The last known price, of {when}, is older than {limit} and is no longer shown.",
        judgements=previous.judgements if judgements is None else judgements,
    )


def words(duration: timedelta) -> str:
    """A duration for a sentence: ``45 s``, ``12 min``, ``5 h``, ``3 d`` (rounded down)."""
    seconds = int(duration.total_seconds())
    for size, unit, least in ((86_400, "d", 172_800), (3600, "h", 7200), (60, "min", 120)):
        if seconds >= least:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _usable_for(published: Published, policy: Policy) -> timedelta:
    return max(
        (policy.ageing_limit(provider) for provider in published.providers), default=policy.ageing_floor
    )
