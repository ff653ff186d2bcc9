"""Runs a service over a store: its nodes, each a ``chainproof serve`` with its own data folder."""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import orjson
import psutil

from backend import migrations
from backend.auth.service import create_key
from backend.timelines.store import fields
from benchmarks.faults.lanes import PROFILES
from benchmarks.faults.oauth_client import Registered, register
from benchmarks.faults.stores import Store
from tests.support.apps.market_app import FEW, enable_only
from tests.support.processes import programs
from tests.support.processes.running import free_port, loopback, wait_for

START_TIMEOUT_SECONDS = 180.0
"""The limit of a start on a shared machine; the actual time is measured."""


@dataclass
class Node:
    """One data folder and the service over it."""

    home: Path
    port: int
    program: programs.Program | None = None
    started: float = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def status(self, path: str, key: str = "", timeout: float = 10) -> int:
        """Return the status of a request; 0 if nothing answers."""
        try:
            return loopback.get(
                f"{self.url}{path}", headers={"CP-X-API-KEY": key}, timeout=timeout
            ).status_code
        except httpx.TransportError:
            return 0

    def is_ready(self) -> bool:
        return self.status("/readyz", timeout=2) == 200

    def wait_until_ready(self, seconds: float = START_TIMEOUT_SECONDS) -> float:
        """Wait until the node is ready; returns the seconds since its start."""
        try:
            wait_for(self.is_ready, f"A ready service of {self.home.name}", seconds)
        except AssertionError as error:
            words = self.program.words if self.program is not None else ""
            raise SystemExit(f"{error} Its output:\n{words[-3000:]}") from None
        return time.monotonic() - self.started

    def processes(self) -> list[psutil.Process]:
        return programs.find_processes(self.home)

    def cpu_seconds(self) -> float:
        """Return the CPU time of the process that answers requests."""
        assert self.program is not None
        times = psutil.Process(self.program.process.pid).cpu_times()
        return times.user + times.system


class Site:
    """All nodes over one store."""

    def __init__(
        self,
        store: Store,
        folder: Path,
        *,
        arguments: tuple[str, ...] = (),
        settings: Mapping[str, str] | None = None,
    ) -> None:
        profiles = folder / "profiles.json"
        profiles.write_bytes(orjson.dumps({name: fields(profile) for name, profile in PROFILES.items()}))
        self.store = store
        self.folder = folder
        self.arguments = arguments
        self.settings: Mapping[str, str] = {
            **store.settings,
            "CHAINPROOF_PROFILES": str(profiles),
            "CHAINPROOF_TICK_SECONDS": "2",
            **(settings or {}),
        }
        homes = [folder / "home", *(folder / f"home-{n}" for n in range(2, store.nodes + 1))]
        self.nodes = [Node(home, free_port()) for home in homes]
        for home in homes:
            enable_only(home, FEW)
        self.key = ""
        self.registered: Registered | None = None

    def make_credentials(self) -> None:
        """Create the writers' key, application and accounts, in a new store if needed."""
        database = self.store.database()
        try:
            migrations.upgrade(database.url)
            scopes, now = ["read", "write", "ingest"], datetime.now(UTC)
            self.key = create_key(database, name="writers", scopes=scopes, now=now).key
            self.registered = register(database, now)
        finally:
            database.dispose()

    def start(self, node: Node) -> None:
        node.started = time.monotonic()
        settings = {**self.settings, "CHAINPROOF_PORT": str(node.port)}
        node.program = programs.start(node.home, "serve", *self.arguments, file_bytes=None, **settings)

    def start_all(self) -> None:
        for node in self.nodes:
            self.start(node)
        for node in self.nodes:
            node.wait_until_ready()

    def urls(self) -> list[str]:
        return [node.url for node in self.nodes]

    def output(self) -> str:
        """Return the output of the running nodes."""
        return "".join(node.program.words for node in self.nodes if node.program is not None)

    def stop(self, node: Node) -> tuple[int, float]:
        """Stop the node with SIGTERM; returns the exit code and the seconds it took."""
        assert node.program is not None
        began = time.monotonic()
        return node.program.stop(), time.monotonic() - began

    def kill_all(self) -> None:
        """Kill all processes of the nodes."""
        for node in self.nodes:
            programs.kill_all(node.home)


@contextlib.contextmanager
def run_site(site: Site) -> Iterator[Site]:
    """Run the site with its store for the block; waits until all nodes are ready."""
    site.store.start()
    try:
        site.make_credentials()
        site.start_all()
        yield site
    finally:
        site.kill_all()
        site.store.stop()


def measure_wait(condition: Callable[[], bool], seconds: float) -> float | None:
    """Return the seconds until a condition holds; None if it did not in time."""
    began = time.monotonic()
    try:
        wait_for(condition, "It", seconds)
    except AssertionError:
        return None
    return time.monotonic() - began
