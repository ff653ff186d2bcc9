"""Reads a command's settings and opens the data store for it."""

import os
import sys
from typing import TYPE_CHECKING, Any

from backend.cli.words import fault_describers
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.db import Database


def settings_with(**given: Any) -> Settings:
    """Settings with the command's options, which child processes see through the environment too."""
    for name, value in given.items():
        if value is not None:
            os.environ[f"CHAINPROOF_{name.upper()}"] = str(value)
    return Settings()


def open_database(settings: Settings | None = None) -> "Database":
    """The store, at the newest schema."""
    from backend import migrations  # not at the top: most starts are quicker without it
    from backend.db import Database

    settings = settings or Settings()
    migrations.upgrade(settings.app_database_url)
    return Database(settings.app_database_url)


def describe_store_fault(error: Exception) -> str | None:
    """What is wrong with the data store and how to mend it; null where ``error`` comes from elsewhere."""
    sql = sys.modules.get("sqlalchemy.exc")  # where nothing imported it, no store was asked
    if sql is None or not isinstance(error, sql.DBAPIError):
        return None
    from backend.store_file import explain_failure

    reason = " ".join(str(error.orig).split()).rstrip(".?")
    settings = Settings()
    if settings.is_sqlite:
        return explain_failure(settings.home / "chainproof.db", reason)
    return (
        f"The data store does not answer: {reason}. Check CHAINPROOF_DATABASE_URL and that PostgreSQL runs."
    )


fault_describers.append(describe_store_fault)
