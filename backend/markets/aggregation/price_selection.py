"""Selects a price from three or more, two, or one usable quote: steps 4 to 6 of the aggregation rule. No I/O.

Each function takes quotes that are valid and recent enough, sorted by the policy's order, and returns a
:class:`PriceSelection`. :mod:`backend.markets.aggregation.aggregate` builds the published figure from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from backend.markets.aggregation.freshness import is_fresh
from backend.markets.aggregation.incident_tracking import IncidentSignal
from backend.markets.aggregation.medians import combine_prices, compute_deviations_pct, find_outliers
from backend.markets.aggregation.policy import AggregationPolicy, AssetTraits
from backend.markets.aggregation.state import AggregationState, GoodFigure, IncidentKind, PendingJump
from backend.markets.model import PublishedPrice, Quote, Rule
from backend.markets.numbers import EXACT_CONTEXT, mean, pct_change, pct_spread
from backend.markets.reasons import Reason, build_reason


@dataclass(frozen=True, slots=True)
class AggregationContext:
    """Inputs of the rule in addition to the quotes."""

    previous: PublishedPrice | None
    state: AggregationState
    now: datetime
    policy: AggregationPolicy
    asset: AssetTraits

    @property
    def last_price(self) -> tuple[Decimal, datetime] | None:
        """The price published last and its time, unless it is too old to be shown."""
        previous = self.previous
        if previous is None or previous.price is None or previous.last_updated is None:
            return None
        if self.now - previous.last_updated > self.policy.null_after:
            return None
        return previous.price, previous.last_updated


@dataclass(frozen=True, slots=True)
class PriceSelection:
    """A selected price and its quotes; ``held`` instead of a price if the last good figure is held.

    ``excluded``: providers now excluded from the median, None for no change. ``reasons`` maps providers to
    the reason why their quote was used or not. ``contested``: the published price is in doubt, so a later
    conflict must not hold it.
    """

    rule: Rule
    reason: Reason
    reasons: Mapping[str, Reason]
    price: Decimal | None = None
    used: tuple[Quote, ...] = ()
    held: GoodFigure | None = None
    flags: tuple[str, ...] = ()
    spread_pct: Decimal | None = None
    contested: bool = False
    excluded: frozenset[str] | None = None
    pending: PendingJump | None = None
    signals: Mapping[IncidentKind, IncidentSignal] = field(default_factory=dict)


def agreement_limits(
    gap: timedelta, policy: AggregationPolicy, asset: AssetTraits
) -> tuple[Decimal, Decimal]:
    """Compute ``(agree, conflict)`` in percent for two quotes whose times are ``gap`` apart.

    agree = max(0.5 %, 4 sigma sqrt(gap / 1 h)), never above conflict: a volatile asset may move that far
    between the two times, but two quotes in conflict are never averaged.
    """
    if asset.pegged:
        return policy.pegged_agree_pct, policy.pegged_conflict_pct
    allowed = _compute_sigma_limit(policy.agree_sigmas, asset, gap)
    return min(max(policy.agree_pct, allowed), policy.conflict_pct), policy.conflict_pct


def jump_limit(gap: timedelta, policy: AggregationPolicy, asset: AssetTraits) -> Decimal:
    """Largest unconfirmed move, in percent, of a single quote from the last price ``gap`` before it."""
    return max(policy.jump_pct, _compute_sigma_limit(policy.jump_sigmas, asset, gap))


def select_from_many(quotes: Sequence[Quote], context: AggregationContext) -> PriceSelection:
    """Apply step 4: the median of the quotes within the band around the median of all."""
    band = context.policy.pegged_band_pct if context.asset.pegged else context.policy.band_pct
    distance = compute_deviations_pct(quotes)
    excluded = find_outliers(distance, band, context.state.excluded)
    used = tuple(quote for quote in quotes if quote.provider not in excluded)
    widest = max(distance.values())
    spread = pct_spread(min(quote.price for quote in quotes), max(quote.price for quote in quotes))
    if not used:
        camps = {"total": len(quotes), "limit_pct": band}
        return _select_held_or_primary(quotes, context, spread, "camps", camps)
    reasons = {
        provider: build_reason("out_of_median", distance_pct=pct, limit_pct=band, back_pct=band / 2)
        if provider in excluded
        else build_reason("in_median", distance_pct=pct)
        for provider, pct in distance.items()
    }
    values: dict[str, Any] = {"providers": _list_provider_ids(used), "used": len(used), "total": len(quotes)}
    left_out = [quote.provider for quote in quotes if quote.provider in excluded]
    reason = (
        build_reason("median_without", left_out=left_out, **values)
        if excluded
        else build_reason("median", **values)
    )
    signals: dict[IncidentKind, IncidentSignal] = {
        "divergent": IncidentSignal(bool(excluded), widest, reason),
        "conflict": IncidentSignal(False, spread),
    }
    return PriceSelection(
        rule="median",
        price=combine_prices(used),
        used=used,
        reason=reason,
        reasons=reasons,
        flags=("divergent",) if excluded else (),
        spread_pct=spread,
        excluded=excluded,
        signals=signals | _build_no_jump_signal(),
    )


def select_from_two(a: Quote, b: Quote, context: AggregationContext) -> PriceSelection:
    """Apply step 5: the mean of two quotes that agree; else one of them, or the last good figure."""
    spread = pct_spread(a.price, b.price)
    agree_limit, conflict_limit = agreement_limits(abs(a.as_of - b.as_of), context.policy, context.asset)
    if spread <= agree_limit:
        return _select_mean(a, b, spread, agree_limit)
    if spread <= conflict_limit:
        return _select_one_of_two(a, b, context, spread, agree_limit)
    return _select_held_or_primary(
        (a, b), context, spread, "conflict", _build_difference_values(a, b, spread, conflict_limit)
    )


def select_single(quote: Quote, context: AggregationContext) -> PriceSelection:
    """Apply step 6: the only quote, unless it jumped and no second observation confirms the jump."""
    no_conflict: dict[IncidentKind, IncidentSignal] = {
        "divergent": IncidentSignal(False, Decimal(0)),
        "conflict": IncidentSignal(False, Decimal(0)),
    }
    reason_single = build_reason("single", provider=quote.provider)
    last = context.last_price
    if last is None or context.previous is None:
        return _select_only_quote(quote, reason_single, no_conflict | _build_no_jump_signal())
    price, last_time = last
    move = pct_change(price, quote.price)
    limit = jump_limit(abs(quote.as_of - last_time), context.policy, context.asset)
    if abs(move) <= limit:
        return _select_only_quote(quote, reason_single, no_conflict | _build_no_jump_signal())
    jump_values: dict[str, Any] = {"provider": quote.provider, "move_pct": move, "limit_pct": limit}
    if _is_confirmation(context.state.pending, quote, price):
        return _select_only_quote(
            quote, build_reason("jump_confirmed", **jump_values), no_conflict | _build_no_jump_signal()
        )
    reason = build_reason("jump_held", **jump_values)
    return PriceSelection(
        rule="held",
        held=GoodFigure(price, last_time, context.previous.providers),
        reason=reason,
        reasons={quote.provider: build_reason("jump_waits", move_pct=move)},
        flags=("jump",),
        pending=_update_pending_jump(context.state.pending, quote, price),
        signals=no_conflict | {"jump": IncidentSignal(True, abs(move), reason)},
    )


def _select_mean(a: Quote, b: Quote, spread: Decimal, agree_limit: Decimal) -> PriceSelection:
    inactive = IncidentSignal(False, spread)
    signals: dict[IncidentKind, IncidentSignal] = {"divergent": inactive, "conflict": inactive}
    return PriceSelection(
        rule="mean",
        price=mean(a.price, b.price),
        used=(a, b),
        reason=build_reason("two_agree", **_build_difference_values(a, b, spread, agree_limit)),
        reasons=dict.fromkeys((a.provider, b.provider), build_reason("in_mean")),
        spread_pct=spread,
        signals=signals | _build_no_jump_signal(),
    )


def _select_one_of_two(
    a: Quote, b: Quote, context: AggregationContext, spread: Decimal, agree_limit: Decimal
) -> PriceSelection:
    chosen, rule = _select_nearer(a, b, context)
    other_quote = b if chosen is a else a
    differ = _build_difference_values(a, b, spread, agree_limit) | {"provider": chosen.provider}
    if rule == "nearest" and context.previous and context.previous.price is not None:
        last = context.previous.price
        reason = build_reason("nearer_of_two", **differ)
        reasons = {
            chosen.provider: build_reason("nearer", price=last),
            other_quote.provider: build_reason("farther", spread_pct=spread, price=last),
        }
    else:
        reason = build_reason("primary_of_two", **differ)
        reasons = {
            chosen.provider: build_reason("primary"),
            other_quote.provider: build_reason("not_primary", spread_pct=spread),
        }
    signals: dict[IncidentKind, IncidentSignal] = {"conflict": IncidentSignal(False, spread)}
    if "conflict" not in context.state.incidents:  # an open conflict already reports the difference
        signals["divergent"] = IncidentSignal(True, spread, reason)
    return PriceSelection(
        rule=rule,
        price=chosen.price,
        used=(chosen,),
        reason=reason,
        reasons=reasons,
        flags=("divergent",),
        spread_pct=spread,
        signals=signals | _build_no_jump_signal(),
    )


def _select_nearer(a: Quote, b: Quote, context: AggregationContext) -> tuple[Quote, Rule]:
    previous = context.previous
    primary = _find_primary_quote((a, b), context.policy)
    if previous is None or previous.price is None or not is_fresh(previous, context.now, context.policy):
        return primary, "primary"
    to_a = abs(EXACT_CONTEXT.subtract(a.price, previous.price))
    to_b = abs(EXACT_CONTEXT.subtract(b.price, previous.price))
    if to_a == to_b:
        return primary, "primary"
    return (a if to_a < to_b else b), "nearest"


def _select_held_or_primary(
    quotes: Sequence[Quote],
    context: AggregationContext,
    spread: Decimal,
    code_prefix: str,
    values: Mapping[str, Any],
) -> PriceSelection:
    """Resolve a conflict: the last good figure while it is recent, then the primary's, flagged.

    ``code_prefix`` is the reason code of the conflict, ``values`` its values.
    """
    signals: dict[IncidentKind, IncidentSignal] = {
        "divergent": IncidentSignal(False, spread, is_over=True),
        "conflict": IncidentSignal(True, spread, build_reason(code_prefix, **values)),
    }
    last_good, max_hold = context.state.last_good, context.policy.max_hold
    if last_good is not None and context.now - last_good.at <= max_hold:
        return PriceSelection(
            rule="held",
            held=last_good,
            reason=build_reason(f"{code_prefix}_held", **values, as_of=last_good.at, hold_seconds=max_hold),
            reasons=dict.fromkeys((quote.provider for quote in quotes), build_reason("in_conflict")),
            flags=("conflict",),
            spread_pct=spread,
            signals=signals | _build_no_jump_signal(),
        )
    primary = _find_primary_quote(quotes, context.policy)
    reasons = {
        quote.provider: build_reason("primary_in_conflict" if quote is primary else "against_primary")
        for quote in quotes
    }
    return PriceSelection(
        rule="primary",
        price=primary.price,
        used=(primary,),
        reason=build_reason(
            f"{code_prefix}_primary", **values, hold_seconds=max_hold, provider=primary.provider
        ),
        reasons=reasons,
        flags=("conflict",),
        spread_pct=spread,
        contested=True,
        signals=signals | _build_no_jump_signal(),
    )


def _build_no_jump_signal() -> dict[IncidentKind, IncidentSignal]:
    return {"jump": IncidentSignal(False, Decimal(0), is_over=True)}


def _select_only_quote(
    quote: Quote, reason: Reason, signals: Mapping[IncidentKind, IncidentSignal]
) -> PriceSelection:
    return PriceSelection(
        rule="single",
        price=quote.price,
        used=(quote,),
        reason=reason,
        reasons={quote.provider: build_reason("only_quote")},
        signals=signals,
    )


def _is_confirmation(pending: PendingJump | None, quote: Quote, last: Decimal) -> bool:
    """Whether ``quote`` is another observation of the ``pending`` jump in the same direction."""
    return (
        pending is not None
        and (quote.provider != pending.provider or quote.as_of > pending.as_of)
        and (quote.price > last) == (pending.price > last)
    )


def _update_pending_jump(pending: PendingJump | None, quote: Quote, last: Decimal) -> PendingJump:
    is_same_quote = pending is not None and (quote.provider, quote.as_of) == (pending.provider, pending.as_of)
    if pending is not None and is_same_quote and (quote.price > last) == (pending.price > last):
        return pending
    return PendingJump(quote.provider, quote.price, quote.as_of)


def _find_primary_quote(quotes: Sequence[Quote], policy: AggregationPolicy) -> Quote:
    return next((quote for quote in quotes if quote.provider == policy.primary), quotes[0])


def _compute_sigma_limit(count: Decimal, asset: AssetTraits, gap: timedelta) -> Decimal:
    hours = Decimal(max(gap, timedelta(0)) // timedelta(milliseconds=1)) / 3_600_000
    return count * asset.sigma_1h * hours.sqrt()


def _list_provider_ids(quotes: Sequence[Quote]) -> list[str]:
    return [quote.provider for quote in quotes]


def _build_difference_values(a: Quote, b: Quote, spread: Decimal, limit: Decimal) -> dict[str, Any]:
    """Build the values that describe the spread, with more than two decimals if two hide which is larger."""
    for decimal_places in (2, 4, 6):
        spread_text, limit_text = f"{spread:.{decimal_places}f}", f"{limit:.{decimal_places}f}"
        if spread_text != limit_text:
            break
    return {"providers": _list_provider_ids((a, b)), "spread_pct": spread_text, "limit_pct": limit_text}
