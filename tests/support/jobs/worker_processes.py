"""Starts worker processes for tests that need several or kill one."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.waiting import wait_for


class WorkerProcesses:
    """Worker processes on one store, and the events that they record."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        self.processes: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, count: int, *, newer: bool = False) -> None:
        """Start processes; ``newer`` ones are of a version with other workflows."""
        environment = {**os.environ, "CHAINPROOF_TEST_NEWER": "1"} if newer else None
        command = [sys.executable, "-m", "tests.support.jobs.job_process", self.url, str(self.folder)]
        with (self.folder / "output").open("ab") as output:
            for _ in range(count):
                process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
                self.processes[process.pid] = process
        started = len(self.processes)
        self.wait_until(lambda: len(self.list_events("started")) == started, "all processes have started")

    def list_events(self, word: str) -> list[tuple[str, ...]]:
        """List the events named ``word``: the slot, then the other words of the line."""
        file = self.folder / "events"
        lines = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
        return [(line[0], *line[2:]) for line in lines if line[1] == word]

    def wait_until(self, happened: Callable[[], bool], what: str) -> None:
        try:
            wait_for(happened, f"That {what}")
        except AssertionError as error:
            output = (self.folder / "output").read_text()[-4000:]
            pytest.fail(f"{error} Output of the processes:\n{output}")

    def end(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()
