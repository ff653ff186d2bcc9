"""Reads the tables of dbos directly."""

from collections.abc import Callable

import sqlalchemy as sa

from backend.jobs.engine import JobEngine

Launch = Callable[..., JobEngine]


def workflows(store: sa.Engine) -> sa.Table:
    """Build the dbos table of workflows, with the columns that tests use."""
    schema = None if store.dialect.name == "sqlite" else "dbos"
    texts = ("workflow_uuid", "status", "name", "executor_id", "application_version", "output")
    numbers = ("created_at", "completed_at", "recovery_attempts")
    columns = [sa.Column(name, sa.Text) for name in texts] + [
        sa.Column(name, sa.BigInteger) for name in numbers
    ]
    return sa.Table("workflow_status", sa.MetaData(), *columns, schema=schema)
