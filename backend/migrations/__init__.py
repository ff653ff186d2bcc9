"""Schema migrations: Alembic, run by themselves at start and by ``chainproof migrate``."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from backend.db import Database


def upgrade(url: str) -> None:
    """Bring the database at ``url`` to the newest revision; safe when several processes start at once."""
    config = configuration()
    config.attributes["url"] = url
    command.upgrade(config, "head")


def is_current(database: Database) -> bool:
    with database.read() as connection:
        at = MigrationContext.configure(connection).get_current_revision()
    return at == ScriptDirectory.from_config(configuration()).get_current_head()


def configuration() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config
