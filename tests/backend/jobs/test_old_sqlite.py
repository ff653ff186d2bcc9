"""Tests dbos on SQLite before 3.42, where ``unixepoch('subsec')``, which dbos writes, is null.

On a newer SQLite these tests show that the built-in function serves.
"""

import time

import pytest
import sqlalchemy as sa
from dbos import DBOS

from tests.support.jobs.dbos_tables import Launch

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@DBOS.workflow(name="double")
def double(number: int) -> int:
    return 2 * number


def test_unixepoch_subsec_returns_milliseconds(store: sa.Engine) -> None:
    before = time.time_ns() // 1_000_000
    with store.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE moments (n INTEGER, at INTEGER NOT NULL DEFAULT (unixepoch('subsec') * 1000))"
        )
        connection.exec_driver_sql("INSERT INTO moments (n) VALUES (1)")
        stored = connection.exec_driver_sql("SELECT at FROM moments").scalar_one()
        milliseconds = connection.exec_driver_sql("SELECT unixepoch('subsec') * 1000").scalar_one()

    assert before <= stored <= milliseconds <= time.time_ns() // 1_000_000 + 1


def test_database_created_with_a_newer_sqlite_runs_jobs(launch: Launch, store: sa.Engine) -> None:
    """As one that Python 3.12 or newer made, by whichever Python it is opened."""
    launch().stop(timeout=0)
    with store.begin() as connection:
        connection.exec_driver_sql("PRAGMA writable_schema=ON")
        connection.exec_driver_sql(
            "UPDATE sqlite_master SET sql = replace(sql, \"strftime('%s','now')\", \"unixepoch('subsec')\")"
        )
        connection.exec_driver_sql("DELETE FROM application_versions")  # a launch writes its own
    store.dispose()

    launch()

    assert DBOS.start_workflow(double, 4).get_result() == 8
    with store.connect() as connection:
        schema = connection.exec_driver_sql("SELECT group_concat(sql) FROM sqlite_master").scalar_one()
    assert "unixepoch('subsec')" in schema
    assert "strftime" not in schema
