"""Steps 4 to 6 of the aggregation rule: one price out of three or more, two, or one usable quote. Pure.

Each function gets quotes that passed validity and freshness, sorted by the policy's order, and
gives a :class:`Choice`; :mod:`backend.markets.aggregation` turns that into the published figure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from backend.markets.episodes import Sign
from backend.markets.freshness import is_fresh, words
from backend.markets.medians import combined, deviations, outliers
from backend.markets.memory import GoodFigure, IncidentKind, Memory, PendingJump
from backend.markets.model import Published, Quote, Rule
from backend.markets.numbers import WIDE, mean, pct_change, pct_spread, plain, stamp
from backend.markets.policy import AssetTraits, Policy, title

ALONE = "Only one provider's quote is usable: there is nothing to compare it with."


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
    gives each quote's provider the sentence for its judgement. ``contested``: the price is published
    in doubt, so a later conflict must not hold on to it.
    """

    rule: Rule
    reason: str
    reasons: Mapping[str, str]
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
        reason = f"{len(quotes)} providers fall into camps farther than {_pct(band)} from their middle"
        return _hold_or_primary(quotes, at, spread, reason, _conflict_signs(spread, reason))
    reasons = {
        provider: f"Left out: {_pct(pct)} from the median (limit {_pct(band)}, back below {_pct(band / 2)})."
        if provider in out
        else f"In the median: {_pct(pct)} from the middle."
        for provider, pct in distance.items()
    }
    names = _names(used)
    left = (
        f" {_names([quote for quote in quotes if quote.provider in out])} left out as too far." if out else ""
    )
    told = f"{names}: the median of {len(used)} of {len(quotes)} quotes.{left}"
    calm = "All quotes lie within the band around the median again."
    signs: dict[IncidentKind, Sign] = {
        "divergent": Sign(bool(out), widest, told if out else calm),
        "conflict": Sign(False, spread, told),
    }
    return Choice(
        rule="median",
        price=combined(used),
        used=used,
        reason=told,
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
    reason = f"{_names((a, b))} differ by {_against(spread, conflict)}"
    return _hold_or_primary((a, b), at, spread, reason, _conflict_signs(spread, reason))


def choose_one(quote: Quote, at: Situation) -> Choice:
    """Step 6: the only quote, unless it jumped and no second observation has borne that out yet."""
    name = title(quote.provider)
    none: dict[IncidentKind, Sign] = {
        "divergent": Sign(False, Decimal(0), ALONE),
        "conflict": Sign(False, Decimal(0), ALONE),
    }
    last = at.last_price
    if last is None or at.previous is None:
        return _single(quote, f"{name} alone has a usable quote.", none | _no_jump())
    price, when = last
    move = pct_change(price, quote.price)
    limit = jump_limit(abs(quote.as_of - when), at.policy, at.asset)
    if abs(move) <= limit:
        told = f"{name}'s price is {_pct(abs(move))} from the last one, within {_pct(limit)}."
        signs = none | {"jump": Sign(False, Decimal(0), told, over=True)}
        return _single(quote, f"{name} alone has a usable quote.", signs)
    moved = f"{name}'s price moved by {_signed(move)} (limit {_pct(limit)})"
    if _bears_out(at.memory.pending, quote, price):
        told = f"{moved}, which a second observation bears out."
        return _single(quote, told, none | {"jump": Sign(False, abs(move), told, over=True)})
    told = f"{moved} and no second observation bears that out yet: the last price stands."
    return Choice(
        rule="held",
        held=GoodFigure(price, when, at.previous.providers),
        reason=told,
        reasons={quote.provider: f"Waits for a second observation: moved by {_signed(move)}."},
        flags=("jump",),
        pending=_awaited(at.memory.pending, quote, price),
        signs=none | {"jump": Sign(True, abs(move), told)},
    )


def _mean_of_two(a: Quote, b: Quote, spread: Decimal, agree: Decimal) -> Choice:
    told = f"{_names((a, b))} agree within {_against(spread, agree)}: their mean."
    calm = Sign(False, spread, told)
    signs: dict[IncidentKind, Sign] = {"divergent": calm, "conflict": calm}
    return Choice(
        rule="mean",
        price=mean(a.price, b.price),
        used=(a, b),
        reason=told,
        reasons=dict.fromkeys((a.provider, b.provider), "Used in the mean."),
        spread_pct=spread,
        signs=signs | _no_jump(),
    )


def _one_of_two(a: Quote, b: Quote, at: Situation, spread: Decimal, agree: Decimal) -> Choice:
    chosen, rule = _nearer(a, b, at)
    other = b if chosen is a else a
    name = title(chosen.provider)
    differ = f"{_names((a, b))} differ by {_against(spread, agree)}: no mean"
    if rule == "nearest" and at.previous and at.previous.price is not None:
        last = plain(at.previous.price)
        why = f"{differ}; {name} is nearer the last published price."
        reasons = {
            chosen.provider: f"Nearer the last published price, {last}.",
            other.provider: f"Differs by {_pct(spread)}, farther from the last published price, {last}.",
        }
    else:
        why = f"{differ}; no recently published price decides, so {name} as the primary."
        reasons = {
            chosen.provider: "The primary, since no recently published price decides.",
            other.provider: f"Differs by {_pct(spread)} from the primary.",
        }
    signs: dict[IncidentKind, Sign] = {"conflict": Sign(False, spread, f"{differ}, but no conflict.")}
    if "conflict" not in at.memory.incidents:  # one that is not over yet already tells of the difference
        signs["divergent"] = Sign(True, spread, why)
    return Choice(
        rule=rule,
        price=chosen.price,
        used=(chosen,),
        reason=why,
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
    quotes: Sequence[Quote],
    at: Situation,
    spread: Decimal,
    differ: str,
    signs: Mapping[IncidentKind, Sign],
) -> Choice:
    """In a conflict: the last good figure while it is recent, then the primary's, flagged."""
    good, limit = at.memory.last_good, words(at.policy.hold)
    if good is not None and at.now - good.at <= at.policy.hold:
        return Choice(
            rule="held",
            held=good,
            reason=f"{differ}: the last good figure, of {stamp(good.at)}, stands until it is {limit} old.",
            reasons=dict.fromkeys((quote.provider for quote in quotes), "In conflict: not used for now."),
            flags=("conflict",),
            spread_pct=spread,
            signs=signs,
        )
    primary = _primary(quotes, at.policy)
    name = title(primary.provider)
    reasons = {
        quote.provider: "The primary, in a conflict that outlasted the last good figure."
        if quote is primary
        else "In conflict with the primary."
        for quote in quotes
    }
    return Choice(
        rule="primary",
        price=primary.price,
        used=(primary,),
        reason=f"{differ} and no good figure is younger than {limit}: {name} as the primary.",
        reasons=reasons,
        flags=("conflict",),
        spread_pct=spread,
        contested=True,
        signs=signs,
    )


def _conflict_signs(spread: Decimal, differ: str) -> dict[IncidentKind, Sign]:
    signs: dict[IncidentKind, Sign] = {
        "divergent": Sign(False, spread, "The difference grew into a conflict.", over=True),
        "conflict": Sign(True, spread, f"{differ}."),
    }
    return signs | _no_jump()


def _no_jump() -> dict[IncidentKind, Sign]:
    return {"jump": Sign(False, Decimal(0), "The price no longer rests on one lone observation.", over=True)}


def _single(quote: Quote, told: str, signs: Mapping[IncidentKind, Sign]) -> Choice:
    return Choice(
        rule="single",
        price=quote.price,
        used=(quote,),
        reason=told,
        reasons={quote.provider: "The only usable quote."},
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


def _names(quotes: Sequence[Quote]) -> str:
    names = [title(quote.provider) for quote in quotes]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _against(spread: Decimal, limit: Decimal) -> str:
    """``0.12 % (limit 0.50 %)``, with more digits where two would hide which is larger."""
    for places in (2, 4, 6):
        shown, bound = f"{spread:.{places}f}", f"{limit:.{places}f}"
        if shown != bound:
            break
    return f"{shown} % (limit {bound} %)"


def _pct(value: Decimal) -> str:
    return f"{value:.2f} %"


def _signed(value: Decimal) -> str:
    return f"{value:+.2f} %"
