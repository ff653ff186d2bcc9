"""Worker processes for tests that need several or have to kill one."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.waiting import wait_for


class Crew:
    """Worker processes on one store, and what they tell."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        self.processes: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, count: int, *, newer: bool = False) -> None:
        """``newer``: of a version whose workflows are others."""
        given = {**os.environ, "CHAINPROOF_TEST_NEWER": "1"} if newer else None
        command = [sys.executable, "-m", "tests.support.job_process", self.url, str(self.folder)]
        with (self.folder / "output").open("ab") as output:
            for _ in range(count):
                process = subprocess.Popen(command, stdout=output, stderr=output, env=given)
                self.processes[process.pid] = process
        started = len(self.processes)
        self.wait_until(lambda: len(self.told("started")) == started, "all processes have started")

    def told(self, word: str) -> list[tuple[str, ...]]:
        """The lines of that word: the slot, then what came after the word."""
        file = self.folder / "events"
        lines = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
        return [(line[0], *line[2:]) for line in lines if line[1] == word]

    def wait_until(self, happened: Callable[[], bool], what: str) -> None:
        try:
            wait_for(happened, f"That {what}")
        except AssertionError as hanging:
            output = (self.folder / "output").read_text()[-4000:]
            pytest.fail(f"{hanging} The processes said:\n{output}")

    def end(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()
