"""Checks the version of Python's SQLite and adds a function that older versions lack."""

import time
from typing import TYPE_CHECKING

from backend.errors import Unavailable

if TYPE_CHECKING:
    import sqlite3

MINIMUM_VERSION = (3, 40)
FIRST_WITH_SUBSEC = (3, 42)
"""The first version whose ``unixepoch`` knows the modifier ``subsec``."""
HINT = (
    "Use a Python with a newer one ('uv python install' brings its own), "
    "or set CHAINPROOF_DATABASE_URL to a PostgreSQL database."
)


def require_sqlite() -> None:
    """Raise :class:`Unavailable` if this Python has no SQLite, or one older than 3.40."""
    needed = ".".join(map(str, MINIMUM_VERSION))
    try:
        import sqlite3  # imported here: some Pythons are built without it, and PostgreSQL does not need it
    except ImportError:
        raise Unavailable(
            f"This Python was built without SQLite; Chainproof needs {needed} or newer. {HINT}"
        ) from None
    if sqlite3.sqlite_version_info < MINIMUM_VERSION:
        raise Unavailable(
            f"SQLite {sqlite3.sqlite_version} is too old; Chainproof needs {needed} or newer. {HINT}"
        )


def add_unixepoch_subsec(connection: "sqlite3.Connection") -> None:
    """Define ``unixepoch('subsec')`` on the connection if SQLite returns null for it.

    dbos uses it in column defaults and statements on Python 3.12 and newer, with any version of SQLite.
    A store may move between Pythons, so the version of SQLite alone decides.
    """
    import sqlite3

    if sqlite3.sqlite_version_info < FIRST_WITH_SUBSEC:
        connection.execute("PRAGMA trusted_schema=ON")  # else column defaults may not call it
        connection.create_function("unixepoch", 1, _unixepoch)


def _unixepoch(modifier: object) -> float:
    """Return seconds since 1970 to the millisecond. This replaces the built-in function of one argument."""
    if modifier != "subsec":
        raise ValueError(f"unixepoch({modifier!r}) is not supported")
    return time.time_ns() // 1_000_000 / 1000
