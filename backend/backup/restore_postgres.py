"""Restores an archive into an empty PostgreSQL database in one transaction."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend import migrations
from backend.backup.archive import ArchiveMember, ArchiveReader
from backend.backup.restore_files import check_files, write_files
from backend.backup.restore_rows import load_rows, rebuild_indexes
from backend.errors import Conflict
from backend.settings import Settings
from backend.store.database import Database

JOB_ENGINE_SCHEMA = "dbos"
NOT_EMPTY = (
    "The database already contains data, and a restore needs an empty one. 1. Create a database and "
    "set CHAINPROOF_DATABASE_URL to it. 2. Run the same command again."
)


def restore(
    settings: Settings, archive: ArchiveReader, files: Sequence[ArchiveMember], *, at: datetime
) -> None:
    """Restore rows and files. Raises :class:`Conflict` if the database is not empty.

    The rows are committed after the files are written. A restore that is killed in between can run again.
    """
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    database = Database(settings.app_database_url)
    try:
        with database.read() as connection:
            _check_empty(connection)
        check_files(settings, files)
        with write_files(settings, archive, files), database.write() as connection:
            # A service that starts now waits for this lock.
            connection.exec_driver_sql("SET LOCAL lock_timeout = '10s'")
            migrations.lock_migrations(connection)
            _check_empty(connection)
            load_rows(connection, archive)
        rebuild_indexes(database, now=at)
    finally:
        database.dispose()


def _check_empty(connection: Connection) -> None:
    has_engine = JOB_ENGINE_SCHEMA in sa.inspect(connection).get_schema_names()
    if has_engine or migrations.find_revision(connection) is not None:
        raise Conflict(NOT_EMPTY, code="not_empty")
