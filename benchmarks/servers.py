"""Starts servers to measure in separate processes on loopback, and stops them at the end of the block."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import httpx

from tests.support.processes.running import free_port, is_answering, wait_for

__all__ = [
    "bare_streamlit",
    "dashboard_environment",
    "free_port",
    "process",
    "service_environment",
    "wait_for_prices",
    "wait_until",
]


@contextlib.contextmanager
def process(
    arguments: Sequence[str], environment: Mapping[str, str], ready: str, log: Path | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A Python process that answers at the address ``ready`` before the block begins.

    What it says goes into the file ``log``, or where the benchmark's own words go.
    """
    with contextlib.ExitStack() as opened:
        output = None if log is None else opened.enter_context(log.open("wb"))
        child = subprocess.Popen(
            [sys.executable, *arguments],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
        )
    try:
        try:
            wait_until(ready, child)
        except (AssertionError, SystemExit):
            if log is not None:
                sys.stderr.write(log.read_text(errors="replace")[-2000:])
            raise
        yield child
    finally:
        child.send_signal(signal.SIGINT)
        try:
            child.wait(15)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def wait_until(address: str, child: subprocess.Popen[bytes]) -> None:
    def answered() -> bool:
        if child.poll() is not None:
            raise SystemExit(f"The process ended before it answered at {address}.")
        return is_answering(address)

    wait_for(answered, f"An answer at {address}")


def service_environment(home: Path, port: int, **more: str) -> dict[str, str]:
    """Settings of a sample service over an empty data folder."""
    return {
        "CHAINPROOF_HOME": str(home),
        "CHAINPROOF_PORT": str(port),
        "CHAINPROOF_LOG_LEVEL": "warning",
        "CHAINPROOF_MANAGEMENT_PORT": "0",
        **more,
    }


def wait_for_prices(base: str, key: str) -> None:
    """Until the first refresh shows in the answers."""
    headers = {"CP-X-API-KEY": key}

    def has_prices() -> bool:
        rows = httpx.get(f"{base}/rankings", params={"limit": 1}, headers=headers, timeout=5).json()
        return bool(rows) and rows[0]["price_usd"] is not None

    wait_for(has_prices, "The first refresh")


def dashboard_environment(home: Path, port: int, dashboard_port: int) -> dict[str, str]:
    """Settings of a dashboard on the service of ``home`` and ``port``."""
    return service_environment(home, port, CHAINPROOF_DASHBOARD_PORT=str(dashboard_port))


BARE_PAGE = """
import streamlit as st

word = st.segmented_control("Word", ["one", "two"], default="one", required=True)
st.write(f"The word is {word}.")
"""


@contextlib.contextmanager
def bare_streamlit(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Streamlit with one ``st.write`` under the dashboard's own settings: what no page can be faster than."""
    (folder / "bare_page.py").write_text(BARE_PAGE)
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    arguments = ["-m", "streamlit", "run", str(folder / "bare_page.py"), f"--server.port={port}"]
    with process(arguments, {}, f"{base}/_stcore/health", folder / "bare.log") as child:
        yield base, child
