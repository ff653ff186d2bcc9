"""Reads a command's settings and opens the data store for it."""

import os
import sys
from typing import TYPE_CHECKING, Any

from backend.cli.terminal.console import error_describers, print_error
from backend.runtime.processes import PARENT_PIPE_VARIABLE
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.store.database import Database


def load_settings(**options: Any) -> Settings:
    """Load the settings with the command's options. Child processes also get these in the environment."""
    for name, value in options.items():
        if value is not None:
            os.environ[f"CHAINPROOF_{name.upper()}"] = str(value)
    return Settings()


def open_database(settings: Settings | None = None) -> "Database":
    """Open the store, upgraded to the newest schema."""
    from backend import migrations  # imported here: most starts are faster without it
    from backend.store.database import Database

    settings = settings or Settings()
    migrations.upgrade(settings.app_database_url)
    return Database(settings.app_database_url)


def warn_of_unknown_settings() -> None:
    """Warn of unknown setting names, unless the parent process already has."""
    if PARENT_PIPE_VARIABLE not in os.environ:
        from backend.settings.inspection import find_unknown_names  # imported here: it slows each start

        for sentence in find_unknown_names():
            print_error(sentence)


def describe_store_error(error: Exception) -> str | None:
    """Explain an error of the data store and how to fix it; None for other errors."""
    sql = sys.modules.get("sqlalchemy.exc")  # if it is not imported, the store was not used
    if sql is None or not isinstance(error, sql.DBAPIError):
        return None
    from backend.store.sqlite_file import explain_failure

    reason = " ".join(str(error.orig).split()).rstrip(".?")
    settings = Settings()
    if settings.is_sqlite:
        return explain_failure(settings.app_database_file, reason)
    return (
        f"The data store does not answer: {reason}. Check CHAINPROOF_DATABASE_URL and that PostgreSQL runs."
    )


error_describers.append(describe_store_error)
