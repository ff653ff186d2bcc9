"""Runs one service and dashboard for all browser tests of a run.

The first process that needs them starts them, and they end with the run, since a start takes as long as
opening ten pages. Their working folder and HOME contain files that must not affect them: see
``hostile_folder``.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.support.processes import hostile_folder, running
from tests.support.test_session import run_folder
from tests.support.waiting import LIMIT_SECONDS


class Stack(NamedTuple):
    service: running.Service
    dashboard: str
    other_origin: str
    """An origin whose pages may call the service. Nothing serves it until a test does."""


def start_shared() -> Stack:
    """Return the run's stack, started if needed, once it has figures."""
    with run_folder.one_process_at_a_time("stack"):
        if not _state_file().exists():
            _start()
        state = json.loads(_state_file().read_text())
    service = running.Service(state["service"], Path(state["home"]))
    stack = Stack(service, state["dashboard"], state["other_origin"])
    running.wait_for(lambda: running.is_answering(f"{stack.service.url}/readyz"), "A ready service")
    running.wait_for(stack.service.has_prices, "The first refresh")
    running.wait_for(
        lambda: running.is_answering(f"{stack.dashboard}/_stcore/health"), "A dashboard that answers"
    )
    return stack


def stop() -> None:
    """Stop the stack, if it was started."""
    if not _state_file().exists():
        return
    program, *children = processes()
    program.terminate()
    for process in psutil.wait_procs([program, *children], timeout=LIMIT_SECONDS)[1]:
        process.kill()


def processes() -> list[psutil.Process]:
    """List the processes of the stack: the program, then its children."""
    program = psutil.Process(json.loads(_state_file().read_text())["program"])
    return [program, *program.children(recursive=True)]


def _state_file() -> Path:
    return run_folder.path() / "stack.json"


def _start() -> None:
    home, port, dashboard_port = run_folder.path() / "stack", running.free_port(), running.free_port()
    other_origin = f"http://127.0.0.1:{running.free_port()}"
    running.add_compiled_rules(home)
    folder = hostile_folder.create(run_folder.path())
    program = subprocess.Popen(
        [Path(sys.executable).with_name("chainproof"), "up"],
        cwd=folder,
        env=running.environment(
            home,
            CHAINPROOF_PORT=str(port),
            CHAINPROOF_DASHBOARD_PORT=str(dashboard_port),
            CHAINPROOF_CORS_ORIGINS=other_origin,
            HOME=str(folder),
        ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # it outlives the process that starts it
    )
    _state_file().write_text(
        json.dumps(
            {
                "service": f"http://127.0.0.1:{port}",
                "dashboard": f"http://127.0.0.1:{dashboard_port}",
                "other_origin": other_origin,
                "home": str(home),
                "program": program.pid,
            }
        )
    )
