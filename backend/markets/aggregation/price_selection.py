"""Steps 4 to 6 of the aggregation rule: one price out of three or more, two, or one usable quote. Pure.

Each function gets quotes that passed validity and freshness, sorted by the policy's order, and
gives a :class:`Choice`; :mod:`backend.markets.aggregation.aggregate` turns that into the published figure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from backend.markets.aggregation.freshness import is_fresh
from backend.markets.aggregation.incident_tracking import Sign
from backend.markets.aggregation.medians import combined, deviations, outliers
from backend.markets.aggregation.policy import AssetTraits, Policy
from backend.markets.aggregation.state import GoodFigure, IncidentKind, Memory, PendingJump
from backend.markets.model import Published, Quote, Rule
from backend.markets.numbers import WIDE, mean, pct_change, pct_spread
from backend.markets.reasons import Reason, say


@dataclass(frozen=True, slots=True)
class Situation:
    """What the rule knows beside the quotes."""

    previous: Published | None
    memory: Memory
    now: datetime
    policy: Policy
    asset: AssetTraits

    @property
    def last_price(self) -> tuple[Decimal, datetime] | None:
        """The price published last and its time, unless it is too old to be shown any more."""
        previous = self.previous
        if previous is None or previous.price is None or previous.last_updated is None:
            return None
        if self.now - previous.last_updated > self.policy.null_after:
            return None
        return previous.price, previous.last_updated


@dataclass(frozen=True, slots=True)
class Choice:
    """A price and where it came from; ``held`` instead of a price when the last good figure stands.

    ``excluded``: who is out of the median from now on, null to leave that as it was. ``reasons``
    gives each quote's provider why it was used or not. ``contested``: the price is published
    in doubt, so a later conflict must not hold on to it.
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
    signs: Mapping[IncidentKind, Sign] = field(default_factory=dict)


def agreement_limits(gap: timedelta, policy: Policy, asset: AssetTraits) -> tuple[Decimal, Decimal]:
    """``(agree, conflict)`` in percent for two quotes whose times are ``gap`` apart.

    agree = max(0.5 %, 4 sigma sqrt(gap / 1 h)), never above conflict: a volatile asset may move
    that far between the two times, but two quotes in conflict are not averaged for any reason.
    """
    if asset.pegged:
        return policy.pegged_agree_pct, policy.pegged_conflict_pct
    allowed = _sigmas(policy.agree_sigmas, asset, gap)
    return min(max(policy.agree_pct, allowed), policy.conflict_pct), policy.conflict_pct


def jump_limit(gap: timedelta, policy: Policy, asset: AssetTraits) -> Decimal:
    """How far, in percent, one lone quote may lie from the last price ``gap`` before it, unconfirmed."""
    return max(policy.jump_pct, _sigmas(policy.jump_sigmas, asset, gap))


def choose_many(quotes: Sequence[Quote], at: Situation) -> Choice:
    """Step 4: the median of those within the band around the median of all."""
    band = at.policy.pegged_band_pct if at.asset.pegged else at.policy.band_pct
    distance = deviations(quotes)
    out = outliers(distance, band, at.memory.excluded)
    used = tuple(quote for quote in quotes if quote.provider not in out)
    widest = max(distance.values())
    spread = pct_spread(min(quote.price for quote in quotes), max(quote.price for quote in quotes))
    if not used:
        camps = {"total": len(quotes), "limit_pct": band}
        return _hold_or_primary(quotes, at, spread, "camps", camps)
    reasons = {
        provider: say("out_of_median", distance_pct=pct, limit_pct=band, back_pct=band / 2)
        if provider in out
        else say("in_median", distance_pct=pct)
        for provider, pct in distance.items()
    }
    told: dict[str, Any] = {"providers": _names(used), "used": len(used), "total": len(quotes)}
    left_out = [quote.provider for quote in quotes if quote.provider in out]
    reason = say("median_without", left_out=left_out, **told) if out else say("median", **told)
    signs: dict[IncidentKind, Sign] = {
        "divergent": Sign(bool(out), widest, reason),
        "conflict": Sign(False, spread),
    }
    return Choice(
        rule="median",
        price=combined(used),
        used=used,
        reason=reason,
        reasons=reasons,
        flags=("divergent",) if out else (),
        spread_pct=spread,
        excluded=out,
        signs=signs | _no_jump(),
    )


def choose_two(a: Quote, b: Quote, at: Situation) -> Choice:
    """Step 5: the mean of two that agree; else one of them, or the last good figure, never a mean."""
    spread = pct_spread(a.price, b.price)
    agree, conflict = agreement_limits(abs(a.as_of - b.as_of), at.policy, at.asset)
    if spread <= agree:
        return _mean_of_two(a, b, spread, agree)
    if spread <= conflict:
        return _one_of_two(a, b, at, spread, agree)
    return _hold_or_primary((a, b), at, spread, "conflict", _difference(a, b, spread, conflict))


def choose_one(quote: Quote, at: Situation) -> Choice:
    """Step 6: the only quote, unless it jumped and no second observation has borne that out yet."""
    none: dict[IncidentKind, Sign] = {
        "divergent": Sign(False, Decimal(0)),
        "conflict": Sign(False, Decimal(0)),
    }
    alone = say("single", provider=quote.provider)
    last = at.last_price
    if last is None or at.previous is None:
        return _single(quote, alone, none | _no_jump())
    price, when = last
    move = pct_change(price, quote.price)
    limit = jump_limit(abs(quote.as_of - when), at.policy, at.asset)
    if abs(move) <= limit:
        return _single(quote, alone, none | _no_jump())
    moved: dict[str, Any] = {"provider": quote.provider, "move_pct": move, "limit_pct": limit}
    if _bears_out(at.memory.pending, quote, price):
        return _single(quote, say("jump_confirmed", **moved), none | _no_jump())
    reason = say("jump_held", **moved)
    return Choice(
        rule="held",
        held=GoodFigure(price, when, at.previous.providers),
        reason=reason,
        reasons={quote.provider: say("jump_waits", move_pct=move)},
        flags=("jump",),
        pending=_awaited(at.memory.pending, quote, price),
        signs=none | {"jump": Sign(True, abs(move), reason)},
    )


def _mean_of_two(a: Quote, b: Quote, spread: Decimal, agree: Decimal) -> Choice:
    calm = Sign(False, spread)
    signs: dict[IncidentKind, Sign] = {"divergent": calm, "conflict": calm}
    return Choice(
        rule="mean",
        price=mean(a.price, b.price),
        used=(a, b),
        reason=say("two_agree", **_difference(a, b, spread, agree)),
        reasons=dict.fromkeys((a.provider, b.provider), say("in_mean")),
        spread_pct=spread,
        signs=signs | _no_jump(),
    )


def _one_of_two(a: Quote, b: Quote, at: Situation, spread: Decimal, agree: Decimal) -> Choice:
    chosen, rule = _nearer(a, b, at)
    other = b if chosen is a else a
    differ = _difference(a, b, spread, agree) | {"provider": chosen.provider}
    if rule == "nearest" and at.previous and at.previous.price is not None:
        last = at.previous.price
        reason = say("nearer_of_two", **differ)
        reasons = {
            chosen.provider: say("nearer", price=last),
            other.provider: say("farther", spread_pct=spread, price=last),
        }
    else:
        reason = say("primary_of_two", **differ)
        reasons = {chosen.provider: say("primary"), other.provider: say("not_primary", spread_pct=spread)}
    signs: dict[IncidentKind, Sign] = {"conflict": Sign(False, spread)}
    if "conflict" not in at.memory.incidents:  # one that is not over yet already tells of the difference
        signs["divergent"] = Sign(True, spread, reason)
    return Choice(
        rule=rule,
        price=chosen.price,
        used=(chosen,),
        reason=reason,
        reasons=reasons,
        flags=("divergent",),
        spread_pct=spread,
        signs=signs | _no_jump(),
    )


def _nearer(a: Quote, b: Quote, at: Situation) -> tuple[Quote, Rule]:
    previous = at.previous
    primary = _primary((a, b), at.policy)
    if previous is None or previous.price is None or not is_fresh(previous, at.now, at.policy):
        return primary, "primary"
    to_a = abs(WIDE.subtract(a.price, previous.price))
    to_b = abs(WIDE.subtract(b.price, previous.price))
    if to_a == to_b:
        return primary, "primary"
    return (a if to_a < to_b else b), "nearest"


def _hold_or_primary(
    quotes: Sequence[Quote], at: Situation, spread: Decimal, trouble: str, values: Mapping[str, Any]
) -> Choice:
    """In a conflict: the last good figure while it is recent, then the primary's, flagged.

    ``trouble`` is the reason's code for how the quotes conflict, with its ``values``.
    """
    signs: dict[IncidentKind, Sign] = {
        "divergent": Sign(False, spread, over=True),
        "conflict": Sign(True, spread, say(trouble, **values)),
    }
    good, hold = at.memory.last_good, at.policy.hold
    if good is not None and at.now - good.at <= hold:
        return Choice(
            rule="held",
            held=good,
            reason=say(f"{trouble}_held", **values, as_of=good.at, hold_seconds=hold),
            reasons=dict.fromkeys((quote.provider for quote in quotes), say("in_conflict")),
            flags=("conflict",),
            spread_pct=spread,
            signs=signs | _no_jump(),
        )
    primary = _primary(quotes, at.policy)
    reasons = {
        quote.provider: say("primary_in_conflict" if quote is primary else "against_primary")
        for quote in quotes
    }
    return Choice(
        rule="primary",
        price=primary.price,
        used=(primary,),
        reason=say(f"{trouble}_primary", **values, hold_seconds=hold, provider=primary.provider),
        reasons=reasons,
        flags=("conflict",),
        spread_pct=spread,
        contested=True,
        signs=signs | _no_jump(),
    )


def _no_jump() -> dict[IncidentKind, Sign]:
    return {"jump": Sign(False, Decimal(0), over=True)}


def _single(quote: Quote, reason: Reason, signs: Mapping[IncidentKind, Sign]) -> Choice:
    return Choice(
        rule="single",
        price=quote.price,
        used=(quote,),
        reason=reason,
        reasons={quote.provider: say("only_quote")},
        signs=signs,
    )


def _bears_out(pending: PendingJump | None, quote: Quote, last: Decimal) -> bool:
    """Whether ``quote`` is another observation of the jump that ``pending`` saw: same way from ``last``."""
    return (
        pending is not None
        and (quote.provider != pending.provider or quote.as_of > pending.as_of)
        and (quote.price > last) == (pending.price > last)
    )


def _awaited(pending: PendingJump | None, quote: Quote, last: Decimal) -> PendingJump:
    same = pending is not None and (quote.provider, quote.as_of) == (pending.provider, pending.as_of)
    if pending is not None and same and (quote.price > last) == (pending.price > last):
        return pending
    return PendingJump(quote.provider, quote.price, quote.as_of)


def _primary(quotes: Sequence[Quote], policy: Policy) -> Quote:
    return next((quote for quote in quotes if quote.provider == policy.primary), quotes[0])


def _sigmas(count: Decimal, asset: AssetTraits, gap: timedelta) -> Decimal:
    hours = Decimal(max(gap, timedelta(0)) // timedelta(milliseconds=1)) / 3_600_000
    return count * asset.sigma_1h * hours.sqrt()


def _names(quotes: Sequence[Quote]) -> list[str]:
    return [quote.provider for quote in quotes]


def _difference(a: Quote, b: Quote, spread: Decimal, limit: Decimal) -> dict[str, Any]:
    """How far two are apart, with more digits than two where two would hide which is larger."""
    for places in (2, 4, 6):
        shown, bound = f"{spread:.{places}f}", f"{limit:.{places}f}"
        if shown != bound:
            break
    return {"providers": _names((a, b)), "spread_pct": shown, "limit_pct": bound}
