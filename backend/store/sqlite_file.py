"""Checks the file of an SQLite store and explains why it cannot be used.

Programs check before they open a store, so that they write nothing into an unusable folder.
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
"""The first migration creates it before any other table."""
SQLITE_HEADER = b"SQLite format 3\0"
MIN_FREE_BYTES = 64 * 1024 * 1024
"""Minimum free space for a new store: some 40 MB with a day of sample data, and its write-ahead log."""
FULL_DISK_BYTES = 1024 * 1024
"""A failure with less free space than this is reported as a full disk."""
MIN_FREE_BYTES_TO_OPEN = 64 * 1024
"""Minimum free space for the two files that SQLite creates beside an open store."""
DISK_FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
OTHER_FOLDER = "Move it away, or choose another data folder"
DISK_FULL = "The disk of {folder} is full. Free some space there."
NOT_WRITABLE = (
    "The data folder {folder} cannot be written. Set CHAINPROOF_HOME to a folder that can be written."
)
IS_A_FILE = "The data folder cannot be created, since {folder} is a file. Set CHAINPROOF_HOME to a folder."
FROM_BACKUP = "move the whole data folder away and run 'chainproof restore FILE'"


def check_store_file(file: Path) -> None:
    """Raise :class:`Unavailable` if ``file`` is neither a store nor usable for a new one. Writes nothing."""
    require_sqlite()
    problem = _find_file_problem(file)
    if problem is not None:
        raise Unavailable(problem)
    if not file.exists():
        check_free_space(file)
    elif not file.with_name(f"{file.name}-wal").exists() and _get_free_bytes(file) < MIN_FREE_BYTES_TO_OPEN:
        raise Unavailable(DISK_FULL.format(folder=file.parent))


def create_private_file(file: Path) -> None:
    """Create an empty file that only this user can read, if there is none. SQLite gives its journals the same
    mode. The store has digests of keys and passwords."""
    if not file.exists():
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def check_free_space(file: Path, content_bytes: int = 0) -> None:
    """Raise :class:`Unavailable` if a new store of ``content_bytes`` cannot be written to ``file``."""
    if not _find_existing_folder(file).is_dir():
        raise Unavailable(IS_A_FILE.format(folder=_find_existing_folder(file)))
    if not os.access(_find_existing_folder(file), os.W_OK):
        raise Unavailable(NOT_WRITABLE.format(folder=file.parent))
    needed = content_bytes + MIN_FREE_BYTES
    if _get_free_bytes(file) < needed:
        least = -(-needed // 1024**2)
        raise Unavailable(
            f"The disk of {file.parent} has less than the {least:,} MB free that a new store needs. "
            "Free some space there."
        )


@contextmanager
def raise_folder_errors(file: Path) -> Iterator[None]:
    """Convert errors of the operating system in the folder of ``file`` into :class:`Unavailable`."""
    try:
        yield
    except OSError as error:
        folder = file.parent
        if error.errno in DISK_FULL_ERRNOS:
            raise Unavailable(DISK_FULL.format(folder=folder)) from error
        if error.errno in (errno.EEXIST, errno.ENOTDIR):
            raise Unavailable(IS_A_FILE.format(folder=folder)) from error
        raise Unavailable(NOT_WRITABLE.format(folder=folder)) from error


def explain_failure(file: Path, reason: str) -> str:
    """Explain SQLite's error ``reason`` for the store in ``file``, and how to fix it."""
    problem = _find_file_problem(file)
    if problem is not None:
        return problem
    if "malformed" in reason:
        return f"{file} is damaged ({reason}). Move it away, or {FROM_BACKUP}."
    if not os.access(file.parent, os.W_OK) or (file.exists() and not os.access(file, os.W_OK)):
        return NOT_WRITABLE.format(folder=file.parent)
    if "full" in reason or _get_free_bytes(file) < FULL_DISK_BYTES:
        return DISK_FULL.format(folder=file.parent)
    if "locked" in reason:
        return f"Another program holds {file} locked. Stop that program, and try again."
    return f"The data store {file} does not answer: {reason}. Try again, or {FROM_BACKUP}."


def _find_file_problem(file: Path) -> str | None:
    """Say what ``file`` is instead of a store; None for a store and for a missing file."""
    if file.is_dir():
        return f"{file} is a folder where the data store must be a file. {OTHER_FOLDER}."
    if file.is_file() and os.access(file, os.R_OK):
        with file.open("rb") as stream:
            start = stream.read(len(SQLITE_HEADER))
        if start and start != SQLITE_HEADER:
            return f"{file} is not an SQLite database. {OTHER_FOLDER}. Or {FROM_BACKUP}."
        tables = _list_tables(file) if start else set()
        if tables and VERSION_TABLE not in tables:
            return f"{file} is the database of another program. {OTHER_FOLDER}."
    return None


def _list_tables(file: Path) -> set[str]:
    """List the names of the tables; none if they cannot be read, since opening the store reports that anyway.

    ``immutable``: SQLite creates no file beside the store and takes no lock, whatever the journal mode.
    """
    import sqlite3  # imported here: some Pythons are built without it

    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?immutable=1", uri=True)) as connection:
            return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    except sqlite3.Error:
        return set()


def _find_existing_folder(file: Path) -> Path:
    return next(folder for folder in file.absolute().parents if folder.exists())


def _get_free_bytes(file: Path) -> int:
    return shutil.disk_usage(_find_existing_folder(file)).free
