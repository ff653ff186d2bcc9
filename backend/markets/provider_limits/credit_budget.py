"""A provider's credits of the running month, shared by all processes as JSON. Pure.

Months are UTC calendar months. A budget that has not been touched since last month counts as new.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from backend.markets.provider_limits.circuit_breaker import next_period

MONTH = timedelta(days=31)
"""The longest month: what fits it fits them all."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Credits used in ``month`` (``2026-05``) out of ``limit`` (null: no monthly limit)."""

    limit: int | None = None
    used: int = 0
    month: str = ""

    def spent(self, credits: int, now: datetime) -> "Budget":
        """After a call that cost ``credits``."""
        if credits < 0:
            raise ValueError("A call cannot cost less than nothing.")
        current = self.at(now)
        return replace(current, used=current.used + credits)

    def at(self, now: datetime) -> "Budget":
        """The budget of the month of ``now``: in a new month nothing is used yet."""
        month = now.astimezone(UTC).strftime("%Y-%m")
        return self if self.month == month else replace(self, used=0, month=month)

    def limited(self, limit: int | None) -> "Budget":
        """Under the quota that is configured now."""
        return self if self.limit == limit else replace(self, limit=limit)

    def left(self, now: datetime) -> int | None:
        """Credits left this month; null without a limit."""
        return None if self.limit is None else max(0, self.limit - self.at(now).used)

    def may_spend(self, credits: int, now: datetime, *, keep: int = 0) -> bool:
        """Whether ``credits`` can be paid so that ``keep`` more stay for others."""
        left = self.left(now)
        return left is None or credits + keep <= left

    def may_spend_on_demand(self, credits: int, now: datetime, planned_per_month: int) -> bool:
        """Whether a detail somebody asked for can be paid without taking from the polls to come."""
        return self.may_spend(credits, now, keep=self.still_planned(now, planned_per_month))

    def still_planned(self, now: datetime, planned_per_month: int) -> int:
        """What polls will cost until the month ends, when 31 days of them cost ``planned_per_month``."""
        return math.ceil(planned_per_month * ((self.resets_at(now) - now) / MONTH))

    def resets_at(self, now: datetime) -> datetime:
        """The first instant of the next month, UTC."""
        return next_period(now, "month")

    def stretched(self, interval: timedelta, now: datetime, planned_per_month: int) -> timedelta:
        """``interval``, made longer when what is left of the month's credits no longer pays for it.

        The same factor for all polls of the provider spreads the rest over the rest of the month;
        with nothing left the interval reaches to the month's end.
        """
        left = self.left(now)
        needed = self.still_planned(now, planned_per_month)
        if left is None or needed <= left:
            return interval
        rest = self.resets_at(now) - now
        if left == 0:
            return max(interval, rest)
        return max(interval, min(interval * (needed / left), rest))

    def to_json(self) -> dict[str, Any]:
        return {"limit": self.limit, "used": self.used, "month": self.month}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Budget":
        return cls(limit=data.get("limit"), used=data.get("used", 0), month=data.get("month", ""))
