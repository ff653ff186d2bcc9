"""Restores into an empty PostgreSQL database, in one transaction."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend import migrations
from backend.backup.archive import ArchiveReader, Part
from backend.backup.restore_files import check_files, written_files
from backend.backup.restore_rows import index_anew, load
from backend.errors import Conflict
from backend.settings import Settings
from backend.store.database import Database

ENGINES_SCHEMA = "dbos"
NOT_EMPTY = (
    "The database holds data already, and a restore writes into an empty one only. 1. Create a database and "
    "set CHAINPROOF_DATABASE_URL to it. 2. Run the same command again."
)


def restore(settings: Settings, archive: ArchiveReader, files: Sequence[Part], *, at: datetime) -> None:
    """Raises :class:`Conflict` where the database is not empty. The rows are committed when the files are
    written; a restore that is killed between the two can be run again."""
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    database = Database(settings.app_database_url)
    try:
        with database.read() as connection:
            _check_empty(connection)
        check_files(settings, files)
        with written_files(settings, archive, files), database.write() as connection:
            # A service that starts meanwhile waits for this lock.
            connection.exec_driver_sql("SET LOCAL lock_timeout = '10s'")
            migrations.lock_migrations(connection)
            _check_empty(connection)
            load(connection, archive)
        index_anew(database, now=at)
    finally:
        database.dispose()


def _check_empty(connection: Connection) -> None:
    has_engine = ENGINES_SCHEMA in sa.inspect(connection).get_schema_names()
    if has_engine or migrations.find_revision(connection) is not None:
        raise Conflict(NOT_EMPTY, code="not_empty")
