"""Programs to be killed: what they print is read, and whatever they leave running is found and ended."""

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

from tests.support.market_app import FEW, enable_only
from tests.support.running import answers, environment, free_port, loopback
from tests.support.waiting import LIMIT_SECONDS, wait_for


def processes_of(home: Path) -> list[psutil.Process]:
    """Every process that runs with this data folder, whoever is its parent by now."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            own = process.environ().get("CHAINPROOF_HOME") == str(home)
            if own and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def end_all(home: Path) -> None:
    for process in processes_of(home):
        with contextlib.suppress(psutil.Error):
            process.kill()


def command_of(process: psutil.Process) -> str:
    """The ``chainproof`` command that a process runs, such as ``serve``."""
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
        """What it and its children printed so far, on standard output and error."""
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
        assert self.process.poll() is None, f"It ended with {self.process.returncode}: {self.words}"
        return answers(f"{self.url}/readyz")

    def has_prices(self) -> bool:
        rows = self.json("/rankings?limit=1")
        return bool(rows) and rows[0]["price_usd"] is not None

    def refreshed_at(self) -> str:
        return str(self.json("/markets/status")["refreshed_at"] or "")

    def until_ready(self, *, figures: bool = True) -> "Program":
        wait_for(self.is_ready, "A ready service")
        if figures:
            wait_for(self.has_prices, "The first refresh")
        return self

    def until_refreshed(self) -> None:
        """Until a refresh that is not yet done is."""
        before = self.refreshed_at()
        wait_for(lambda: self.refreshed_at() > before, "The next refresh")

    def children(self, command: str) -> list[psutil.Process]:
        """Those of its living children that run ``command``."""
        return [
            item
            for item in psutil.Process(self.process.pid).children()
            if not has_ended(item) and command_of(item) == command
        ]

    def child(self, command: str) -> psutil.Process:
        found: list[psutil.Process] = []

        def is_there() -> bool:
            found[:] = self.children(command)
            return len(found) == 1

        wait_for(is_there, f"One running {command!r}")
        return found[0]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and give the exit code."""
        self.process.send_signal(number)
        return self.process.wait(LIMIT_SECONDS)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.printed.append(line)


LIMITED = """import os, resource, sys
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"""
"""Limits the size of files in the program alone: the threads of the test's own process write files too."""


def command_line(arguments: Sequence[str], file_bytes: int | None) -> list[str]:
    """``file_bytes``: the largest file that the program may write, as on a full disk."""
    limited = [] if file_bytes is None else ["-c", LIMITED, str(file_bytes)]
    return [sys.executable, *limited, "-m", "backend.cli", *arguments]


def start(home: Path, *arguments: str, file_bytes: int | None = None, **settings: str) -> Program:
    """A ``chainproof`` command that runs until it ends or :func:`end_all` of its folder.

    It gets a free port unless the settings name one.
    """
    return start_command(home, command_line(arguments, file_bytes), settings)


def start_command(
    home: Path, command: Sequence[str], settings: Mapping[str, str], *, cwd: Path | None = None
) -> Program:
    """The same with a command of any installation."""
    given = environment(home, **{"CHAINPROOF_PORT": str(free_port()), **settings})
    port = int(given["CHAINPROOF_PORT"])
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=given,
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
def home_in(folder: Path, *, few: bool = True) -> Iterator[Path]:
    """A data folder; nothing that runs with it outlives the block.

    ``few``: it knows of some assets alone, so that refreshes every second leave the machine its air.
    """
    home = folder / "home"
    if few:
        enable_only(home, FEW)
    try:
        yield home
    finally:
        end_all(home)


def run(
    home: Path, *arguments: str, settings: Mapping[str, str] | None = None, file_bytes: int | None = None
) -> subprocess.CompletedProcess[str]:
    """A ``chainproof`` command to its end."""
    return subprocess.run(
        command_line(arguments, file_bytes),
        env=environment(home, **(settings or {})),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )


def faults_of(home: Path) -> list[str]:
    """What SQLite's own check finds wrong in the files of a data folder; empty when all is well."""
    faults = []
    for name in ("chainproof.db", "jobs.db"):
        if (home / name).exists():
            with contextlib.closing(sqlite3.connect(home / name, timeout=LIMIT_SECONDS)) as connection:
                rows = [row[0] for row in connection.execute("PRAGMA integrity_check")]
            faults += [f"{name}: {row}" for row in rows if row != "ok"]
    return faults


def rows_of(home: Path, table: str) -> set[tuple[Any, ...]]:
    """Every row of a table of the SQLite store."""
    with contextlib.closing(sqlite3.connect(home / "chainproof.db", timeout=LIMIT_SECONDS)) as connection:
        return set(connection.execute(f"SELECT * FROM {table}"))


def nothing_runs(home: Path) -> bool:
    return not processes_of(home)


def has_ended(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
