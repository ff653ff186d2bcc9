"""What is asked of the stored violations, and the figures of their drawings."""

from datetime import UTC, date, datetime
from typing import Any

from dashboard.app_pages.corrections import violations
from dashboard.app_pages.corrections.violations import Wanted

NOW = datetime(2026, 11, 21, 13, 0, tzinfo=UTC)


def summary(**days: int) -> Any:
    return {"days": [{"key": day.replace("_", "-").strip("d"), "count": n} for day, n in days.items()]}


def test_a_period_begins_at_midnight_and_filters_that_are_empty_are_left_out() -> None:
    assert Wanted("7d", severity="error", rule="x").query(NOW) == {
        "severity": "error",
        "rule_id": "x",
        "from": "2026-11-15T00:00:00Z",
    }
    assert Wanted("all").query(NOW) == {}
    assert Wanted("1d").query(NOW) == {"from": "2026-11-21T00:00:00Z"}


def test_days_without_any_are_zero_and_the_last_is_today() -> None:
    days = violations.by_day(summary(d2026_11_20=4), "7d", NOW.date())
    assert len(days) == 7
    assert days[0] == (date(2026, 11, 15), 0)
    assert days[-2:] == [(date(2026, 11, 20), 4), (date(2026, 11, 21), 0)]


def test_all_time_begins_with_the_first_finding_and_has_an_end() -> None:
    assert violations.by_day(summary(d2026_11_19=1), "all", NOW.date())[0] == (date(2026, 11, 19), 1)
    assert len(violations.by_day(summary(d2020_01_01=1), "all", NOW.date())) == violations.MOST_BARS
    assert violations.by_day(summary(), "all", NOW.date()) == [(NOW.date(), 0)]


def test_the_most_frequent_leave_out_what_has_no_name() -> None:
    counts = [{"key": "a", "count": 3}, {"key": None, "count": 2}, {"key": "b", "count": 1}]
    assert violations.top(counts, 10) == [("a", 3), ("b", 1)]
    assert violations.top(counts, 1) == [("a", 3)]
