"""Builds queries for stored violations and the data of their charts. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal, get_args

from backend.articles.schemas import ViolationSummary

Period = Literal["1d", "7d", "30d", "90d", "all"]
PERIODS: tuple[Period, ...] = get_args(Period)
DAYS: Mapping[Period, int | None] = {"1d": 1, "7d": 7, "30d": 30, "90d": 90, "all": None}
MAX_DAYS = 120
"""Maximum number of days in the chart; older findings are only in the total."""


@dataclass(frozen=True, slots=True)
class ViolationFilter:
    """Filters as the URL holds them; an empty value means any."""

    period: Period = "30d"
    severity: str = ""
    language: str = ""
    rule: str = ""
    entity: str = ""

    def build_query(self, now: datetime) -> dict[str, str]:
        """Build the service's query parameters. Days begin at midnight in UTC, as in the service."""
        days = DAYS[self.period]
        params = {
            "severity": self.severity,
            "language": self.language,
            "rule_id": self.rule,
            "entity_id": self.entity,
        }
        if days is not None:
            first = now.astimezone(UTC).date() - timedelta(days=days - 1)
            params["from"] = f"{first.isoformat()}T00:00:00Z"
        return {name: value for name, value in params.items() if value}


def count_by_day(summary: ViolationSummary, period: Period, today: date) -> list[tuple[date, int]]:
    """Count findings by day of the period, oldest day first; days without findings are zero."""
    counts = {
        date.fromisoformat(day_count["key"]): day_count["count"]
        for day_count in summary["days"]
        if day_count["key"]
    }
    days = DAYS[period]
    if days is None:
        first = min(counts, default=today)
        days = min((today - first).days + 1, MAX_DAYS)
    first = today - timedelta(days=days - 1)
    return [(day, counts.get(day, 0)) for day in (first + timedelta(days=n) for n in range(days))]


def list_top(counts: Sequence[Mapping[str, object]], limit: int) -> list[tuple[str, int]]:
    """List the first ``limit`` keys with their counts, most frequent first as sent."""
    counted = [(str(entry["key"]), int(str(entry["count"]))) for entry in counts if entry["key"] is not None]
    return counted[:limit]
