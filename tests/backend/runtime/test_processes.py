import math
import os
import signal
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from backend.runtime import processes
from backend.runtime.processes import PARENT_PIPE_VARIABLE, Child, ProcessGroup, bind_socket
from tests.support.waiting import wait_for

pytestmark = pytest.mark.processes


def test_port_in_use_cannot_be_bound() -> None:
    with socket.socket() as bound_socket:
        bound_socket.bind(("127.0.0.1", 0))
        bound_socket.listen()
        assert bind_socket("127.0.0.1", bound_socket.getsockname()[1]) is None


CHILD = """
    import pathlib, sys, time
    from backend.runtime.processes import stop_with_parent
    stop_with_parent()
    pathlib.Path(sys.argv[1]).write_text(str(__import__("os").getpid()))
    time.sleep(600)
"""


def test_a_child_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    script, result = tmp_path / "child.py", tmp_path / "pid"
    script.write_text(textwrap.dedent(CHILD))
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import subprocess, sys, time; "
            "subprocess.Popen([sys.executable, *sys.argv[1:]], stdin=subprocess.PIPE); time.sleep(600)",
            str(script),
            str(result),
        ],
        env={**os.environ, PARENT_PIPE_VARIABLE: "1"},
    )
    wait_for(lambda: result.exists() and result.read_text() != "", "The start of the child")
    child = psutil.Process(int(result.read_text()))
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, "Its end")


def test_child_that_cannot_start_stops_the_process_group_and_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "STABLE_SECONDS", math.inf)  # however long a start takes here
    group = ProcessGroup([Child("nonsense", ["no-such-command"])])
    group.start()
    group.watch()
    assert group.failed is not None
    assert group.failed.name == "nonsense"


def test_a_child_that_a_wrong_setting_stops_is_not_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "STABLE_SECONDS", math.inf)
    group = ProcessGroup([Child("worker", ["worker"], {"CHAINPROOF_PORT": "many"})])
    group.start()
    group.watch()
    assert group.failed is not None
    assert group.failed.failures == 1
