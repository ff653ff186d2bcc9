"""Runs Alembic revisions in one transaction, one process at a time."""

from alembic import context
from sqlalchemy.engine import Connection

import backend.articles.tables
import backend.auth.oauth.tables
import backend.auth.tables
import backend.extraction.tables
import backend.jobs.tables
import backend.language_model.tables
import backend.markets.tables
import backend.store.response_cache
import backend.timelines.tables
import backend.topics.tables  # noqa: F401 - imported for the tables that they declare
from backend.migrations import lock_migrations
from backend.migrations.declared_tables import is_declared
from backend.store.database import Database, metadata


def run() -> None:
    """Run in the transaction that the caller passes, or in a new one."""
    caller_connection: Connection | None = context.config.attributes.get("connection")
    if caller_connection is not None:
        run_on(caller_connection)
        return
    database = Database(context.config.attributes["url"])
    try:
        with database.write() as connection:  # on SQLite BEGIN IMMEDIATE is the lock
            run_on(connection)
    finally:
        database.dispose()


def run_on(connection: Connection) -> None:
    is_sqlite = connection.dialect.name == "sqlite"
    lock_migrations(connection)
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=True,
        transactional_ddl=True,
        include_name=lambda name, kind, _: kind != "table" or is_declared(name),
        compare_server_default=not is_sqlite,
    )
    context.run_migrations()


run()
