"""Counts of stored violations: the same as counting them one by one."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.articles.violation_counts import MAX_DAYS, MAX_GROUPS_PER_TRAIT, load_summary, split
from backend.articles.violation_store import ViolationFilter, delete_old, load_page
from backend.store.database import Database
from tests.support.articles.violations import NOON, store, violation
from tests.support.store import databases

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
TRAITS = {
    "rules": "rule_id",
    "entities": "entity_id",
    "severities": "severity",
    "types": "violation_type",
    "languages": "language",
}


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Five days of violations, at midnights and between, of various kinds."""
    with databases.create_database(request.param, tmp_path_factory.mktemp("counts")) as url:
        database = Database(url)
        for step in range(40):
            found = [
                violation(
                    article_id=f"a{(step + number) % 3}",
                    entity_id=[None, "solana", "ethereum"][(step * number) % 3],
                    rule_id=f"rule-{(step + number * number) % 5}",
                    severity=["error", "warning", "info"][(step + number) % 3],
                    language=["en", "ja", "zh"][(step // 2 + number) % 3],
                    violation_type=["wrong_case", "ambiguous"][number % 2],
                )
                for number in range(step % 4 + 1)
            ]
            store(database, *found, at=NOON - 12 * HOUR + step * 3 * HOUR)
        yield database
        database.dispose()


def by_hand(found: list[Any]) -> dict[str, Any]:
    def counted(keys: Any) -> list[dict[str, Any]]:
        ordered = sorted(Counter(keys).items(), key=lambda item: (-item[1], item[0] or ""))
        return [{"key": key, "count": count} for key, count in ordered]

    days = Counter(each["stored_at"][:10] for each in found)
    return {
        "total": len(found),
        **{name: counted(each[trait] for each in found) for name, trait in TRAITS.items()},
        "days": [{"key": day, "count": days[day]} for day in sorted(days)],
    }


half_hours = st.integers(min_value=-3, max_value=260)
moments = half_hours.map(lambda number: NOON - 13 * HOUR + number * HOUR / 2)
wanted = st.builds(
    ViolationFilter,
    article_id=st.sampled_from([None, None, None, "a1", "no"]),
    entity_id=st.sampled_from([None, None, "solana"]),
    rule_id=st.sampled_from([None, None, None, "rule-1"]),
    severity=st.sampled_from([None, None, "error"]),
    language=st.sampled_from([None, None, "ja"]),
    violation_type=st.sampled_from([None, None, "ambiguous"]),
    from_=st.none() | moments,
    to=st.none() | moments,
)


@given(wanted)
def test_a_summary_equals_the_counts_of_the_selected_violations(
    filled: Database, wanted: ViolationFilter
) -> None:
    found = load_page(filled, wanted, limit=10_000, cursor=None)["data"]
    assert load_summary(filled, wanted) == by_hand(found)


@given(moments, moments)
def test_a_time_range_is_split_into_whole_days_and_edges(first: datetime, last: datetime) -> None:
    parts = split(ViolationFilter(from_=first, to=last))
    pieces = [piece for piece in (*parts.partial_days, parts.complete_days) if piece is not None]
    spans = sorted((piece.from_, piece.to) for piece in pieces if piece.from_ and piece.to)
    lengths = [max(end - start, timedelta()) for start, end in spans]
    assert sum(lengths, timedelta()) == max(last - first, timedelta())
    if parts.complete_days is not None:
        assert parts.complete_days.from_ is not None
        assert parts.complete_days.to is not None
        assert parts.complete_days.from_.time() == parts.complete_days.to.time() == datetime.min.time()


def test_whole_days_are_counted_without_reading_violations(filled: Database) -> None:
    assert split(ViolationFilter(from_=NOON - 12 * HOUR, to=NOON + 12 * HOUR)).partial_days == ()
    assert split(ViolationFilter()).partial_days == ()


FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


@pytest.mark.parametrize("moment", [FIRST, LAST, LAST - HOUR])
def test_the_earliest_and_latest_dates_are_counted(filled: Database, moment: datetime) -> None:
    assert load_summary(filled, ViolationFilter(from_=moment))["total"] == (100 if moment == FIRST else 0)
    assert load_summary(filled, ViolationFilter(to=moment))["total"] == (0 if moment == FIRST else 100)


def test_a_filter_value_that_cannot_be_stored_counts_nothing(filled: Database) -> None:
    assert load_summary(filled, ViolationFilter(rule_id="\0")) == by_hand([])
    assert load_summary(filled, ViolationFilter(article_id="\0")) == by_hand([])


def test_the_summary_lists_only_the_most_frequent_rules_and_the_latest_days(
    sqlite_database: Database,
) -> None:
    for number in range(MAX_GROUPS_PER_TRAIT + 5):
        found = [violation(rule_id=f"rule-{number:03}") for _ in range(2 if number >= 5 else 1)]
        store(sqlite_database, *found, at=NOON - number * DAY)
    for number in range(MAX_DAYS):
        store(sqlite_database, violation(rule_id="often"), at=NOON - number * DAY)
    result = load_summary(sqlite_database, ViolationFilter())
    assert result["rules"][0] == {"key": "often", "count": MAX_DAYS}
    assert len(result["rules"]) == MAX_GROUPS_PER_TRAIT
    assert all(each["count"] >= 2 for each in result["rules"])
    assert result["total"] == MAX_DAYS + 2 * MAX_GROUPS_PER_TRAIT + 5
    assert len(result["days"]) == MAX_DAYS
    assert result["days"][-1]["key"] == "2026-11-21"


def test_deleted_violations_are_not_counted(sqlite_database: Database) -> None:
    store(sqlite_database, violation(), at=NOON - 3 * DAY)
    store(sqlite_database, violation())
    delete_old(sqlite_database, keep_days=1, now=NOON)
    assert load_summary(sqlite_database, ViolationFilter())["total"] == 1


def test_counts_of_two_scans_on_one_day_are_added(database: Database) -> None:
    store(database, violation(), violation(), violation(severity="info"))
    store(database, violation(), at=NOON + HOUR)
    assert load_summary(database, ViolationFilter())["severities"] == [
        {"key": "error", "count": 3},
        {"key": "info", "count": 1},
    ]
