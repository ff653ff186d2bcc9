"""Tracks the credits that a provider's calls use in the current month. Shared as JSON. No I/O.

Months are UTC calendar months. A budget last used in an earlier month counts as unused.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from backend.markets.provider_limits.circuit_breaker import next_period

LONGEST_MONTH = timedelta(days=31)
"""Duration of the longest month: a plan that fits it fits every month."""


@dataclass(frozen=True, slots=True)
class CreditBudget:
    """Credits used in ``month`` (such as ``2026-05``) of ``limit`` (null: no monthly limit)."""

    limit: int | None = None
    used: int = 0
    month: str = ""

    def record_spending(self, credits: int, now: datetime) -> "CreditBudget":
        """The budget after a call that cost ``credits``."""
        if credits < 0:
            raise ValueError("The cost of a call must not be negative.")
        current = self.for_month_of(now)
        return replace(current, used=current.used + credits)

    def for_month_of(self, now: datetime) -> "CreditBudget":
        """The budget in the month of ``now``. In a new month, nothing is used."""
        month = now.astimezone(UTC).strftime("%Y-%m")
        return self if self.month == month else replace(self, used=0, month=month)

    def with_limit(self, limit: int | None) -> "CreditBudget":
        """The budget with the configured quota."""
        return self if self.limit == limit else replace(self, limit=limit)

    def remaining(self, now: datetime) -> int | None:
        """Credits left this month; None without a limit."""
        return None if self.limit is None else max(0, self.limit - self.for_month_of(now).used)

    def can_spend(self, credits: int, now: datetime, *, reserve: int = 0) -> bool:
        """Whether ``credits`` can be spent and at least ``reserve`` credits remain."""
        remaining_credits = self.remaining(now)
        return remaining_credits is None or credits + reserve <= remaining_credits

    def can_spend_on_demand(self, credits: int, now: datetime, planned_per_month: int) -> bool:
        """Whether a request on demand can be paid without using credits of the planned polls."""
        return self.can_spend(credits, now, reserve=self.remaining_planned_credits(now, planned_per_month))

    def remaining_planned_credits(self, now: datetime, planned_per_month: int) -> int:
        """Credits that polls need until the end of the month, if 31 days cost ``planned_per_month``."""
        return math.ceil(planned_per_month * ((self.resets_at(now) - now) / LONGEST_MONTH))

    def resets_at(self, now: datetime) -> datetime:
        """The first instant of the next month, UTC."""
        return next_period(now, "month")

    def stretch_interval(self, interval: timedelta, now: datetime, planned_per_month: int) -> timedelta:
        """``interval``, lengthened if the remaining credits do not pay for it.

        All polls of the provider get the same factor, which spreads the remaining credits over the rest of
        the month. Without credits the interval lasts until the end of the month.
        """
        remaining_credits = self.remaining(now)
        needed = self.remaining_planned_credits(now, planned_per_month)
        if remaining_credits is None or needed <= remaining_credits:
            return interval
        time_until_reset = self.resets_at(now) - now
        if remaining_credits == 0:
            return max(interval, time_until_reset)
        return max(interval, min(interval * (needed / remaining_credits), time_until_reset))

    def to_json(self) -> dict[str, Any]:
        return {"limit": self.limit, "used": self.used, "month": self.month}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "CreditBudget":
        return cls(limit=data.get("limit"), used=data.get("used", 0), month=data.get("month", ""))
