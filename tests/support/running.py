"""The programs as a user runs them, in processes of their own on loopback."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.support import run_folder
from tests.support.waiting import LIMIT_SECONDS
from tests.support.waiting import wait_for as wait_for

PORTS = range(20_000, 30_000)

loopback = httpx.Client(
    verify=False, trust_env=False, timeout=LIMIT_SECONDS, limits=httpx.Limits(max_keepalive_connections=0)
)
"""Asks programs on this machine, each time on a connection of its own. One for all: reading the certificates
of the world, as each client with TLS does, takes longer than twenty questions."""


def free_port() -> int:
    """A port of loopback that nobody listens on, and that no other test of this run is given.

    It is below those that the system gives to outgoing connections, so that none of them takes it before the
    program that it is for.
    """
    while True:
        port = random.choice(PORTS)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            run_folder.claim(f"port-{port}")
            return port


def answers(address: str) -> bool:
    try:
        return loopback.get(address).is_success
    except httpx.HTTPError:
        return False


@dataclass(frozen=True)
class Service:
    """A running service and how to ask it."""

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


def environment(home: Path, **settings: str) -> dict[str, str]:
    """The environment of a program with only these settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CHAINPROOF_")}
    # A port of its own could be one that another test takes for free.
    few = {"CHAINPROOF_LOG_LEVEL": "warning", "CHAINPROOF_MANAGEMENT_PORT": "0"}
    return {**kept, "CHAINPROOF_HOME": str(home), **few, **settings}


@contextlib.contextmanager
def program(arguments: Sequence[str], settings: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A ``chainproof`` command, stopped when the block ends."""
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
    """``chainproof serve`` that is ready and, unless it has no worker, has figures."""
    port = free_port()
    given = environment(home, **{"CHAINPROOF_PORT": str(port), **settings})
    with program(["serve", *arguments], given):
        running = Service(f"http://127.0.0.1:{port}", home)
        wait_for(lambda: answers(f"{running.url}/readyz"), "A ready service")
        if "--no-worker" not in arguments:
            wait_for(running.has_prices, "The first refresh")
        yield running


@contextlib.contextmanager
def dashboard(of: Service, *, port: int | None = None, **settings: str) -> Iterator[str]:
    """``chainproof dashboard`` over a service, on a free port unless one is given; gives its address."""
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    given = environment(of.home, CHAINPROOF_BASE_URL=of.url, CHAINPROOF_DASHBOARD_PORT=str(port), **settings)
    with program(["dashboard"], given):
        wait_for(lambda: answers(f"{url}/_stcore/health"), "A dashboard that answers")
        yield url
