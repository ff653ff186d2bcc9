"""Schema migrations: Alembic, run by themselves at start and by ``chainproof migrate``.

Versions of the service follow each other without a pause, so that for a while two of them work on one
store. Revisions therefore expand: they add what the version before can leave alone. One that takes away
what an older version needs contracts, and says so by :func:`contract`; versions older than that refuse
to start on the store, and all others go on over a schema that is newer than their own.
"""

from pathlib import Path

import sqlalchemy as sa
import structlog
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

from backend.db import Database, change_counters
from backend.errors import Unavailable

log = structlog.get_logger(__name__)
MIGRATION_LOCK = 0x43_50_4D_49  # "CPMI": any number that nothing else locks on
NEEDED = "schema-needed"
"""The change counter that holds the number of the oldest revision whose service can use the store."""


def upgrade(url: str) -> None:
    """Bring the database at ``url`` to the newest revision; safe when several processes start at once.

    A schema that a newer version made is left as it is. Raises :class:`Unavailable` where that version has
    taken away what this one needs.
    """
    database = Database(url)
    try:
        with database.read() as connection:
            at = revision_of(connection)
            newer = is_newer(at)
            needed = _needed(connection) if newer else 0
    finally:
        database.dispose()
    if not newer:
        config = configuration()
        config.attributes["url"] = url
        command.upgrade(config, "head")
    elif needed > int(newest()):
        raise Unavailable(
            f"The data store is at schema {at}, which versions of the service before schema {needed:04} "
            f"cannot use, and this one is of schema {newest()}. Start the newer version instead."
        )
    else:
        log.info("schema_is_newer", store=at, service=newest())


def upgrade_within(connection: Connection, revision: str = "head") -> None:
    """The same up to ``revision`` within the caller's write transaction."""
    config = configuration()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def lock(connection: Connection) -> None:
    """Let no other process migrate the store until this transaction ends. On SQLite every write does so."""
    if connection.dialect.name != "sqlite":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))


def contract(connection: Connection, needed: str) -> None:
    """Say, in a revision that takes something away, which is the oldest revision whose service does without
    it. That one has been out for a release, so that nobody stops who upgrades one release at a time."""
    known = sa.select(change_counters.c.n).where(change_counters.c.topic == NEEDED)
    found = connection.execute(known).scalar()
    if found is None:
        connection.execute(sa.insert(change_counters).values(topic=NEEDED, n=int(needed)))
    elif found < int(needed):
        connection.execute(
            sa.update(change_counters).where(change_counters.c.topic == NEEDED).values(n=int(needed))
        )


def is_current(database: Database) -> bool:
    """Whether the store is at the newest revision, or at one that is newer still."""
    with database.read() as connection:
        at = revision_of(connection)
    return at == newest() or is_newer(at)


def revision_of(connection: Connection) -> str | None:
    """The revision that a store is at; null for one without a schema."""
    return MigrationContext.configure(connection).get_current_revision()


def newest() -> str:
    head = _scripts().get_current_head()
    assert head is not None
    return head


def is_known(revision: str) -> bool:
    return revision in {script.revision for script in _scripts().walk_revisions()}


def is_newer(revision: str | None) -> bool:
    """Whether a version of the service newer than this one made ``revision``: they are numbered."""
    return revision is not None and revision.isdigit() and int(revision) > int(newest())


def _needed(connection: Connection) -> int:
    look = sa.select(change_counters.c.n).where(change_counters.c.topic == NEEDED)
    return connection.execute(look).scalar() or 0


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(configuration())


def configuration() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config
