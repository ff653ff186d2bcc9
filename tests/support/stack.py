"""One service with its dashboard for all browser tests of a run, whichever process runs them.

The first process in need starts them, and they end with the run: a start costs as much as ten pages opened.
They start in a folder, and with a home, whose contents must not reach them: see ``hostile_folder``.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.support import hostile_folder, run_folder, running
from tests.support.waiting import LIMIT_SECONDS


class Stack(NamedTuple):
    service: running.Service
    dashboard: str


def shared() -> Stack:
    """The run's stack, once it has figures."""
    with run_folder.one_process_at_a_time("stack"):
        if not _told().exists():
            _start()
        told = json.loads(_told().read_text())
    stack = Stack(running.Service(told["service"], Path(told["home"])), told["dashboard"])
    running.wait_for(lambda: running.answers(f"{stack.service.url}/readyz"), "A ready service")
    running.wait_for(stack.service.has_prices, "The first refresh")
    running.wait_for(lambda: running.answers(f"{stack.dashboard}/_stcore/health"), "A dashboard that answers")
    return stack


def end() -> None:
    """Stop it, where one was started."""
    if not _told().exists():
        return
    program, *children = processes()
    program.terminate()
    for left in psutil.wait_procs([program, *children], timeout=LIMIT_SECONDS)[1]:
        left.kill()


def processes() -> list[psutil.Process]:
    """Of the stack that was started: the program, then its children."""
    program = psutil.Process(json.loads(_told().read_text())["program"])
    return [program, *program.children(recursive=True)]


def _told() -> Path:
    return run_folder.path() / "stack.json"


def _start() -> None:
    home, port, dashboard_port = run_folder.path() / "stack", running.free_port(), running.free_port()
    folder = hostile_folder.create(run_folder.path())
    program = subprocess.Popen(
        [Path(sys.executable).with_name("chainproof"), "up"],
        cwd=folder,
        env=running.environment(
            home,
            CHAINPROOF_PORT=str(port),
            CHAINPROOF_DASHBOARD_PORT=str(dashboard_port),
            HOME=str(folder),
        ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # it outlives the process that happened to come first
    )
    _told().write_text(
        json.dumps(
            {
                "service": f"http://127.0.0.1:{port}",
                "dashboard": f"http://127.0.0.1:{dashboard_port}",
                "home": str(home),
                "program": program.pid,
            }
        )
    )
