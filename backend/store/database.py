"""SQLite and PostgreSQL behind one object, with exact decimals, UTC instants and change counters.

Synchronous SQLAlchemy Core. On SQLite a write begins with ``BEGIN IMMEDIATE``: a deferred
transaction that upgrades loses updates or fails with "database is locked"; a read never takes the
write lock. The file is in WAL mode, and a commit reaches the disk before it returns
(``synchronous=FULL``), since answers that accept work are sent after the commit.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import Connection, Dialect, Engine, make_url

from backend.store.data_lock import DataLock
from backend.store.sqlite_version import require_sqlite

if TYPE_CHECKING:
    import psycopg

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

change_counters = sa.Table(
    "change_counters",
    metadata,
    sa.Column("topic", sa.String(64), primary_key=True),
    sa.Column("n", sa.BigInteger, nullable=False),
)


APPLICATION_NAME = "chainproof"
"""How PostgreSQL's list of sessions names ours; those of the job engine begin with it too."""
BIG_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""Type of an id that the store counts up by itself, which SQLite does in INTEGER alone."""


class ExactDecimal(sa.types.TypeDecorator[Decimal]):
    """A decimal that no float ever touches: NUMERIC on PostgreSQL, text on SQLite."""

    impl = sa.Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> sa.types.TypeEngine[Any]:
        return dialect.type_descriptor(sa.Numeric() if dialect.name == "postgresql" else sa.Text())

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> Any:
        if value is None or dialect.name == "postgresql":
            return value
        return format(value, "f")

    def process_result_value(self, value: Any, dialect: Dialect) -> Decimal | None:
        return None if value is None else Decimal(value)


class UtcTime(sa.types.TypeDecorator[datetime]):
    """An instant, always aware and in UTC. On SQLite fixed-width text, so that text order is time order."""

    impl = sa.String(27)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> sa.types.TypeEngine[Any]:
        postgres = dialect.name == "postgresql"
        return dialect.type_descriptor(sa.DateTime(timezone=True) if postgres else sa.String(27))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("an instant needs a time zone")
        moment = value.astimezone(UTC)
        if dialect.name == "postgresql":
            return moment
        # Not strftime, whose %Y has fewer than four digits before the year 1000.
        return moment.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if isinstance(value, datetime):
            return value.astimezone(UTC)
        return datetime.fromisoformat(value)


class Database:
    """One engine, and the ways to read and to write through it.

    While it is open nobody exchanges the files of an SQLite store (:mod:`backend.store.data_lock`).
    """

    def __init__(self, url: str, *, pool_size: int = 10, patience: float | None = None) -> None:
        """``patience``: seconds after which a statement that PostgreSQL has not answered fails, as where its
        machine hangs or its line is cut. Without it a statement may take as long as it needs."""
        self.url = url
        self.is_sqlite = url.startswith("sqlite")
        if self.is_sqlite:
            require_sqlite()  # before anything is written
        file = sqlite_file(url)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = None if file is None else DataLock(file, alone=False)
        self.engine = (
            sqlite_engine(url)
            if self.is_sqlite
            else postgres_engine(url, pool_size=pool_size, patience=patience)
        )
        self._readers = (
            self.engine if self.is_sqlite else self.engine.execution_options(isolation_level="AUTOCOMMIT")
        )

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """For what one statement tells, or several that may see different states of the store.

        On PostgreSQL each statement stands by itself and takes one round trip: a transaction would take
        two more, and show each statement a state of its own all the same.
        """
        with self._readers.connect() as connection:
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A reader to whom nothing changes between its statements, and whose settings end with it."""
        with self.engine.connect() as connection:
            if not self.is_sqlite:  # whose readers see one state of the store by themselves
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that is committed, and on the disk, when the block ends without an error."""
        with self.engine.connect().execution_options(write=True) as connection, connection.begin():
            yield connection

    def ping(self) -> None:
        with self.read() as connection:
            connection.execute(sa.text("SELECT 1"))

    def dispose(self) -> None:
        self.engine.dispose()
        if self._lock is not None:
            self._lock.release()


def sqlite_file(url: str) -> Path | None:
    """The file of an SQLite store; null for any other store."""
    file = make_url(url).database if url.startswith("sqlite") else None
    return Path(file) if file else None


def sqlite_engine(url: str) -> Engine:
    engine = sa.create_engine(
        url,
        connect_args={"timeout": 30, "check_same_thread": False},
        pool_size=10,
        max_overflow=30,
        pool_use_lifo=True,  # each has a page cache of its own: those that a rush opened stay empty
        json_serializer=None,
    )

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # the driver begins nothing by itself
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        write = connection.get_execution_options().get("write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


LINE = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""How soon a line to PostgreSQL that leads nowhere any more is given up, in libpq's words."""


def postgres_engine(url: str, *, pool_size: int = 10, patience: float | None = None) -> Engine:
    engine = sa.create_engine(
        url,
        pool_size=pool_size,
        max_overflow=20,
        pool_use_lifo=True,  # the one used last holds the plans of what is asked
        pool_pre_ping=True,  # no request fails because PostgreSQL was restarted
        connect_args={**LINE, "options": "-c timezone=UTC", "application_name": APPLICATION_NAME},
    )
    if patience is not None:
        impatient = impatient_connection(patience)

        @sa.event.listens_for(engine, "do_connect")
        def _connect(_dialect: Dialect, _record: Any, given: list[Any], named: dict[str, Any]) -> Any:
            return impatient.connect(*given, **named)

    return engine


def impatient_connection(seconds: float) -> "type[psycopg.Connection[Any]]":
    """Connections that are closed when a statement was not answered for so long.

    PostgreSQL's own ``statement_timeout`` is kept by the server, and so not by one that hangs.
    """
    import psycopg  # not at the top: a start on SQLite is quicker without it

    class Impatient(psycopg.Connection[Any]):
        def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
            began = time.monotonic()
            try:
                return super().wait(gen, interval, seconds if timeout is None else timeout)
            except psycopg.OperationalError:
                if timeout is None and time.monotonic() - began >= seconds:
                    self.pgconn.finish()  # an answer that comes now is nobody's
                raise

    return Impatient


def upsert(
    connection: Connection, table: sa.Table, rows: list[dict[str, Any]], *, keep: tuple[str, ...] = ()
) -> None:
    """Insert ``rows``; where the primary key is known, update every other given column but ``keep``."""
    if not rows:
        return
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    statement = insert(table)
    key = [column.name for column in table.primary_key]
    changed = {name: statement.excluded[name] for name in rows[0] if name not in key and name not in keep}
    if changed:
        statement = statement.on_conflict_do_update(index_elements=key, set_=changed)
    else:
        statement = statement.on_conflict_do_nothing(index_elements=key)
    connection.execute(statement, rows)


def bump(connection: Connection, topic: str) -> None:
    """Say, in the same transaction as the change, that ``topic`` has changed: see ``changes.py``."""
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    statement = insert(change_counters).values(topic=topic, n=1)
    connection.execute(
        statement.on_conflict_do_update(index_elements=["topic"], set_={"n": change_counters.c.n + 1})
    )
