"""Files in the working directory or the home folder change nothing of the programs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.dashboard.reader import Reader
from tests.support.processes import hostile_folder, running, shared_stack
from tests.support.test_session import run_folder
from tests.support.waiting import LIMIT_SECONDS

CHAINPROOF = Path(sys.executable).with_name("chainproof")


@pytest.mark.browser
def test_the_service_the_worker_and_the_dashboard_import_nothing_from_the_working_directory(
    running_service: running.Service, running_dashboard: str
) -> None:
    assert {Path(process.cwd()).name for process in shared_stack.processes()} == {hostile_folder.NAME}
    commands = {process.cmdline()[-1] for process in shared_stack.processes()}
    assert commands >= {"up", "worker", "--no-worker", "dashboard"}
    assert hostile_folder.list_imported(run_folder.path()) == []


@pytest.mark.browser
def test_the_dashboard_has_its_own_look_and_only_the_navigation_in_its_header(warm_reader: Reader) -> None:
    """The reader's other tests say that no other host is asked."""
    page = warm_reader.open("/", ".cp-incidents")
    background = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert background == "rgb(255, 255, 255)"  # the system's choice, not the folder's
    header = page.locator("header")
    assert header.get_by_role("link").count() == 6
    assert header.get_by_role("button").count() == 0


@pytest.mark.processes
def test_scan_processes_import_nothing_from_the_working_directory(tmp_path: Path) -> None:
    folder = hostile_folder.create(tmp_path)
    scanned = subprocess.run(
        [CHAINPROOF, "scan", "-", "--jobs", "2"],
        cwd=folder,
        env=running.environment(tmp_path / "home"),
        input=b"Bitcoin rises.",
        capture_output=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert scanned.returncode == os.EX_OK, scanned.stderr
    assert hostile_folder.list_imported(tmp_path) == []
