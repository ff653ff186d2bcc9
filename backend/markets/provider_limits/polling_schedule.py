"""Plans how often each provider is polled within its monthly quota. No I/O.

The monthly quota decides, not the limit per minute: one call a minute is 43,200 calls a month. The intervals
fit a month of 31 days, and a share of the quota is reserved for requests on demand.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Literal

from backend.markets.model import COINGECKO_IDS_PER_CALL
from backend.markets.provider_limits.credit_budget import LONGEST_MONTH

Role = Literal["quotes", "overview", "fear_greed"]

ON_DEMAND_RESERVE_PER_MILLE = 7
"""Share of a quota that is reserved for requests on demand."""

INTERVAL_STEPS_SECONDS: tuple[tuple[int, int, int], ...] = (
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
"""Intervals of quotes, overview, fear and greed in seconds, best first. The first that fits is used.

Up to five minutes all three lengthen together. Then the overview and the index, which change slowly, go to
hourly before the quotes lengthen.
"""
UNMETERED_INTERVALS_SECONDS = (300, 900, 3600)
"""Without a monthly quota only a limit per minute and IP address applies; these stay far below it."""

DEFAULT_COINGECKO_QUOTAS: Mapping[str, int | None] = {"keyless": None, "demo": 10_000, "pro": 500_000}
"""Default monthly calls by plan. Paid plans differ, so their owners should configure a quota."""


@dataclass(frozen=True, slots=True)
class Quota:
    """A provider's quota: ``per_month`` credits (null: no monthly limit), and the cost of polls.

    A poll of quotes costs one credit per started ``assets_per_credit`` assets; an overview and an index cost
    one each. ``unmetered_intervals`` apply without a monthly limit, in seconds.
    """

    provider: str
    roles: tuple[Role, ...]
    per_month: int | None
    assets_per_credit: int = COINGECKO_IDS_PER_CALL
    unmetered_intervals: tuple[int, int, int] = UNMETERED_INTERVALS_SECONDS


@dataclass(frozen=True, slots=True)
class PollingSchedule:
    """One provider's polling intervals in seconds (null: not polled), and the credits of a 31-day month."""

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
    def spare_credits(self) -> int | None:
        """Credits of a 31-day month that polls leave for requests on demand; None without a quota."""
        return None if self.per_month is None else max(0, self.per_month - self.credits_per_month)

    def interval_seconds(self, role: Role) -> int | None:
        return {"quotes": self.quotes, "overview": self.overview, "fear_greed": self.fear_greed}[role]

    def with_fallback_roles(self, roles: Iterable[Role], seconds: int) -> "PollingSchedule":
        """The schedule with interval ``seconds`` for those ``roles`` that have none."""
        fallback_roles = set(roles)

        def interval(role: Role) -> int | None:
            configured = self.interval_seconds(role)
            return seconds if configured is None and role in fallback_roles else configured

        return replace(
            self,
            quotes=interval("quotes"),
            overview=interval("overview"),
            fear_greed=interval("fear_greed"),
        )

    def cost(self, role: Role) -> int:
        return self.quote_cost if role == "quotes" else 1


@dataclass(frozen=True, slots=True)
class PollingPlan:
    """The polling schedules of all providers."""

    schedules: Mapping[str, PollingSchedule] = field(default_factory=dict)

    def interval(self, provider: str, role: Role) -> timedelta:
        """Time between two polls. Raises :class:`LookupError` for a role that the provider lacks."""
        schedule = self.schedules.get(provider)
        seconds = schedule.interval_seconds(role) if schedule else None
        if seconds is None:
            raise LookupError(f"No schedule asks {provider} for {role}.")
        return timedelta(seconds=seconds)

    def quote_cost(self, provider: str) -> int:
        """Credits of one poll of quotes."""
        return self.schedules[provider].quote_cost

    @property
    def poll_seconds(self) -> dict[str, int]:
        """Interval of quotes in seconds by provider, for the aggregation policy."""
        return {name: item.quotes for name, item in self.schedules.items() if item.quotes is not None}


def plan_polling(quotas: Iterable[Quota], asset_count: int) -> PollingPlan:
    """Choose the shortest intervals that each quota pays for 31 days with ``asset_count`` assets."""
    if asset_count < 0:
        raise ValueError("The number of assets must not be negative.")
    return PollingPlan({quota.provider: _plan_provider(quota, asset_count) for quota in quotas})


def _plan_provider(quota: Quota, asset_count: int) -> PollingSchedule:
    if quota.assets_per_credit <= 0:
        raise ValueError(f"{quota.provider}: a credit must pay for at least one asset.")
    cost = max(1, -(-asset_count // quota.assets_per_credit))
    if quota.per_month is None:
        reason = "No monthly quota; the limit per minute decides."
        return _build_schedule(quota, quota.unmetered_intervals, cost, True, reason)
    spendable = quota.per_month - -(-quota.per_month * ON_DEMAND_RESERVE_PER_MILLE // 1000)
    for step in INTERVAL_STEPS_SECONDS:
        needed = _compute_monthly_credits(quota, step, cost)
        if needed <= spendable:
            reason = f"{needed:,} of {quota.per_month:,} credits in a month of 31 days."
            return _build_schedule(quota, step, cost, True, reason)
    slowest = INTERVAL_STEPS_SECONDS[-1]
    needed = _compute_monthly_credits(quota, slowest, cost)
    reason = (
        f"Even one poll a day needs {needed:,} credits in a month of 31 days, and the quota is "
        f"{quota.per_month:,}: configure fewer assets or a larger quota."
    )
    return _build_schedule(quota, slowest, cost, False, reason)


def _build_schedule(
    quota: Quota, step: tuple[int, int, int], cost: int, fits: bool, reason: str
) -> PollingSchedule:
    quotes, overview, fear_greed = step
    return PollingSchedule(
        provider=quota.provider,
        quotes=quotes if "quotes" in quota.roles else None,
        overview=overview if "overview" in quota.roles else None,
        fear_greed=fear_greed if "fear_greed" in quota.roles else None,
        quote_cost=cost,
        per_month=quota.per_month,
        credits_per_month=_compute_monthly_credits(quota, step, cost),
        fits=fits,
        reason=reason,
    )


def _compute_monthly_credits(quota: Quota, step: tuple[int, int, int], cost: int) -> int:
    """Credits of a 31-day month at the intervals of ``step``."""
    month = int(LONGEST_MONTH.total_seconds())
    roles: tuple[Role, ...] = ("quotes", "overview", "fear_greed")
    paid = zip(roles, step, (cost, 1, 1), strict=True)
    return sum(-(-month // seconds) * price for role, seconds, price in paid if role in quota.roles)
