"""Runs Alembic schema migrations at start and for ``chainproof migrate``.

During a rolling upgrade two versions of the service use one store. Revisions therefore expand the schema:
they add only parts that the previous version can ignore. A revision that contracts the schema removes
something that an older version needs, and calls :func:`set_oldest_supported`. Versions older than that
refuse to start on the store; all others run on a schema that is newer than their own.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Connection

from backend.errors import Unavailable
from backend.store.database import Database, change_counters, sqlite_file
from backend.store.sqlite_file import check_store_file, raise_folder_errors

if TYPE_CHECKING:
    from alembic.config import Config

log = structlog.get_logger(__name__)
VERSIONS = Path(__file__).parent / "versions"
MIGRATION_LOCK_ID = 0x43_50_4D_49  # "CPMI": an advisory lock number that nothing else uses
OLDEST_SUPPORTED_COUNTER = "schema-needed"
"""The change counter with the number of the oldest revision whose service can use the store."""


def upgrade(url: str) -> None:
    """Upgrade the database at ``url`` to the newest revision. Several processes may do so at once.

    A store at the newest revision is only read: Alembic takes half a second, and a service can still read
    from a full disk. A schema of a newer version stays as it is. Raises :class:`Unavailable`, and writes
    nothing, if that version removed something that this one needs, or if the file is not our store.
    """
    file = sqlite_file(url)
    if file is None:
        database = Database(url)
    else:
        check_store_file(file)
        with raise_folder_errors(file):
            database = Database(url)
    try:
        with database.read() as connection:
            revision, problem = find_revision(connection), find_incompatibility(connection)
    finally:
        database.dispose()
    if problem is not None:
        raise Unavailable(problem)
    if is_newer(revision):
        log.info("newer_schema_found", store=revision, service=find_newest_revision())
    elif revision != find_newest_revision():
        _run("head", url=url)


def find_incompatibility(connection: Connection) -> str | None:
    """Explain why this version cannot use the store's schema, and how to fix it; None if it can."""
    revision = find_revision(connection)
    if revision is not None and not (is_known(revision) or is_newer(revision)):
        return (
            f"The data store is at schema {revision!r}, which no version of Chainproof up to this one made. "
            "Start the version that made it, or choose another store with CHAINPROOF_HOME or "
            "CHAINPROOF_DATABASE_URL."
        )
    oldest = _find_oldest_supported(connection) if is_newer(revision) else 0
    newest = find_newest_revision()
    if oldest > int(newest):
        return (
            f"The data store is at schema {revision}, which services before schema {oldest:04} cannot "
            f"use, and this one has schema {newest}. Start the newer version instead."
        )
    return None


def upgrade_in_transaction(connection: Connection, revision: str = "head") -> None:
    """Upgrade to ``revision`` within the caller's write transaction."""
    _run(revision, connection=connection)


def lock_migrations(connection: Connection) -> None:
    """Block migrations by other processes until this transaction ends. On SQLite every write does so."""
    if connection.dialect.name != "sqlite":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK_ID)))


def set_oldest_supported(connection: Connection, revision: str) -> None:
    """Record, in a revision that removes something, the oldest revision whose service works without it.

    Choose a revision that an earlier release already has, so that upgrades by one release need no pause.
    """
    query = sa.select(change_counters.c.n).where(change_counters.c.topic == OLDEST_SUPPORTED_COUNTER)
    stored = connection.execute(query).scalar()
    if stored is None:
        connection.execute(sa.insert(change_counters).values(topic=OLDEST_SUPPORTED_COUNTER, n=int(revision)))
    elif stored < int(revision):
        connection.execute(
            sa.update(change_counters)
            .where(change_counters.c.topic == OLDEST_SUPPORTED_COUNTER)
            .values(n=int(revision))
        )


def find_revision(connection: Connection) -> str | None:
    """Find the revision of a store; None if it has no schema."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    version = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    return None if version is None else str(version)


def find_newest_revision() -> str:
    """Find the highest number of a revision. Its file name starts with the number."""
    return _list_revisions()[-1]


def is_known(revision: str) -> bool:
    return revision in _list_revisions()


def is_newer(revision: str | None) -> bool:
    """Whether ``revision`` comes from a newer version of the service."""
    return revision is not None and revision.isdigit() and int(revision) > int(find_newest_revision())


def build_alembic_config() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config


def _list_revisions() -> list[str]:
    return sorted(file.name.partition("_")[0] for file in VERSIONS.glob("[0-9]*.py"))


def _find_oldest_supported(connection: Connection) -> int:
    query = sa.select(change_counters.c.n).where(change_counters.c.topic == OLDEST_SUPPORTED_COUNTER)
    return connection.execute(query).scalar() or 0


def _run(revision: str, **attributes: object) -> None:
    from alembic import command

    config = build_alembic_config()
    config.attributes.update(attributes)
    command.upgrade(config, revision)
