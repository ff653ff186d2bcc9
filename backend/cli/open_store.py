"""Reads a command's settings and opens the data store for it."""

import os
import sys
from typing import TYPE_CHECKING, Any

from backend.cli.terminal.console import complain, fault_describers
from backend.runtime.processes import PARENT_PIPE
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.store.database import Database


def settings_with(**given: Any) -> Settings:
    """Settings with the command's options, which child processes see through the environment too."""
    for name, value in given.items():
        if value is not None:
            os.environ[f"CHAINPROOF_{name.upper()}"] = str(value)
    return Settings()


def open_database(settings: Settings | None = None) -> "Database":
    """The store, at the newest schema."""
    from backend import migrations  # not at the top: most starts are quicker without it
    from backend.store.database import Database

    settings = settings or Settings()
    migrations.upgrade(settings.app_database_url)
    return Database(settings.app_database_url)


def warn_of_unknown_settings() -> None:
    """Warn of names that are no settings, unless the parent program has done so."""
    if PARENT_PIPE not in os.environ:
        from backend.settings.inspection import find_unknown_names  # imported here: it slows each start

        for sentence in find_unknown_names():
            complain(sentence)


def describe_store_fault(error: Exception) -> str | None:
    """What is wrong with the data store and how to mend it; null where ``error`` comes from elsewhere."""
    sql = sys.modules.get("sqlalchemy.exc")  # where nothing imported it, no store was asked
    if sql is None or not isinstance(error, sql.DBAPIError):
        return None
    from backend.store.sqlite_file import explain_failure

    reason = " ".join(str(error.orig).split()).rstrip(".?")
    settings = Settings()
    if settings.is_sqlite:
        return explain_failure(settings.store_file, reason)
    return (
        f"The data store does not answer: {reason}. Check CHAINPROOF_DATABASE_URL and that PostgreSQL runs."
    )


fault_describers.append(describe_store_fault)
