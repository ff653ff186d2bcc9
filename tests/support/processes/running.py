"""Runs the programs as users do, in separate processes on loopback."""

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from backend.articles.rules import compiled_cache, pack_loader, rules_loader
from tests.support.test_session import run_folder
from tests.support.waiting import LIMIT_SECONDS
from tests.support.waiting import wait_for as wait_for

PORTS = range(20_000, 30_000)

loopback = httpx.Client(
    verify=False, trust_env=False, timeout=LIMIT_SECONDS, limits=httpx.Limits(max_keepalive_connections=0)
)
"""Sends requests to programs on this machine, each on a new connection. It is shared, because each client
with TLS reads all root certificates, which takes longer than twenty requests."""


def free_port() -> int:
    """Reserve a free port of loopback for this test.

    It is below the ports of outgoing connections, so that none of them takes it before the program starts.
    """
    while True:
        port = random.choice(PORTS)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            run_folder.claim(f"port-{port}")
            return port


def is_answering(address: str) -> bool:
    try:
        return loopback.get(address).is_success
    except httpx.HTTPError:
        return False


@dataclass(frozen=True)
class Service:
    """A running service with shortcuts for requests."""

    url: str
    home: Path

    @property
    def key(self) -> str:
        return (self.home / "local.key").read_text().strip()

    def get(self, path: str, **parameters: str) -> httpx.Response:
        return loopback.get(f"{self.url}{path}", params=parameters, headers={"CP-X-API-KEY": self.key})

    def has_prices(self) -> bool:
        rows = self.get("/rankings", limit="1").json()
        return bool(rows) and rows[0]["price_usd"] is not None


def add_compiled_rules(home: Path) -> None:
    """Copy the compiled shipped rules into a data folder, as an earlier start leaves them there.

    Otherwise each service and worker compiles them at its start, which takes a second of a core.
    """
    compiled = run_folder.path() / compiled_cache.FILE_NAME
    with run_folder.one_process_at_a_time("compiled-rules"):
        if not compiled.exists():
            cache = compiled_cache.CompiledRulesCache(compiled, may_write=True)
            # This process may have loaded the rules before, and load_shipped would then write no file.
            cache.load_or_compile(pack_loader.default_files(), rules_loader.load_shipped)
    home.mkdir(parents=True, exist_ok=True)
    shutil.copy(compiled, home)


def environment(home: Path, **settings: str) -> dict[str, str]:
    """Build the environment of a program with only these settings."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("CHAINPROOF_")}
    # A management port could be one that another test takes as free.
    defaults = {"CHAINPROOF_LOG_LEVEL": "warning", "CHAINPROOF_MANAGEMENT_PORT": "0"}
    return {**inherited, "CHAINPROOF_HOME": str(home), **defaults, **settings}


@contextlib.contextmanager
def program(arguments: Sequence[str], settings: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a ``chainproof`` command for the block."""
    child = subprocess.Popen(
        [sys.executable, "-m", "backend.cli", *arguments], env=dict(settings), stdin=subprocess.DEVNULL
    )
    try:
        yield child
    finally:
        if child.poll() is None:
            child.send_signal(signal.SIGTERM)
            try:
                child.wait(LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


@contextlib.contextmanager
def service(home: Path, *arguments: str, **settings: str) -> Iterator[Service]:
    """Run ``chainproof serve`` until the block ends; waits for readiness and, with a worker, for figures."""
    port = free_port()
    variables = environment(home, **{"CHAINPROOF_PORT": str(port), **settings})
    with program(["serve", *arguments], variables):
        running = Service(f"http://127.0.0.1:{port}", home)
        wait_for(lambda: is_answering(f"{running.url}/readyz"), "A ready service")
        if "--no-worker" not in arguments:
            wait_for(running.has_prices, "The first refresh")
        yield running


@contextlib.contextmanager
def dashboard(of: Service, *, port: int | None = None, **settings: str) -> Iterator[str]:
    """Run ``chainproof dashboard`` for a service, by default on a free port; yields its URL."""
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    variables = environment(
        of.home, CHAINPROOF_BASE_URL=of.url, CHAINPROOF_DASHBOARD_PORT=str(port), **settings
    )
    with program(["dashboard"], variables):
        wait_for(lambda: is_answering(f"{url}/_stcore/health"), "A dashboard that answers")
        yield url
