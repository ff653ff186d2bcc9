"""Restores an archive into an empty data folder. Renaming the store into place is the last step."""

import os
import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from backend.backup.archive import ArchiveMember, ArchiveReader
from backend.backup.restore_files import check_files, write_files
from backend.backup.restore_rows import load_rows, rebuild_indexes
from backend.errors import BadRequest, Conflict
from backend.settings import Settings
from backend.store.data_lock import STAGING_FOLDER, DataLock, fsync_folder
from backend.store.database import Database, sqlite_file
from backend.store.sqlite_file import check_free_space, raise_folder_errors

NOT_EMPTY = (
    "{home} already contains data, and a restore needs an empty data folder. 1. Stop the service and "
    "move the folder away, or set CHAINPROOF_HOME to another one. 2. Run the same command again."
)


def restore(
    settings: Settings, archive: ArchiveReader, files: Sequence[ArchiveMember], *, at: datetime
) -> None:
    """Restore rows and files. Raises :class:`Conflict` if the folder is not empty."""
    home = settings.home
    store = sqlite_file(settings.app_database_url)
    if store is None or store.parent.resolve() != home.resolve():
        raise BadRequest(
            f"The SQLite store is not in the data folder {home}. Set CHAINPROOF_HOME to its folder."
        )
    _check_empty(settings, store, files)
    check_free_space(store, sum(member.size for member in archive.manifest.members))
    with raise_folder_errors(store):
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = DataLock(store, exclusive=True)
    staging = home / STAGING_FOLDER
    with lock:
        _check_empty(settings, store, files)  # again: a service may have started since
        shutil.rmtree(staging, ignore_errors=True)  # left by an interrupted restore
        try:
            new_store = _build_store(archive, staging / store.name, at)
            with write_files(settings, archive, files):
                fsync_folder(home)
                new_store.rename(store)
            fsync_folder(home)
        finally:
            shutil.rmtree(staging, ignore_errors=True)


def _check_empty(settings: Settings, store: Path, files: Sequence[ArchiveMember]) -> None:
    """Raise :class:`Conflict` if there is a store, the job engine's file, or a user's file that differs."""
    stores = (store, sqlite_file(settings.jobs_database_url))
    if any(file is not None and file.exists() for file in stores):
        raise Conflict(NOT_EMPTY.format(home=settings.home), code="not_empty")
    check_files(settings, files)


def _build_store(archive: ArchiveReader, file: Path, at: datetime) -> Path:
    """Build a complete store in a new file and sync it to disk."""
    database = Database(f"sqlite:///{file}")
    try:
        with database.write() as connection:
            load_rows(connection, archive)
        rebuild_indexes(database, now=at)
        with database.read() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        database.dispose()
    with file.open("rb") as stream:
        os.fsync(stream.fileno())
    return file
