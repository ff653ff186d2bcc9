"""Stored violations: what is asked for, and the figures of its drawings. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal, get_args

from backend.articles.schemas import ViolationSummary

Period = Literal["1d", "7d", "30d", "90d", "all"]
PERIODS: tuple[Period, ...] = get_args(Period)
DAYS: Mapping[Period, int | None] = {"1d": 1, "7d": 7, "30d": 30, "90d": 90, "all": None}
MOST_BARS = 120
"""Days that a drawing shows at the most; older ones go into the number beside it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters as the address has them; what is empty does not matter."""

    period: Period = "30d"
    severity: str = ""
    language: str = ""
    rule: str = ""
    entity: str = ""

    def query(self, now: datetime) -> dict[str, str]:
        """The service's own parameters. Days begin at midnight in UTC, as the service counts them."""
        days = DAYS[self.period]
        asked = {
            "severity": self.severity,
            "language": self.language,
            "rule_id": self.rule,
            "entity_id": self.entity,
        }
        if days is not None:
            first = now.astimezone(UTC).date() - timedelta(days=days - 1)
            asked["from"] = f"{first.isoformat()}T00:00:00Z"
        return {name: value for name, value in asked.items() if value}


def by_day(summary: ViolationSummary, period: Period, today: date) -> list[tuple[date, int]]:
    """Each day of the period with its count, days without any as zero, oldest first."""
    counts = {date.fromisoformat(one["key"]): one["count"] for one in summary["days"] if one["key"]}
    days = DAYS[period]
    if days is None:
        first = min(counts, default=today)
        days = min((today - first).days + 1, MOST_BARS)
    first = today - timedelta(days=days - 1)
    return [(day, counts.get(day, 0)) for day in (first + timedelta(days=n) for n in range(days))]


def top(counts: Sequence[Mapping[str, object]], most: int) -> list[tuple[str, int]]:
    """The most frequent keys with their counts, most first."""
    named = [(str(one["key"]), int(str(one["count"]))) for one in counts if one["key"] is not None]
    return named[:most]
