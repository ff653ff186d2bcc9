"""How often each provider may be asked, from its monthly quota. Pure.

A quota, not the minute limit, decides: one call a minute is 43,200 a month. The intervals are
chosen so that a month of 31 days fits, and a share of the quota stays for details on demand.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Literal

from backend.markets.model import COINGECKO_IDS_PER_CALL
from backend.markets.provider_limits.credit_budget import MONTH

Role = Literal["quotes", "overview", "fear_greed"]

RESERVE_PER_MILLE = 7
"""Of a quota, this share at the least stays for details on demand."""

LADDER: tuple[tuple[int, int, int], ...] = (
    (60, 300, 900),
    (60, 900, 900),
    (120, 900, 900),
    (180, 900, 900),
    (240, 900, 900),
    (300, 900, 900),
    (300, 1800, 1800),
    (300, 3600, 3600),
    (360, 3600, 3600),
    (420, 3600, 3600),
    (480, 3600, 3600),
    (600, 3600, 3600),
    (900, 3600, 3600),
    (1200, 3600, 3600),
    (1800, 3600, 3600),
    (3600, 7200, 7200),
    (7200, 14_400, 14_400),
    (14_400, 43_200, 43_200),
    (43_200, 86_400, 86_400),
    (86_400, 86_400, 86_400),
)
"""Intervals of quotes, overview, fear and greed in seconds, best first; the first that fits is taken.

Down to five minutes all three give way together; then the overview and the index, which move
slowly, go down to hourly before quotes do.
"""
UNMETERED = (300, 900, 3600)
"""Without a monthly quota only a limit per minute and address counts: stay far below it."""

COINGECKO_QUOTAS: Mapping[str, int | None] = {"keyless": None, "demo": 10_000, "pro": 500_000}
"""Monthly calls by plan where none is configured; paid plans differ, so their owners should say."""


@dataclass(frozen=True, slots=True)
class Quota:
    """What a provider allows: ``per_month`` credits (null: no monthly limit), and what polls cost.

    One poll of quotes costs a credit for each ``assets_per_credit`` assets begun; an overview and
    an index one each. ``unmetered`` are the intervals without a monthly limit.
    """

    provider: str
    roles: tuple[Role, ...]
    per_month: int | None
    assets_per_credit: int = COINGECKO_IDS_PER_CALL
    unmetered: tuple[int, int, int] = UNMETERED


@dataclass(frozen=True, slots=True)
class Schedule:
    """One provider's intervals in seconds (null: not asked for that), and what a month of them costs."""

    provider: str
    quotes: int | None
    overview: int | None
    fear_greed: int | None
    quote_cost: int
    per_month: int | None
    credits_per_month: int
    fits: bool
    reason: str

    @property
    def spare(self) -> int | None:
        """Credits of a 31-day month that polls leave for details on demand; null without a quota."""
        return None if self.per_month is None else max(0, self.per_month - self.credits_per_month)

    def seconds(self, role: Role) -> int | None:
        return {"quotes": self.quotes, "overview": self.overview, "fear_greed": self.fear_greed}[role]

    def standing_in(self, roles: Iterable[Role], seconds: int) -> "Schedule":
        """The same with ``seconds`` between the polls of those ``roles`` that have no interval."""
        meant = set(roles)

        def interval(role: Role) -> int | None:
            known = self.seconds(role)
            return seconds if known is None and role in meant else known

        return replace(
            self,
            quotes=interval("quotes"),
            overview=interval("overview"),
            fear_greed=interval("fear_greed"),
        )

    def cost(self, role: Role) -> int:
        return self.quote_cost if role == "quotes" else 1


@dataclass(frozen=True, slots=True)
class Cadence:
    """Every provider's schedule."""

    schedules: Mapping[str, Schedule] = field(default_factory=dict)

    def interval(self, provider: str, role: Role) -> timedelta:
        """How long between two polls. Raises :class:`LookupError` for a role that the provider lacks."""
        schedule = self.schedules.get(provider)
        seconds = schedule.seconds(role) if schedule else None
        if seconds is None:
            raise LookupError(f"No schedule asks {provider} for {role}.")
        return timedelta(seconds=seconds)

    def quote_cost(self, provider: str) -> int:
        """Credits of one poll of quotes."""
        return self.schedules[provider].quote_cost

    @property
    def poll_seconds(self) -> dict[str, int]:
        """Expected interval of quotes by provider, as the aggregation policy wants it."""
        return {name: item.quotes for name, item in self.schedules.items() if item.quotes is not None}


def plan(quotas: Iterable[Quota], asset_count: int) -> Cadence:
    """The best intervals that each quota can pay for a month of 31 days with ``asset_count`` assets."""
    if asset_count < 0:
        raise ValueError("There cannot be fewer than no assets.")
    return Cadence({quota.provider: _schedule(quota, asset_count) for quota in quotas})


def _schedule(quota: Quota, asset_count: int) -> Schedule:
    if quota.assets_per_credit <= 0:
        raise ValueError(f"{quota.provider}: a credit must pay for at least one asset.")
    cost = max(1, -(-asset_count // quota.assets_per_credit))
    if quota.per_month is None:
        reason = "No monthly quota; the limit per minute decides."
        return _made(quota, quota.unmetered, cost, True, reason)
    spendable = quota.per_month - -(-quota.per_month * RESERVE_PER_MILLE // 1000)
    for step in LADDER:
        needed = _credits(quota, step, cost)
        if needed <= spendable:
            reason = f"{needed:,} of {quota.per_month:,} credits in a month of 31 days."
            return _made(quota, step, cost, True, reason)
    slowest = LADDER[-1]
    needed = _credits(quota, slowest, cost)
    reason = (
        f"Even one poll a day needs {needed:,} credits in a month of 31 days, and the quota is "
        f"{quota.per_month:,}: configure fewer assets or a larger quota."
    )
    return _made(quota, slowest, cost, False, reason)


def _made(quota: Quota, step: tuple[int, int, int], cost: int, fits: bool, reason: str) -> Schedule:
    quotes, overview, fear_greed = step
    return Schedule(
        provider=quota.provider,
        quotes=quotes if "quotes" in quota.roles else None,
        overview=overview if "overview" in quota.roles else None,
        fear_greed=fear_greed if "fear_greed" in quota.roles else None,
        quote_cost=cost,
        per_month=quota.per_month,
        credits_per_month=_credits(quota, step, cost),
        fits=fits,
        reason=reason,
    )


def _credits(quota: Quota, step: tuple[int, int, int], cost: int) -> int:
    """What a month of 31 days costs at the intervals of ``step``."""
    month = int(MONTH.total_seconds())
    roles: tuple[Role, ...] = ("quotes", "overview", "fear_greed")
    paid = zip(roles, step, (cost, 1, 1), strict=True)
    return sum(-(-month // seconds) * price for role, seconds, price in paid if role in quota.roles)
