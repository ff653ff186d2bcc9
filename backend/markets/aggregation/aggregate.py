"""One price out of several providers' quotes, and why: the rule that every published figure follows. Pure.

1. Identity was checked by the providers' adapters. 2. A quote is valid when its price is a finite
number above zero and its time at most a minute ahead. 3. Of the valid quotes only the best class of
fresh and ageing ones is combined; stale ones never are. 4. Three or more: the median without those
outside a band. 5. Two: their mean when they agree; the one nearer the last price, or the primary's,
when they diverge; the last good figure, then the primary's, when they conflict. 6. One: itself,
unless it jumped and nothing bears that out yet. 7. None: the last known figure with its own time,
labelled stale, and nothing after a day. 8. Capitalisation, changes and records are those of the
chosen provider, in a blend those of the primary; a figure is as old as the oldest quote in it.

The same quotes in any order give the same outcome. Tick by tick the caller passes the figure
published before and the memory that came with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from backend.markets.aggregation.freshness import classify, expired, fault_of, last_known
from backend.markets.aggregation.incident_tracking import IncidentEvent, Sign, advance
from backend.markets.aggregation.policy import AssetTraits, Policy
from backend.markets.aggregation.price_selection import (
    Choice,
    Situation,
    choose_many,
    choose_one,
    choose_two,
)
from backend.markets.aggregation.state import GoodFigure, IncidentKind, Memory
from backend.markets.model import Freshness, Published, Quote, QuoteEvaluation
from backend.markets.numbers import WIDE, is_sane
from backend.markets.provider_names import SAMPLE_PROVIDERS
from backend.markets.reasons import Reason, say

ONE_DOLLAR = Decimal(1)
SPREAD_STEP = Decimal("0.0001")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What to publish and store, what to remember, and which incidents opened, grew or ended."""

    published: Published
    memory: Memory
    events: tuple[IncidentEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """A quote with its class, or with what makes it invalid."""

    quote: Quote
    freshness: Freshness | None
    fault: Reason | None


def aggregate(
    quotes: Sequence[Quote],
    previous: Published | None,
    memory: Memory,
    *,
    now: datetime,
    policy: Policy,
    asset: AssetTraits,
) -> Outcome:
    """Judge ``quotes`` (the newest of each provider) of one asset and say what to publish at ``now``.

    Raises :class:`ValueError` for quotes of another asset, two of one provider, or sample figures
    beside live ones: those are mistakes of the caller, not of a provider.
    """
    _check(quotes, previous, asset)
    at = Situation(previous, memory, now, policy, asset)
    seen = [_look(quote, at) for quote in sorted(quotes, key=lambda quote: policy.rank(quote.provider))]
    best = _best_class(seen)
    usable = [item.quote for item in seen if item.freshness == best] if best else []
    if not usable:
        return _without_quotes(seen, at)
    if len(usable) >= 3:
        choice = choose_many(usable, at)
    elif len(usable) == 2:
        choice = choose_two(usable[0], usable[1], at)
    else:
        choice = choose_one(usable[0], at)
    return _outcome(choice, seen, at)


def _check(quotes: Sequence[Quote], previous: Published | None, asset: AssetTraits) -> None:
    providers = [quote.provider for quote in quotes]
    if len(set(providers)) != len(providers):
        raise ValueError(f"{asset.asset_id}: more than one quote of the same provider: {sorted(providers)}.")
    strangers = {quote.asset_id for quote in quotes} - {asset.asset_id}
    if strangers or (previous is not None and previous.asset_id != asset.asset_id):
        raise ValueError(f"{asset.asset_id}: quotes or a figure of another asset were given.")
    everyone = {*providers, *(previous.providers if previous else ())}
    if len({provider in SAMPLE_PROVIDERS for provider in everyone}) > 1:
        raise ValueError(f"{asset.asset_id}: sample figures must never meet live ones: {sorted(everyone)}.")


def _look(quote: Quote, at: Situation) -> Seen:
    fault = fault_of(quote, at.now, at.policy)
    freshness = None if fault else classify(quote.provider, quote.as_of, at.now, at.policy)
    return Seen(quote, freshness, fault)


def _best_class(seen: Sequence[Seen]) -> Freshness | None:
    classes = {item.freshness for item in seen}
    if "fresh" in classes:
        return "fresh"
    return "ageing" if "ageing" in classes else None


def _outcome(choice: Choice, seen: Sequence[Seen], at: Situation) -> Outcome:
    signs = dict(choice.signs) | _peg_sign(choice, at)
    incidents, events = advance(at.asset.asset_id, at.memory.incidents, signs, at.now, at.policy.quiet)
    told: dict[str, Any] = {
        "rule": choice.rule,
        "reason": choice.reason,
        "flags": choice.flags + (("depeg",) if "depeg" in incidents else ()),
        "spread_pct": _spread(choice),
        "judgements": _judgements(seen, choice, at),
    }
    published = _chosen(choice, told, at) if choice.held is None else _held(choice.held, told, at)
    memory = Memory(
        excluded=at.memory.excluded if choice.excluded is None else choice.excluded,
        pending=choice.pending,
        last_good=_good(choice, published) or at.memory.last_good,
        newest=_newest(seen, at),
        incidents=incidents,
    )
    return Outcome(published, memory, events)


def _chosen(choice: Choice, told: Mapping[str, Any], at: Situation) -> Published:
    leader = next((quote for quote in choice.used if quote.provider == at.policy.primary), choice.used[0])
    return Published(
        asset_id=at.asset.asset_id,
        price=choice.price,
        providers=tuple(quote.provider for quote in choice.used),
        stale=False,
        last_updated=min(quote.as_of for quote in choice.used),
        **_figures(leader),
        **told,
    )


def _held(good: GoodFigure, told: Mapping[str, Any], at: Situation) -> Published:
    """The last good figure once more; with all its fields where ``previous`` still carries it."""
    previous = at.previous
    if previous is None or (previous.price, previous.last_updated) != (good.price, good.at):
        previous = Published(
            at.asset.asset_id, good.price, good.providers, True, good.at, "held", told["reason"]
        )
    return replace(previous, stale=True, **told)


def _figures(leader: Quote) -> dict[str, Any]:
    def sane(value: Decimal | None) -> Decimal | None:
        return value if value is not None and is_sane(value) else None

    return {
        "market_cap": sane(leader.market_cap),
        "market_cap_rank": leader.market_cap_rank,
        "volume_24h": sane(leader.volume_24h),
        "pct_change_1h": sane(leader.pct_change_1h),
        "pct_change_24h": sane(leader.pct_change_24h),
        "pct_change_7d": sane(leader.pct_change_7d),
        "pct_change_30d": sane(leader.pct_change_30d),
        "ath": sane(leader.ath),
        "ath_change_percentage": sane(leader.ath_change_percentage),
        "ath_date": leader.ath_date,
    }


def _spread(choice: Choice) -> Decimal | None:
    return None if choice.spread_pct is None else WIDE.quantize(choice.spread_pct, SPREAD_STEP)


def _good(choice: Choice, published: Published) -> GoodFigure | None:
    if (
        choice.contested
        or choice.held is not None
        or published.price is None
        or published.last_updated is None
    ):
        return None
    return GoodFigure(published.price, published.last_updated, published.providers)


def _newest(seen: Sequence[Seen], at: Situation) -> datetime | None:
    times = [item.quote.as_of for item in seen if item.freshness]
    if at.memory.newest:
        times.append(at.memory.newest)
    return max(times, default=None)


def _peg_sign(choice: Choice, at: Situation) -> dict[IncidentKind, Sign]:
    """Whether a pegged asset is worth a dollar; nothing to say of a figure that is only held."""
    if not at.asset.pegged:
        return {"depeg": Sign(False, Decimal(0), over=True)}
    if choice.price is None:
        return {}
    off = WIDE.multiply(abs(WIDE.subtract(choice.price, ONE_DOLLAR)), Decimal(100))
    limit = at.policy.depeg_pct
    return {"depeg": Sign(off > limit, off, say("off_peg", off_pct=off, limit_pct=limit))}


def _judgements(seen: Sequence[Seen], choice: Choice | None, at: Situation) -> tuple[QuoteEvaluation, ...]:
    used = {quote.provider for quote in choice.used} if choice else set()
    reasons = choice.reasons if choice else {}
    return tuple(
        QuoteEvaluation(
            provider=item.quote.provider,
            freshness=item.freshness,
            used=item.quote.provider in used,
            reason=reasons.get(item.quote.provider) or _unused(item, at),
        )
        for item in seen
    )


def _unused(item: Seen, at: Situation) -> Reason:
    if item.fault:
        return item.fault
    as_of, provider = item.quote.as_of, item.quote.provider
    if item.freshness == "stale":
        return say("stale", as_of=as_of, limit_seconds=at.policy.ageing_limit(provider))
    return say("ageing", as_of=as_of, limit_seconds=at.policy.fresh_limit(provider))


# -- no usable quote ----------------------------------------------------------------------------


def _without_quotes(seen: Sequence[Seen], at: Situation) -> Outcome:
    """Step 7. Incidents stay as they are while a figure is shown: nothing new was learnt about them."""
    memory = replace(at.memory, newest=_newest(seen, at))
    judgements = _judgements(seen, None, at)
    late = _late_news(seen, at)
    if late is not None:
        return Outcome(replace(_late(late, at), judgements=_mark(judgements, late, at)), memory)
    previous = at.previous
    if previous is None or previous.price is None or previous.last_updated is None:
        nothing = Published(at.asset.asset_id, None, (), False, None, "none", say("nothing_yet"))
        shown = previous if previous is not None else nothing
        return _ended(replace(shown, judgements=judgements), memory, at)
    if at.now - previous.last_updated > at.policy.null_after:
        return _ended(expired(previous, at.policy, judgements), memory, at)
    return Outcome(last_known(previous, judgements), memory)


def _late_news(seen: Sequence[Seen], at: Situation) -> Quote | None:
    """A stale quote that is news all the same: later than every time seen before, or all there is.

    Providers date a seldom traded asset by its last trade, so each of its quotes arrives stale.
    """
    candidates = [
        item.quote
        for item in seen
        if item.freshness == "stale"
        and at.now - item.quote.as_of <= at.policy.null_after
        and (at.last_price is None or at.memory.newest is None or item.quote.as_of > at.memory.newest)
    ]
    # The latest; of two equally late ones the first in the policy's order.
    return max(candidates, key=lambda quote: quote.as_of, default=None)


def _late(quote: Quote, at: Situation) -> Published:
    return Published(
        asset_id=at.asset.asset_id,
        price=quote.price,
        providers=(quote.provider,),
        stale=True,
        last_updated=quote.as_of,
        rule="stale",
        reason=say("latest_known", provider=quote.provider, as_of=quote.as_of),
        flags=("depeg",) if "depeg" in at.memory.incidents else (),
        **_figures(quote),
    )


def _mark(judgements: tuple[QuoteEvaluation, ...], late: Quote, at: Situation) -> tuple[QuoteEvaluation, ...]:
    limit = at.policy.ageing_limit(late.provider)
    reason = say("stale_but_latest", as_of=late.as_of, limit_seconds=limit)
    return tuple(
        replace(judgement, used=True, reason=reason) if judgement.provider == late.provider else judgement
        for judgement in judgements
    )


def _ended(published: Published, memory: Memory, at: Situation) -> Outcome:
    """Nothing is shown any more, so nothing is wrong with it either."""
    signs: Mapping[IncidentKind, Sign] = {
        kind: Sign(False, Decimal(0), over=True) for kind in memory.incidents
    }
    incidents, events = advance(at.asset.asset_id, memory.incidents, signs, at.now, at.policy.quiet)
    return Outcome(published, replace(memory, incidents=incidents, pending=None), events)
