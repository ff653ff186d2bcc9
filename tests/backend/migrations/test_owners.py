"""Tests that what an earlier version stored keeps its owner, or belongs to the local key."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command

from backend import migrations
from backend.articles.violation_counts import load_summary
from backend.articles.violation_store import ViolationFilter, load_page
from backend.jobs import job_store, transitions
from backend.jobs.idempotency import compute_digest
from backend.store.database import Database, UtcTime
from tests.support.articles.violations import NOON, VERSION, violation

HOUR = timedelta(hours=1)
KEY_ID, GRANT_ID = "a-key", "a-grant"


def table(name: str, columns: str) -> sa.TableClause:
    """A table with the columns that the earlier version knows."""
    instants = {"created_at", "stored_at"}
    return sa.table(
        name, *(sa.column(each, UtcTime if each in instants else None) for each in columns.split())
    )


jobs = table("jobs", "id kind status title input submitted_by created_at")
submissions = table("submissions", "submitted_by idempotency_key digest job_id created_at")
violations = table(
    "violations",
    "scan_id stored_at rules_version article_id entity_id rule_id field matched_text suggested_name language "
    "violation_type severity start_offset end_offset auto_fixable",
)
violation_days = table("violation_days", "day rule_id entity_id severity violation_type language count")


def insert_as_earlier_version(database: Database, number: int) -> None:
    """Insert a pending job of a key and one of an access token, and a violation."""
    found: dict[str, Any] = {**violation()}
    kind = {name: found[name] for name in ("rule_id", "entity_id", "severity", "violation_type", "language")}
    digest = compute_digest("sources", {"n": number})
    with database.write() as connection:
        for submitter in (KEY_ID, GRANT_ID):
            job: dict[str, Any] = {"kind": "sources", "status": "pending", "title": "t", "created_at": NOON}
            job |= {"id": f"{submitter}-{number}", "submitted_by": submitter, "input": f'{{"n":{number}}}'}
            connection.execute(sa.insert(jobs), job)
        submission = {"submitted_by": KEY_ID, "digest": digest, "job_id": f"{KEY_ID}-{number}"}
        connection.execute(
            sa.insert(submissions), {**submission, "idempotency_key": f"{number}", "created_at": NOON}
        )
        scan = {"scan_id": "s", "stored_at": NOON, "rules_version": VERSION}
        connection.execute(sa.insert(violations), {**found, **scan})
        connection.execute(sa.insert(violation_days), {**kind, "day": f"2026-11-{number:02}", "count": 1})


@pytest.fixture
def migrated(empty_database_url: str) -> Iterator[Database]:
    """A store with rows from before the migration, and from an earlier version that still runs after it."""
    config = migrations.build_alembic_config()
    config.attributes["url"] = empty_database_url
    command.upgrade(config, "0015")
    database = Database(empty_database_url)
    insert_as_earlier_version(database, 1)
    migrations.upgrade(empty_database_url)
    insert_as_earlier_version(database, 2)
    yield database
    database.dispose()


def test_pending_jobs_survive_and_belong_to_their_key_or_else_to_the_local_key(migrated: Database) -> None:
    def list_ids(owner: str | None) -> set[str]:
        return {job.id for job in job_store.list_recent(migrated, "sources", owner=owner, limit=9).jobs}

    keys_jobs = {f"{KEY_ID}-1", f"{KEY_ID}-2"}
    assert (list_ids(KEY_ID), list_ids("another")) == (keys_jobs, set())
    assert list_ids(None) == {*keys_jobs, f"{GRANT_ID}-1", f"{GRANT_ID}-2"}
    assert set(transitions.claim(migrated, "sources", limit=9, now=NOON)) == list_ids(None)
    for number in (1, 2):
        repeated = job_store.submit(
            migrated,
            "sources",
            {"n": number},
            submitted_by=KEY_ID,
            idempotency_key=f"{number}",
            now=NOON + HOUR,
        )
        assert repeated.id == f"{KEY_ID}-{number}"


def test_stored_violations_belong_to_the_local_key(migrated: Database) -> None:
    def count(owner: str | None) -> tuple[int, int]:
        filters = ViolationFilter(owner=owner)
        page = load_page(migrated, filters, limit=9, cursor=None)
        return len(page["data"]), load_summary(migrated, filters)["total"]

    assert (count(None), count(KEY_ID)) == ((2, 2), (0, 0))


def test_the_store_of_today_can_be_downgraded(migrated: Database) -> None:
    config = migrations.build_alembic_config()
    config.attributes["url"] = migrated.url
    command.downgrade(config, "0015")
    insert_as_earlier_version(migrated, 3)
    command.upgrade(config, "head")
    assert len(job_store.list_recent(migrated, "sources", owner=None, limit=9).jobs) == 6
