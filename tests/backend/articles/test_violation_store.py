"""What is stored of scans, and how it is paged and forgotten, on SQLite and PostgreSQL."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from backend.articles.schemas import StoredViolation
from backend.articles.tables import violation_daily_counts, violation_daily_counts_by_owner, violations
from backend.articles.violation_counts import load_summary
from backend.articles.violation_store import (
    DELETE_BATCH_SIZE,
    Position,
    ViolationFilter,
    delete_old,
    load_page,
)
from backend.errors import BadRequest
from backend.store.database import Database
from tests.support.articles.violations import NOON, VERSION, store, violation

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def read(database: Database, *, limit: int = 1000, **wanted: Any) -> list[StoredViolation]:
    return load_page(database, ViolationFilter(**wanted), limit=limit, cursor=None)["data"]


def count(database: Database, table: sa.Table) -> int:
    with database.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def test_a_stored_violation_is_read_back_with_its_scan(database: Database) -> None:
    found = violation(matched_text="イーサリアム\N{GRINNING FACE}", article_id="日本", auto_fixable=False)
    scan_id = store(database, found, at=NOON + timedelta(microseconds=5))
    (result,) = read(database)
    assert result == {
        **found,
        "id": result["id"],
        "scan_id": scan_id,
        "stored_at": "2026-11-21T12:00:00.000005Z",
        "rules_version": VERSION,
    }
    assert isinstance(result["id"], int)


def test_nullable_fields_are_stored_as_null(database: Database) -> None:
    store(database, violation(article_id=None, entity_id=None, suggested_name=None))
    (result,) = read(database)
    assert (result["article_id"], result["entity_id"], result["suggested_name"]) == (None, None, None)


def test_an_article_id_of_any_length_is_stored_and_found(database: Database) -> None:
    long = "".join(chr(0x4E00 + number * 7919 % 20000) for number in range(200_000))
    store(database, violation(article_id=long), violation(article_id=long[:-1]), violation(article_id=""))
    assert [each["article_id"] for each in read(database, article_id=long)] == [long]
    assert [each["article_id"] for each in read(database, article_id="")] == [""]


def test_a_scan_that_found_nothing_stores_nothing(database: Database) -> None:
    store(database)
    assert count(database, violations) == count(database, violation_daily_counts) == 0


def test_a_failed_write_stores_no_part_of_the_scan(database: Database) -> None:
    with pytest.raises(sa.exc.SQLAlchemyError):
        store(database, violation(), violation(severity=None))
    assert count(database, violations) == count(database, violation_daily_counts) == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("article_id", "other"),
        ("entity_id", "solana"),
        ("rule_id", "solana.case"),
        ("severity", "info"),
        ("language", "ja"),
        ("violation_type", "wrong_case"),
    ],
)
def test_a_filter_returns_only_violations_with_the_exact_value(
    database: Database, name: str, value: str
) -> None:
    store(database, violation(), violation(**{name: value}), violation())

    def with_value(wanted: str) -> list[Any]:
        only: Any = {name: wanted}
        return list(read(database, **only))

    assert [each[name] for each in with_value(value)] == [value]
    assert with_value(value + "x") == []
    assert with_value("\0") == []


def test_filters_hold_together(database: Database) -> None:
    store(
        database,
        violation(severity="info", language="ja"),
        violation(severity="info"),
        violation(language="ja"),
    )
    assert len(read(database, severity="info", language="ja")) == 1


def test_from_is_inclusive_and_to_is_exclusive(database: Database) -> None:
    for hours in range(4):
        store(database, violation(article_id=str(hours)), at=NOON + hours * HOUR)
    result = read(database, from_=NOON + HOUR, to=NOON + 3 * HOUR)
    assert [each["article_id"] for each in result] == ["2", "1"]
    assert read(database, from_=NOON, to=NOON) == []


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_pages_join_to_the_full_list_newest_first(database: Database, limit: int) -> None:
    for hours in (0, 2, 1):
        found = [violation(article_id=f"{hours}-{number}") for number in range(5)]
        store(database, *found, at=NOON + hours * HOUR)
    whole = [each["article_id"] for each in read(database)]
    assert whole == [f"{hours}-{number}" for hours in (2, 1, 0) for number in (4, 3, 2, 1, 0)]
    joined: list[Any] = []
    cursor = None
    for _ in range(len(whole) + 1):
        result = load_page(database, ViolationFilter(), limit=limit, cursor=cursor)
        joined += [each["article_id"] for each in result["data"]]
        cursor = result["next_cursor"]
        if cursor is None:
            break
        assert len(result["data"]) == limit
    assert joined == whole


def test_a_page_does_not_change_when_newer_violations_are_stored(database: Database) -> None:
    store(database, *(violation(article_id=str(number)) for number in range(6)))
    first = load_page(database, ViolationFilter(), limit=2, cursor=None)
    store(database, *(violation(article_id="new") for _ in range(3)), at=NOON + HOUR)
    second = load_page(database, ViolationFilter(), limit=2, cursor=first["next_cursor"])
    assert [each["article_id"] for each in second["data"]] == ["3", "2"]


def test_every_filter_has_an_index_in_the_order_of_pages() -> None:
    indexed = {tuple(column.name for column in index.columns) for index in violations.indexes}
    filters = ("owner", "article_key", "entity_id", "rule_id", "severity", "language", "violation_type")
    assert indexed == {("stored_at", "id")} | {(name, "stored_at", "id") for name in filters}


@pytest.mark.parametrize(
    "wanted", [{}, {"entity_id": "ethereum"}, {"severity": "error"}, {"article_id": "a1"}, {"from_": NOON}]
)
def test_a_middle_page_is_read_from_an_index_without_sorting(
    sqlite_database: Database, wanted: dict[str, Any]
) -> None:
    """The plan says so: a search that begins at the page, and no sorting of what comes before it."""
    statements: list[tuple[str, Any]] = []

    def note(_c: Any, _cursor: Any, statement: str, parameters: Any, *_rest: Any) -> None:
        if statement.startswith("SELECT"):
            statements.append((statement, parameters))

    sa.event.listen(sqlite_database.engine, "before_cursor_execute", note)
    load_page(sqlite_database, ViolationFilter(**wanted), limit=10, cursor=Position(NOON, 5).to_cursor())
    sa.event.remove(sqlite_database.engine, "before_cursor_execute", note)
    same_instant, before = (plan(sqlite_database, *statement) for statement in statements)
    trait = next((f"{INDEXED.get(name, name)}=? AND " for name in wanted if name != "from_"), "")
    assert f"({trait}stored_at=? AND id<?)" in same_instant
    assert f"({trait}stored_at" in before


INDEXED = {"article_id": "article_key"}


def plan(database: Database, statement: str, parameters: Any) -> str:
    with database.read() as connection:
        steps = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
    (step,) = steps  # one, so that nothing is sorted
    result = str(step[-1])
    assert result.startswith("SEARCH violations USING INDEX ix_violations_")
    return result


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "=",
        "é",
        "AAAA",
        "A" * 22,
        "A" * 23,
        "A" * 24,
        "a b",
        "A" * 5000,
        "\0",
        "____________________7__",
    ],
)
def test_an_invalid_cursor_is_rejected(sqlite_database: Database, cursor: str) -> None:
    with pytest.raises(BadRequest) as caught:
        load_page(sqlite_database, ViolationFilter(), limit=10, cursor=cursor)
    assert caught.value.errors[0]["loc"] == ["query", "cursor"]


@pytest.mark.parametrize("moment", [NOON, datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_a_cursor_round_trips_to_its_position(moment: datetime) -> None:
    position = Position(moment, 2**40)
    assert Position.from_cursor(position.to_cursor()) == position
    assert position.to_cursor().isascii()


def test_old_days_are_deleted_as_a_whole(database: Database) -> None:
    for days in range(5):
        store(database, violation(article_id=str(days)), at=NOON - days * DAY)
    assert delete_old(database, keep_days=2, now=NOON + 11 * HOUR) == 2
    assert [each["article_id"] for each in read(database)] == ["0", "1", "2"]
    assert count(database, violation_daily_counts) == 3
    assert delete_old(database, keep_days=2, now=NOON) == 0


def test_deletion_removes_more_than_one_batch(sqlite_database: Database) -> None:
    store(sqlite_database, *(violation() for _ in range(2 * DELETE_BATCH_SIZE + 1)), at=NOON - 9 * DAY)
    store(sqlite_database, violation())
    assert delete_old(sqlite_database, keep_days=1, now=NOON) == 2 * DELETE_BATCH_SIZE + 1
    assert count(sqlite_database, violations) == 1


def test_a_retention_longer_than_the_calendar_deletes_nothing(sqlite_database: Database) -> None:
    store(sqlite_database, violation(), at=datetime(1, 1, 1, tzinfo=UTC))
    assert delete_old(sqlite_database, keep_days=10**9, now=NOON) == 0


def test_owners_see_their_own_violations_and_those_without_an_owner_are_nobodys(database: Database) -> None:
    store(database, violation(matched_text="mine"), owner="me")
    store(database, violation(matched_text="theirs"), violation(severity="info"), owner="them")
    store(database, violation(matched_text="old"), owner="them", at=NOON - DAY)
    with database.write() as connection:  # as an earlier version stores, also during an upgrade
        connection.execute(sa.update(violations).where(violations.c.matched_text == "old").values(owner=None))
        connection.execute(
            sa.delete(violation_daily_counts_by_owner).where(
                violation_daily_counts_by_owner.c.day == "2026-11-20"
            )
        )

    assert [each["matched_text"] for each in read(database, owner="me")] == ["mine"]
    assert len(read(database, owner="them")) == 2
    assert len(read(database, owner="them", severity="error")) == 1
    assert len(read(database)) == 4
    for period in ({}, {"from_": NOON - HOUR, "to": NOON + HOUR}, {"article_id": "a1"}):
        totals = {
            owner: load_summary(database, ViolationFilter(owner=owner, **period))["total"]
            for owner in ("me", "them", None)
        }
        assert totals == {"me": 1, "them": 2, None: 3 if "to" in period else 4}


def test_deleting_old_violations_deletes_the_counts_of_their_owners(database: Database) -> None:
    store(database, violation(), at=NOON - 3 * DAY)
    store(database, violation())
    delete_old(database, keep_days=1, now=NOON)
    assert count(database, violation_daily_counts) == count(database, violation_daily_counts_by_owner) == 1
