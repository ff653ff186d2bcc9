"""Queries for stored violations, and the data of their charts."""

from datetime import UTC, date, datetime
from typing import Any

from dashboard.app_pages.corrections import violations
from dashboard.app_pages.corrections.violations import ViolationFilter

NOW = datetime(2026, 11, 21, 13, 0, tzinfo=UTC)


def build_summary(**days: int) -> Any:
    return {"days": [{"key": day.replace("_", "-").strip("d"), "count": n} for day, n in days.items()]}


def test_a_period_begins_at_midnight_and_empty_filters_are_omitted() -> None:
    assert ViolationFilter("7d", severity="error", rule="x").build_query(NOW) == {
        "severity": "error",
        "rule_id": "x",
        "from": "2026-11-15T00:00:00Z",
    }
    assert ViolationFilter("all").build_query(NOW) == {}
    assert ViolationFilter("1d").build_query(NOW) == {"from": "2026-11-21T00:00:00Z"}


def test_days_without_findings_are_zero_and_the_last_day_is_today() -> None:
    days = violations.count_by_day(build_summary(d2026_11_20=4), "7d", NOW.date())
    assert len(days) == 7
    assert days[0] == (date(2026, 11, 15), 0)
    assert days[-2:] == [(date(2026, 11, 20), 4), (date(2026, 11, 21), 0)]


def test_all_time_begins_with_the_first_finding_up_to_a_maximum() -> None:
    assert violations.count_by_day(build_summary(d2026_11_19=1), "all", NOW.date())[0] == (
        date(2026, 11, 19),
        1,
    )
    assert (
        len(violations.count_by_day(build_summary(d2020_01_01=1), "all", NOW.date())) == violations.MAX_DAYS
    )
    assert violations.count_by_day(build_summary(), "all", NOW.date()) == [(NOW.date(), 0)]


def test_keys_without_a_name_are_omitted() -> None:
    counts = [{"key": "a", "count": 3}, {"key": None, "count": 2}, {"key": "b", "count": 1}]
    assert violations.list_top(counts, 10) == [("a", 3), ("b", 1)]
    assert violations.list_top(counts, 1) == [("a", 3)]
