"""Restoring into the data folder: built beside what is there, then exchanged by renames."""

import os
import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from backend.backup.archive import ArchiveReader, Part
from backend.backup.checks import SOMETHING_THERE
from backend.backup.load import index_anew, load
from backend.backup.placing import ASIDE, STAGING, moves_for, stage_files
from backend.data_lock import DataLock, Move, make_moves
from backend.db import Database, sqlite_file
from backend.errors import BadRequest, Conflict
from backend.settings import Settings
from backend.store_file import check_room, folder_faults

TAILS = ("", "-wal", "-shm", "-journal")
"""Of the names of the files that one SQLite store consists of."""


def restore(
    settings: Settings, archive: ArchiveReader, files: Sequence[Part], *, overwrite: bool, at: datetime
) -> Path | None:
    """Gives the folder that keeps what was there; null where nothing was."""
    home = settings.home
    store = sqlite_file(settings.app_database_url)
    if store is None or store.parent.resolve() != home.resolve():
        raise BadRequest(
            f"The SQLite store is not in the data folder {home}. Set CHAINPROOF_HOME to its folder."
        )
    staging, aside = home / f"{STAGING}{at:%Y%m%dT%H%M%S%fZ}", home / f"{ASIDE}{at:%Y%m%dT%H%M%S%fZ}"
    _check_place(store, overwrite=overwrite)
    check_room(store, sum(part.size for part in archive.manifest.parts))
    with folder_faults(store):
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = DataLock(store, alone=True)
    with lock:
        _check_place(store, overwrite=overwrite)  # again: an interrupted restore may have been finished
        for left in home.glob(f"{STAGING}*"):  # by a restore that was killed before its first rename
            shutil.rmtree(left)
        try:
            fresh = _build(archive, staging, at)
            stage_files(archive, files, staging)
            moves = [
                *_store_moves(settings, store, fresh, aside),
                *moves_for(settings, files, staging, aside),
            ]
            make_moves(home, moves, staging=staging)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return aside if aside.exists() else None


def _check_place(store: Path, *, overwrite: bool) -> None:
    if store.exists() and not overwrite:
        raise Conflict(SOMETHING_THERE.format(place=store, setting="CHAINPROOF_HOME"), code="not_empty")


def _build(archive: ArchiveReader, staging: Path, at: datetime) -> Path:
    """A whole store in a file of its own, on the disk."""
    file = staging / "chainproof.db"
    database = Database(f"sqlite:///{file}")
    try:
        with database.write() as connection:
            load(connection, archive)
        index_anew(database, now=at)
        with database.read() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        database.dispose()
    with file.open("rb") as stream:
        os.fsync(stream.fileno())
    return file


def _store_moves(settings: Settings, store: Path, fresh: Path, aside: Path) -> list[Move]:
    """The store and the job engine's own away, the new store to its place. The engine makes a new one."""
    engines = sqlite_file(settings.jobs_database_url)
    old = [file for file in (store, engines) if file is not None]
    parts = [file.with_name(file.name + tail) for file in dict.fromkeys(old) for tail in TAILS]
    return [*((part, aside / part.name) for part in parts if part.exists()), (fresh, store)]
