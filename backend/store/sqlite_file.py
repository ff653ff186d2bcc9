"""Checks the file of an SQLite store, and says why it cannot be used.

Whoever asks here first writes nothing into a folder where no store can be.
"""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from backend.errors import Unavailable
from backend.store.sqlite_version import require_sqlite

VERSION_TABLE = "alembic_version"
"""Made by the first migration, before any other table."""
HEADER = b"SQLite format 3\0"
LEAST_ROOM_BYTES = 16 * 1024 * 1024
"""Free space without which no new store is begun: it takes 5 MB with its first prices, and as much again for
its write-ahead log."""
LEAST_ROOM_TO_OPEN_BYTES = 64 * 1024
"""Free space without which SQLite cannot make the two files that it keeps beside a store in use."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
OTHER_FOLDER = "Move it away, or choose another data folder"
FULL = "The disk of {folder} is full. Free some space there."
NOT_WRITABLE = (
    "The data folder {folder} cannot be written. Set CHAINPROOF_HOME to a folder that can be written."
)
IS_A_FILE = "The data folder cannot be created, since {folder} is a file. Set CHAINPROOF_HOME to a folder."
FROM_BACKUP = "move the whole data folder away and run 'chainproof restore FILE'"


def check_store_file(file: Path) -> None:
    """Raise :class:`Unavailable` where ``file`` is no store and cannot become one. Writes nothing."""
    require_sqlite()
    sentence = _why_not_a_store(file)
    if sentence is not None:
        raise Unavailable(sentence)
    if not file.exists():
        check_room(file)
    elif not file.with_name(f"{file.name}-wal").exists() and _free_bytes(file) < LEAST_ROOM_TO_OPEN_BYTES:
        raise Unavailable(FULL.format(folder=file.parent))


def check_room(file: Path, content_bytes: int = 0) -> None:
    """Raise :class:`Unavailable` where a new store with so much content cannot be written to ``file``."""
    if not _existing_folder(file).is_dir():
        raise Unavailable(IS_A_FILE.format(folder=_existing_folder(file)))
    if not os.access(_existing_folder(file), os.W_OK):
        raise Unavailable(NOT_WRITABLE.format(folder=file.parent))
    needed = content_bytes + LEAST_ROOM_BYTES
    if _free_bytes(file) < needed:
        least = -(-needed // 1024**2)
        raise Unavailable(
            f"The disk of {file.parent} has less than the {least:,} MB free that a new store needs. "
            "Free some space there."
        )


@contextmanager
def folder_faults(file: Path) -> Iterator[None]:
    """Turn what the operating system refuses in the folder of ``file`` into :class:`Unavailable`."""
    try:
        yield
    except OSError as error:
        folder = file.parent
        if error.errno in NO_ROOM:
            raise Unavailable(FULL.format(folder=folder)) from error
        if error.errno in (errno.EEXIST, errno.ENOTDIR):
            raise Unavailable(IS_A_FILE.format(folder=folder)) from error
        raise Unavailable(NOT_WRITABLE.format(folder=folder)) from error


def explain_failure(file: Path, reason: str) -> str:
    """What is wrong with the store in ``file``, of which SQLite gave ``reason``, and how to mend it."""
    found = _why_not_a_store(file)
    if found is not None:
        return found
    if "malformed" in reason:
        return f"{file} is damaged ({reason}). Move it away, or {FROM_BACKUP}."
    if not os.access(file.parent, os.W_OK) or (file.exists() and not os.access(file, os.W_OK)):
        return NOT_WRITABLE.format(folder=file.parent)
    if "full" in reason or _free_bytes(file) < LEAST_ROOM_BYTES // 16:
        return FULL.format(folder=file.parent)
    if "locked" in reason:
        return f"Another program holds {file} locked. Stop that program, and try again."
    return f"The data store {file} does not answer: {reason}. Try again, or {FROM_BACKUP}."


def _why_not_a_store(file: Path) -> str | None:
    """Whatever else stands in its place; null for a store, and for nothing at all."""
    if file.is_dir():
        return f"{file} is a folder where the data store must be a file. {OTHER_FOLDER}."
    if file.is_file() and os.access(file, os.R_OK):
        with file.open("rb") as stream:
            start = stream.read(len(HEADER))
        if start and start != HEADER:
            return f"{file} is not an SQLite database. {OTHER_FOLDER}. Or {FROM_BACKUP}."
        tables = _tables(file) if start else set()
        if tables and VERSION_TABLE not in tables:
            return f"{file} is the database of another program. {OTHER_FOLDER}."
    return None


def _tables(file: Path) -> set[str]:
    """Names of the tables; none where they cannot be read, which whoever opens the store is told anyway.

    ``immutable``: SQLite makes no file beside it and takes no lock, whatever the journal mode.
    """
    import sqlite3  # not at the top: some Pythons are built without it

    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?immutable=1", uri=True)) as connection:
            return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    except sqlite3.Error:
        return set()


def _existing_folder(file: Path) -> Path:
    return next(place for place in file.absolute().parents if place.exists())


def _free_bytes(file: Path) -> int:
    return shutil.disk_usage(_existing_folder(file)).free
