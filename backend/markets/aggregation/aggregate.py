"""Aggregates several providers' quotes of an asset into one published price with its reason. No I/O.

1. The providers' adapters check the identity of the asset.
2. A quote is valid if its price is a finite number above zero and its time at most a minute in the future.
3. Only the best class of the valid quotes is combined: fresh, else ageing. Stale quotes are never combined.
4. Three or more quotes: the median of those within a band.
5. Two quotes: their mean if they agree. If they diverge, the one nearer the last price, else the primary's.
   If they conflict, the last good figure, later the primary's.
6. One quote: itself, unless its price jumped and no second observation confirms the jump.
7. No quote: the last known figure with its own time, labelled stale; no figure after a day.
8. Capitalisation, changes and records come from the selected provider, in a blend from the primary. A figure
   is as old as its oldest quote.

The same quotes in any order give the same result. At each tick the caller passes the previously published
figure and the state of the previous result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from backend.markets.aggregation.freshness import build_expired, build_last_known, classify, validate_quote
from backend.markets.aggregation.incident_tracking import IncidentEvent, IncidentSignal, track_incidents
from backend.markets.aggregation.policy import AggregationPolicy, AssetTraits
from backend.markets.aggregation.price_selection import (
    AggregationContext,
    PriceSelection,
    select_from_many,
    select_from_two,
    select_single,
)
from backend.markets.aggregation.state import AggregationState, GoodFigure, IncidentKind
from backend.markets.model import Freshness, PublishedPrice, Quote, QuoteEvaluation
from backend.markets.numbers import EXACT_CONTEXT, is_sane
from backend.markets.provider_names import SAMPLE_PROVIDERS
from backend.markets.reasons import Reason, build_reason

ONE_DOLLAR = Decimal(1)
SPREAD_QUANTUM = Decimal("0.0001")


@dataclass(frozen=True, slots=True)
class AggregationResult:
    """The figure to publish, the state for the next tick, and the incidents that opened, grew or closed."""

    published: PublishedPrice
    state: AggregationState
    events: tuple[IncidentEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassifiedQuote:
    """A quote with its freshness class, or with the reason why it is invalid."""

    quote: Quote
    freshness: Freshness | None
    error: Reason | None


def aggregate(
    quotes: Sequence[Quote],
    previous: PublishedPrice | None,
    state: AggregationState,
    *,
    now: datetime,
    policy: AggregationPolicy,
    asset: AssetTraits,
) -> AggregationResult:
    """Aggregate ``quotes`` (the newest of each provider) of one asset at ``now``.

    Raises :class:`ValueError` for quotes of another asset, two quotes of one provider, or sample figures
    mixed with live ones: these are errors of the caller, not of a provider.
    """
    _check_arguments(quotes, previous, asset)
    context = AggregationContext(previous, state, now, policy, asset)
    classified = [
        _classify_quote(quote, context)
        for quote in sorted(quotes, key=lambda quote: policy.sort_key(quote.provider))
    ]
    best = _find_best_class(classified)
    usable = [item.quote for item in classified if item.freshness == best] if best else []
    if not usable:
        return _aggregate_without_quotes(classified, context)
    if len(usable) >= 3:
        choice = select_from_many(usable, context)
    elif len(usable) == 2:
        choice = select_from_two(usable[0], usable[1], context)
    else:
        choice = select_single(usable[0], context)
    return _build_result(choice, classified, context)


def _check_arguments(quotes: Sequence[Quote], previous: PublishedPrice | None, asset: AssetTraits) -> None:
    providers = [quote.provider for quote in quotes]
    if len(set(providers)) != len(providers):
        raise ValueError(f"{asset.asset_id}: more than one quote of the same provider: {sorted(providers)}.")
    other_assets = {quote.asset_id for quote in quotes} - {asset.asset_id}
    if other_assets or (previous is not None and previous.asset_id != asset.asset_id):
        raise ValueError(f"{asset.asset_id}: the quotes or the previous figure belong to another asset.")
    all_providers = {*providers, *(previous.providers if previous else ())}
    if len({provider in SAMPLE_PROVIDERS for provider in all_providers}) > 1:
        raise ValueError(
            f"{asset.asset_id}: sample figures must never be mixed with live ones: {sorted(all_providers)}."
        )


def _classify_quote(quote: Quote, context: AggregationContext) -> ClassifiedQuote:
    error = validate_quote(quote, context.now, context.policy)
    freshness = None if error else classify(quote.provider, quote.as_of, context.now, context.policy)
    return ClassifiedQuote(quote, freshness, error)


def _find_best_class(classified: Sequence[ClassifiedQuote]) -> Freshness | None:
    classes = {item.freshness for item in classified}
    if "fresh" in classes:
        return "fresh"
    return "ageing" if "ageing" in classes else None


def _build_result(
    choice: PriceSelection, classified: Sequence[ClassifiedQuote], context: AggregationContext
) -> AggregationResult:
    signals = dict(choice.signals) | _build_peg_signal(choice, context)
    incidents, events = track_incidents(
        context.asset.asset_id, context.state.incidents, signals, context.now, context.policy.quiet_period
    )
    fields: dict[str, Any] = {
        "rule": choice.rule,
        "reason": choice.reason,
        "flags": choice.flags + (("depeg",) if "depeg" in incidents else ()),
        "spread_pct": _round_spread(choice),
        "evaluations": _evaluate_quotes(classified, choice, context),
    }
    published = (
        _publish_selection(choice, fields, context)
        if choice.held is None
        else _publish_held(choice.held, fields, context)
    )
    state = AggregationState(
        excluded=context.state.excluded if choice.excluded is None else choice.excluded,
        pending=choice.pending,
        last_good=_build_last_good_figure(choice, published) or context.state.last_good,
        newest=_find_newest_time(classified, context),
        incidents=incidents,
    )
    return AggregationResult(published, state, events)


def _publish_selection(
    choice: PriceSelection, fields: Mapping[str, Any], context: AggregationContext
) -> PublishedPrice:
    leader = next(
        (quote for quote in choice.used if quote.provider == context.policy.primary), choice.used[0]
    )
    return PublishedPrice(
        asset_id=context.asset.asset_id,
        price=choice.price,
        providers=tuple(quote.provider for quote in choice.used),
        stale=False,
        last_updated=min(quote.as_of for quote in choice.used),
        **_copy_figures(leader),
        **fields,
    )


def _publish_held(
    last_good: GoodFigure, fields: Mapping[str, Any], context: AggregationContext
) -> PublishedPrice:
    """Publish the last good figure again, with all its fields if ``previous`` is that figure."""
    previous = context.previous
    if previous is None or (previous.price, previous.last_updated) != (last_good.price, last_good.at):
        previous = PublishedPrice(
            context.asset.asset_id,
            last_good.price,
            last_good.providers,
            True,
            last_good.at,
            "held",
            fields["reason"],
        )
    return replace(previous, stale=True, **fields)


def _copy_figures(leader: Quote) -> dict[str, Any]:
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


def _round_spread(choice: PriceSelection) -> Decimal | None:
    return None if choice.spread_pct is None else EXACT_CONTEXT.quantize(choice.spread_pct, SPREAD_QUANTUM)


def _build_last_good_figure(choice: PriceSelection, published: PublishedPrice) -> GoodFigure | None:
    if (
        choice.contested
        or choice.held is not None
        or published.price is None
        or published.last_updated is None
    ):
        return None
    return GoodFigure(published.price, published.last_updated, published.providers)


def _find_newest_time(classified: Sequence[ClassifiedQuote], context: AggregationContext) -> datetime | None:
    times = [item.quote.as_of for item in classified if item.freshness]
    if context.state.newest:
        times.append(context.state.newest)
    return max(times, default=None)


def _build_peg_signal(
    choice: PriceSelection, context: AggregationContext
) -> dict[IncidentKind, IncidentSignal]:
    """Signal whether a pegged asset is off one dollar. A held figure gives no signal."""
    if not context.asset.pegged:
        return {"depeg": IncidentSignal(False, Decimal(0), is_over=True)}
    if choice.price is None:
        return {}
    deviation_pct = EXACT_CONTEXT.multiply(
        abs(EXACT_CONTEXT.subtract(choice.price, ONE_DOLLAR)), Decimal(100)
    )
    limit = context.policy.depeg_pct
    return {
        "depeg": IncidentSignal(
            deviation_pct > limit,
            deviation_pct,
            build_reason("off_peg", off_pct=deviation_pct, limit_pct=limit),
        )
    }


def _evaluate_quotes(
    classified: Sequence[ClassifiedQuote], choice: PriceSelection | None, context: AggregationContext
) -> tuple[QuoteEvaluation, ...]:
    used = {quote.provider for quote in choice.used} if choice else set()
    reasons = choice.reasons if choice else {}
    return tuple(
        QuoteEvaluation(
            provider=item.quote.provider,
            freshness=item.freshness,
            used=item.quote.provider in used,
            reason=reasons.get(item.quote.provider) or _build_unused_reason(item, context),
        )
        for item in classified
    )


def _build_unused_reason(item: ClassifiedQuote, context: AggregationContext) -> Reason:
    if item.error:
        return item.error
    as_of, provider = item.quote.as_of, item.quote.provider
    if item.freshness == "stale":
        return build_reason("stale", as_of=as_of, limit_seconds=context.policy.ageing_limit(provider))
    return build_reason("ageing", as_of=as_of, limit_seconds=context.policy.fresh_limit(provider))


# -- no usable quote ----------------------------------------------------------------------------


def _aggregate_without_quotes(
    classified: Sequence[ClassifiedQuote], context: AggregationContext
) -> AggregationResult:
    """Apply step 7. Incidents do not change while a figure is shown: nothing new is known about them."""
    state = replace(context.state, newest=_find_newest_time(classified, context))
    evaluations = _evaluate_quotes(classified, None, context)
    late_quote = _find_late_quote(classified, context)
    if late_quote is not None:
        return AggregationResult(
            replace(
                _publish_late_quote(late_quote, context),
                evaluations=_mark_as_used(evaluations, late_quote, context),
            ),
            state,
        )
    previous = context.previous
    if previous is None or previous.price is None or previous.last_updated is None:
        nothing = PublishedPrice(
            context.asset.asset_id, None, (), False, None, "none", build_reason("nothing_yet")
        )
        result = previous if previous is not None else nothing
        return _end_incidents(replace(result, evaluations=evaluations), state, context)
    if context.now - previous.last_updated > context.policy.null_after:
        return _end_incidents(build_expired(previous, context.policy, evaluations), state, context)
    return AggregationResult(build_last_known(previous, evaluations), state)


def _find_late_quote(classified: Sequence[ClassifiedQuote], context: AggregationContext) -> Quote | None:
    """Find a stale quote that is still new: later than all earlier ones, or the only one known.

    Providers date a rarely traded asset by its last trade, so each of its quotes arrives stale.
    """
    candidates = [
        item.quote
        for item in classified
        if item.freshness == "stale"
        and context.now - item.quote.as_of <= context.policy.null_after
        and (
            context.last_price is None
            or context.state.newest is None
            or item.quote.as_of > context.state.newest
        )
    ]
    # The latest quote; if two are equally late, the first in the policy's order.
    return max(candidates, key=lambda quote: quote.as_of, default=None)


def _publish_late_quote(quote: Quote, context: AggregationContext) -> PublishedPrice:
    return PublishedPrice(
        asset_id=context.asset.asset_id,
        price=quote.price,
        providers=(quote.provider,),
        stale=True,
        last_updated=quote.as_of,
        rule="stale",
        reason=build_reason("latest_known", provider=quote.provider, as_of=quote.as_of),
        flags=("depeg",) if "depeg" in context.state.incidents else (),
        **_copy_figures(quote),
    )


def _mark_as_used(
    evaluations: tuple[QuoteEvaluation, ...], late_quote: Quote, context: AggregationContext
) -> tuple[QuoteEvaluation, ...]:
    limit = context.policy.ageing_limit(late_quote.provider)
    reason = build_reason("stale_but_latest", as_of=late_quote.as_of, limit_seconds=limit)
    return tuple(
        replace(evaluation, used=True, reason=reason)
        if evaluation.provider == late_quote.provider
        else evaluation
        for evaluation in evaluations
    )


def _end_incidents(
    published: PublishedPrice, state: AggregationState, context: AggregationContext
) -> AggregationResult:
    """Close all incidents, because no figure is shown any more."""
    signals: Mapping[IncidentKind, IncidentSignal] = {
        kind: IncidentSignal(False, Decimal(0), is_over=True) for kind in state.incidents
    }
    incidents, events = track_incidents(
        context.asset.asset_id, state.incidents, signals, context.now, context.policy.quiet_period
    )
    return AggregationResult(published, replace(state, incidents=incidents, pending=None), events)
