"""Reads a command's settings and opens the data store for it."""

import os
from typing import TYPE_CHECKING, Any

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
