"""Schema migrations: Alembic, run by themselves at start and by ``chainproof migrate``.

Versions of the service follow each other without a pause, so that for a while two of them work on one
store. Revisions therefore expand: they add what the version before can leave alone. One that takes away
what an older version needs contracts, and says so by :func:`contract`; versions older than that refuse
to start on the store, and all others go on over a schema that is newer than their own.
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
MIGRATION_LOCK = 0x43_50_4D_49  # "CPMI": any number that nothing else locks on
NEEDED = "schema-needed"
"""The change counter that holds the number of the oldest revision whose service can use the store."""


def upgrade(url: str) -> None:
    """Bring the database at ``url`` to the newest revision; safe when several processes start at once.

    A store that is there already is only read: Alembic is half a second of each start, and a disk that takes
    nothing in must not keep a service from what can be read. A schema that a newer version made is left as
    it is. Raises :class:`Unavailable` where that version has taken away what this one needs, and where the
    store is none of ours; nothing is written then.
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
            at, refusal = revision_of(connection), find_refusal(connection)
    finally:
        database.dispose()
    if refusal is not None:
        raise Unavailable(refusal)
    if is_newer(at):
        log.info("schema_is_newer", store=at, service=newest_revision())
    elif at != newest_revision():
        _run("head", url=url)


def find_refusal(connection: Connection) -> str | None:
    """Why this version cannot use the store's schema, and what to do; null where it can."""
    at = revision_of(connection)
    if at is not None and not (is_known(at) or is_newer(at)):
        return (
            f"The data store is at schema {at!r}, which no version of Chainproof up to this one made. "
            "Start the version that made it, or choose another store by CHAINPROOF_HOME or "
            "CHAINPROOF_DATABASE_URL."
        )
    needed = _needed(connection) if is_newer(at) else 0
    if needed > int(newest_revision()):
        return (
            f"The data store is at schema {at}, which versions of the service before schema {needed:04} "
            f"cannot use, and this one is of schema {newest_revision()}. Start the newer version instead."
        )
    return None


def upgrade_within(connection: Connection, revision: str = "head") -> None:
    """The same up to ``revision`` within the caller's write transaction."""
    _run(revision, connection=connection)


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


def revision_of(connection: Connection) -> str | None:
    """The revision that a store is at; null for one without a schema."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    return None if found is None else str(found)


def newest_revision() -> str:
    """Revisions are numbered, and their files are named by their numbers."""
    return _revisions()[-1]


def is_known(revision: str) -> bool:
    return revision in _revisions()


def is_newer(revision: str | None) -> bool:
    """Whether a version of the service newer than this one made ``revision``."""
    return revision is not None and revision.isdigit() and int(revision) > int(newest_revision())


def configuration() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config


def _revisions() -> list[str]:
    return sorted(file.name.partition("_")[0] for file in VERSIONS.glob("[0-9]*.py"))


def _needed(connection: Connection) -> int:
    look = sa.select(change_counters.c.n).where(change_counters.c.topic == NEEDED)
    return connection.execute(look).scalar() or 0


def _run(revision: str, **attributes: object) -> None:
    from alembic import command

    config = configuration()
    config.attributes.update(attributes)
    command.upgrade(config, revision)
