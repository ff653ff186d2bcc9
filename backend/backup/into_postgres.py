"""Restoring into PostgreSQL: in one transaction, before whose end everybody sees what was there."""

import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend import migrations
from backend.backup.archive import ArchiveReader, Part
from backend.backup.checks import SOMETHING_THERE
from backend.backup.load import index_anew, load
from backend.backup.placing import ASIDE, STAGING, moves_for, stage_files
from backend.backup.tables import all_of_ours
from backend.data_lock import finish_moves, make_moves
from backend.db import APPLICATION_NAME, Database
from backend.errors import Conflict
from backend.plurals import counted
from backend.settings import Settings

ENGINES_SCHEMA = "dbos"
IN_USE = (
    "The database is in use by {sessions} of Chainproof. Stop 'chainproof up', 'serve' and 'worker' on "
    "every machine, and try again."
)
_OTHERS = sa.text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND application_name LIKE :ours"
)


def restore(
    settings: Settings, archive: ArchiveReader, files: Sequence[Part], *, overwrite: bool, at: datetime
) -> Path | None:
    """Gives the folder that keeps the files that were there; the files come after the rows are committed."""
    home = settings.home
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    finish_moves(home)
    staging, aside = home / f"{STAGING}{at:%Y%m%dT%H%M%S%fZ}", home / f"{ASIDE}{at:%Y%m%dT%H%M%S%fZ}"
    database = Database(settings.app_database_url)
    try:
        stage_files(archive, files, staging)
        with database.write() as connection:
            _make_room(connection, overwrite=overwrite)
            load(connection, archive)
        index_anew(database, now=at)
        if files:
            make_moves(home, moves_for(settings, files, staging, aside), staging=staging)
    finally:
        database.dispose()
        shutil.rmtree(staging, ignore_errors=True)
    return aside if aside.exists() else None


def _make_room(connection: Connection, *, overwrite: bool) -> None:
    """Drop what is there, as far as this transaction sees. A service that starts meanwhile waits for the lock
    that migrations take."""
    connection.exec_driver_sql("SET LOCAL lock_timeout = '10s'")
    migrations.lock(connection)
    others = connection.execute(_OTHERS, {"ours": f"{APPLICATION_NAME}%"}).scalar_one()
    if others:
        raise Conflict(IN_USE.format(sessions=counted(others, "session")), code="in_use")
    tables = all_of_ours(connection)
    if migrations.revision_of(connection) is not None and not overwrite:
        place = "The database"
        raise Conflict(
            SOMETHING_THERE.format(place=place, setting="CHAINPROOF_DATABASE_URL"), code="not_empty"
        )
    quote = connection.dialect.identifier_preparer.quote
    if tables:
        connection.exec_driver_sql(f"DROP TABLE {', '.join(map(quote, tables))} CASCADE")
    connection.exec_driver_sql(f"DROP SCHEMA IF EXISTS {ENGINES_SCHEMA} CASCADE")
