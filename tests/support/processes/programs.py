"""Runs ``chainproof`` programs that tests kill, reads their output and ends all processes left behind."""

import contextlib
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.support.apps.market_app import FEW, enable_only
from tests.support.processes import running
from tests.support.processes.running import environment, free_port, is_answering, loopback
from tests.support.waiting import LIMIT_SECONDS, wait_for


def find_processes(home: Path) -> list[psutil.Process]:
    """Find every process with this data folder, whatever its parent."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            is_own = process.environ().get("CHAINPROOF_HOME") == str(home)
            if is_own and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def kill_all(home: Path) -> None:
    for process in find_processes(home):
        with contextlib.suppress(psutil.Error):
            process.kill()


def get_command(process: psutil.Process) -> str:
    """Return the ``chainproof`` command of a process, such as ``serve``."""
    with contextlib.suppress(psutil.Error):
        line = process.cmdline()
        if "backend.cli" in line:
            return line[line.index("backend.cli") + 1]
    return ""


@dataclass
class Program:
    """A running ``chainproof`` command."""

    process: subprocess.Popen[str]
    home: Path
    port: int
    printed: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def words(self) -> str:
        """The output of the program and its children so far, on standard output and error."""
        return "".join(self.printed)

    @property
    def key(self) -> str:
        return (self.home / "local.key").read_text().strip()

    def get(self, path: str, *, key: str | None = None) -> httpx.Response:
        return loopback.get(f"{self.url}{path}", headers={"CP-X-API-KEY": key or self.key})

    def json(self, path: str) -> Any:
        answer = self.get(path)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:300]}"
        return answer.json()

    def is_ready(self) -> bool:
        assert self.process.poll() is None, f"The program ended with {self.process.returncode}: {self.words}"
        return is_answering(f"{self.url}/readyz")

    def has_prices(self) -> bool:
        rows = self.json("/rankings?limit=1")
        return bool(rows) and rows[0]["price_usd"] is not None

    def refreshed_at(self) -> str:
        return str(self.json("/markets/status")["refreshed_at"] or "")

    def wait_until_ready(self, *, figures: bool = True) -> "Program":
        wait_for(self.is_ready, "A ready service")
        if figures:
            wait_for(self.has_prices, "The first refresh")
        return self

    def wait_until_refreshed(self) -> None:
        """Wait until the next refresh is complete."""
        before = self.refreshed_at()
        wait_for(lambda: self.refreshed_at() > before, "The next refresh")

    def children(self, command: str) -> list[psutil.Process]:
        """List the living children that run ``command``."""
        return [
            item
            for item in psutil.Process(self.process.pid).children()
            if not has_ended(item) and get_command(item) == command
        ]

    def child(self, command: str) -> psutil.Process:
        found: list[psutil.Process] = []

        def has_one() -> bool:
            found[:] = self.children(command)
            return len(found) == 1

        wait_for(has_one, f"One running {command!r}")
        return found[0]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(LIMIT_SECONDS)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.printed.append(line)


LIMIT_FILE_SIZE = """import os, resource, sys
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"""
"""Limits the size of files only in the program, since threads of the test process write files too."""


def build_command(arguments: Sequence[str], file_bytes: int | None) -> list[str]:
    """Build the command. ``file_bytes`` limits the size of files, which simulates a full disk."""
    prefix = [] if file_bytes is None else ["-c", LIMIT_FILE_SIZE, str(file_bytes)]
    return [sys.executable, *prefix, "-m", "backend.cli", *arguments]


def start(home: Path, *arguments: str, file_bytes: int | None = None, **settings: str) -> Program:
    """Start a ``chainproof`` command, which runs until it ends or :func:`kill_all` of its folder.

    It gets a free port unless the settings contain one.
    """
    return start_command(home, build_command(arguments, file_bytes), settings)


def start_command(
    home: Path, command: Sequence[str], settings: Mapping[str, str], *, cwd: Path | None = None
) -> Program:
    """Start a command of any installation."""
    variables = environment(home, **{"CHAINPROOF_PORT": str(free_port()), **settings})
    port = int(variables["CHAINPROOF_PORT"])
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    program = Program(process, home, port)
    threading.Thread(target=program._read, daemon=True).start()
    return program


@contextlib.contextmanager
def create_home(folder: Path, *, few: bool = True) -> Iterator[Path]:
    """Create a data folder with compiled rules. At the end of the block all its processes are killed.

    ``few`` enables only some assets, so that a refresh every second does not overload the machine.
    """
    home = folder / "home"
    running.add_compiled_rules(home)
    if few:
        enable_only(home, FEW)
    try:
        yield home
    finally:
        kill_all(home)


def run(
    home: Path, *arguments: str, settings: Mapping[str, str] | None = None, file_bytes: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a ``chainproof`` command to its end."""
    return subprocess.run(
        build_command(arguments, file_bytes),
        env=environment(home, **(settings or {})),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )


def find_corruption(home: Path) -> list[str]:
    """Run SQLite's integrity check on the files of a data folder; returns the problems."""
    problems = []
    for name in ("chainproof.db", "jobs.db"):
        if (home / name).exists():
            with contextlib.closing(sqlite3.connect(home / name, timeout=LIMIT_SECONDS)) as connection:
                rows = [row[0] for row in connection.execute("PRAGMA integrity_check")]
            problems += [f"{name}: {row}" for row in rows if row != "ok"]
    return problems


def read_rows(home: Path, table: str) -> set[tuple[Any, ...]]:
    """Read every row of a table of the SQLite store."""
    with contextlib.closing(sqlite3.connect(home / "chainproof.db", timeout=LIMIT_SECONDS)) as connection:
        return set(connection.execute(f"SELECT * FROM {table}"))


def has_no_processes(home: Path) -> bool:
    return not find_processes(home)


def has_ended(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
