"""Opens SQLite and PostgreSQL through one class, with exact decimals, UTC times and change counters.

Synchronous SQLAlchemy Core. On SQLite a write begins with ``BEGIN IMMEDIATE``: a deferred
transaction that upgrades loses updates or fails with "database is locked"; a read never takes the
write lock. The file is in WAL mode, and a commit reaches the disk before it returns
(``synchronous=FULL``), since a response that accepts work is sent after the commit.
"""

import sqlite3
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
from sqlalchemy.engine import Connection, Dialect, Engine, ExceptionContext, make_url
from sqlalchemy.exc import OperationalError

from backend.store.data_lock import DataLock
from backend.store.sqlite_file import create_private_file
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


_READ_COUNTER = "SELECT n FROM change_counters WHERE topic = ?"
APPLICATION_NAME = "chainproof"
"""Name of our sessions in ``pg_stat_activity``. Names of the job engine's sessions start with it too."""
BIG_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""Type of an auto-increment id. SQLite increments INTEGER columns only."""


class ExactDecimal(sa.types.TypeDecorator[Decimal]):
    """A decimal that is never converted to a float: NUMERIC on PostgreSQL, text on SQLite."""

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
    """An aware time in UTC. SQLite stores it as text of fixed width, so that text order is time order."""

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
    """One SQLAlchemy engine with context managers to read and write.

    While it is open, no restore replaces the files of an SQLite store (:mod:`backend.store.data_lock`).
    """

    def __init__(self, url: str, *, pool_size: int = 10, statement_seconds: float | None = None) -> None:
        """``statement_seconds``: a statement fails if PostgreSQL does not answer in this time, as when its
        machine hangs or the network fails. None sets no limit."""
        self.url = url
        self.is_sqlite = url.startswith("sqlite")
        if self.is_sqlite:
            require_sqlite()  # before anything is written
        file = sqlite_file(url)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = None if file is None else DataLock(file, exclusive=False)
        if file is not None:
            create_private_file(file)
        self._file = file
        self._counter_connection: sqlite3.Connection | None = None
        self.engine = (
            sqlite_engine(url)
            if self.is_sqlite
            else postgres_engine(url, pool_size=pool_size, statement_seconds=statement_seconds)
        )
        self._readers = (
            self.engine if self.is_sqlite else self.engine.execution_options(isolation_level="AUTOCOMMIT")
        )

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a connection for one statement, or for several that may see different states of the store.

        On PostgreSQL each statement is its own transaction and takes one round trip. An explicit transaction
        takes two more, and its statements still see different states.
        """
        with self._readers.connect() as connection:
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Open a read transaction whose statements all see the same state of the store."""
        with self.engine.connect() as connection:
            if not self.is_sqlite:  # an SQLite read transaction sees one state anyway
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction. It is committed and on the disk when the block ends without an error."""
        with self.engine.connect().execution_options(write=True) as connection, connection.begin():
            yield connection

    def read_counter(self, topic: str) -> int | None:
        """Read a change counter in a few microseconds, without a wait; None if it cannot be read so.

        It uses a connection of its own, for one thread at a time. On PostgreSQL it is null: a read takes a
        round trip.
        """
        if self._file is None:
            return None
        try:
            if self._counter_connection is None:
                self._counter_connection = sqlite3.connect(
                    f"{self._file.absolute().as_uri()}?mode=ro",
                    uri=True, timeout=0, isolation_level=None, check_same_thread=False,
                )  # fmt: skip
            row = self._counter_connection.execute(_READ_COUNTER, (topic,)).fetchone()
        except sqlite3.Error:
            return None
        return 0 if row is None else int(row[0])

    def ping(self) -> None:
        with self.read() as connection:
            connection.execute(sa.text("SELECT 1"))

    def dispose(self) -> None:
        self.engine.dispose()
        if self._counter_connection is not None:
            self._counter_connection.close()
            self._counter_connection = None
        if self._lock is not None:
            self._lock.release()


def sqlite_file(url: str) -> Path | None:
    """Return the file of an SQLite store, or None for any other store."""
    file = make_url(url).database if url.startswith("sqlite") else None
    return Path(file) if file else None


def sqlite_engine(url: str) -> Engine:
    engine = sa.create_engine(
        url,
        connect_args={"timeout": 30, "check_same_thread": False},
        pool_size=10,
        max_overflow=30,
        pool_use_lifo=True,  # each connection has its own page cache: idle ones of a load peak stay small
        json_serializer=None,
    )

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # the driver must not begin transactions by itself
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def _begin_transaction(connection: Connection) -> None:
        write = connection.get_execution_options().get("write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


CONNECTION_TIMEOUTS = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""Timeouts of dead connections to PostgreSQL, as parameters of libpq."""


REFUSED_CHANGE_SQLSTATES = frozenset({"25006", "42501"})
"""PostgreSQL's codes when it takes no changes: a read-only server, and files that it may not write, such as
those on a disk that became read-only. The driver reports them as errors of the program."""


def postgres_engine(url: str, *, pool_size: int = 10, statement_seconds: float | None = None) -> Engine:
    engine = sa.create_engine(
        url,
        pool_size=pool_size,
        max_overflow=20,
        pool_use_lifo=True,  # the last used connection has cached query plans
        pool_pre_ping=True,  # no request fails after a restart of PostgreSQL
        connect_args={
            **CONNECTION_TIMEOUTS,
            "options": "-c timezone=UTC",
            "application_name": APPLICATION_NAME,
        },
    )

    @sa.event.listens_for(engine, "handle_error")
    def _report_refused_change(context: ExceptionContext) -> None:
        original = context.original_exception
        if getattr(original, "sqlstate", None) in REFUSED_CHANGE_SQLSTATES:
            raise OperationalError(context.statement, context.parameters, original) from original

    if statement_seconds is not None:
        connection_class = build_timeout_connection(statement_seconds)

        @sa.event.listens_for(engine, "do_connect")
        def _connect(_dialect: Dialect, _record: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
            return connection_class.connect(*args, **kwargs)

    return engine


def build_timeout_connection(seconds: float) -> "type[psycopg.Connection[Any]]":
    """Build a class of connections that close when a statement gets no answer within ``seconds``.

    PostgreSQL's own ``statement_timeout`` runs on the server, so it does not work on a server that hangs.
    """
    import psycopg  # imported here: a start on SQLite is faster without it

    class Impatient(psycopg.Connection[Any]):
        def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
            started = time.monotonic()
            try:
                return super().wait(gen, interval, seconds if timeout is None else timeout)
            except psycopg.OperationalError:
                if timeout is None and time.monotonic() - started >= seconds:
                    self.pgconn.finish()  # a late answer must not reach the next statement
                raise

    return Impatient


def upsert(
    connection: Connection,
    table: sa.Table,
    rows: list[dict[str, Any]],
    *,
    keep: tuple[str, ...] = (),
    newest_by: str | None = None,
) -> None:
    """Insert ``rows``. Where the primary key exists, update the other columns of the row except ``keep``.

    ``newest_by``: a column. A stored row with a larger value in it stays as it is.
    """
    if not rows:
        return
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    statement = insert(table)
    key = [column.name for column in table.primary_key]
    changed = {name: statement.excluded[name] for name in rows[0] if name not in key and name not in keep}
    if changed:
        newer = None if newest_by is None else statement.excluded[newest_by] >= table.c[newest_by]
        statement = statement.on_conflict_do_update(index_elements=key, set_=changed, where=newer)
    else:
        statement = statement.on_conflict_do_nothing(index_elements=key)
    connection.execute(statement, rows)


def bump(connection: Connection, topic: str) -> None:
    """Increment the change counter of ``topic``, in the transaction of the change; see
    :mod:`backend.store.change_watcher`."""
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    statement = insert(change_counters).values(topic=topic, n=1)
    connection.execute(
        statement.on_conflict_do_update(index_elements=["topic"], set_={"n": change_counters.c.n + 1})
    )
