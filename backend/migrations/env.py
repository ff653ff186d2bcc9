"""How a revision runs: in one transaction on both databases, one process at a time."""

import sqlalchemy as sa
from alembic import context

import backend.articles.tables
import backend.auth.oauth.tables
import backend.auth.tables
import backend.extraction.tables
import backend.jobs.tables
import backend.kept
import backend.language_model.tables
import backend.markets.tables
import backend.timelines.tables
import backend.topics.tables  # noqa: F401 - imported for the tables that they declare
from backend.db import Database, metadata
from backend.migrations.declared import is_declared

MIGRATION_LOCK = 0x43_50_4D_49  # "CPMI": any number that nothing else locks on


def run() -> None:
    database = Database(context.config.attributes["url"])
    try:
        with database.write() as connection:  # on SQLite BEGIN IMMEDIATE is the lock
            if not database.is_sqlite:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
            context.configure(
                connection=connection,
                target_metadata=metadata,
                render_as_batch=True,
                transactional_ddl=True,
                include_name=lambda name, kind, _: kind != "table" or is_declared(name),
                compare_server_default=not database.is_sqlite,
            )
            context.run_migrations()
    finally:
        database.dispose()


run()
