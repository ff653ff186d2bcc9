"""Installs the wheel in a clean environment and does what a new user does first.

``chainproof up`` starts in an empty folder with an empty home; a job of each kind finishes, a page of the
dashboard shows figures, and the worker is still the first one.
"""

import signal
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser

from tests.smoke.pythons import ROOT, UV, Python
from tests.support.processes import programs
from tests.support.processes.running import free_port, is_answering, loopback
from tests.support.waiting import LIMIT_MS, wait_for

JOBS = {
    "entities/extractions": {"text": "Bitcoin fell after the SEC sued Binance."},
    "sources": {"statement": "The SEC approved spot bitcoin ETFs in January 2024."},
}


def build_wheel(folder: Path) -> Path:
    """The wheel of this checkout, in ``folder``."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def try_out(python: Python, wheel: Path, folder: Path, browser: Browser) -> None:
    """Raises an AssertionError, or the error of the command that failed, where something does not work."""
    command = _install(python, wheel, folder / "environment")
    empty, home, port = folder / "empty", folder / "home", free_port()
    for made in (empty, home):
        made.mkdir()
    clean = dict.fromkeys(("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV"), "")
    settings = {**clean, "HOME": str(home), "CHAINPROOF_DASHBOARD_PORT": str(port)}
    program = programs.start_command(folder / "data", [str(command), "up"], settings, cwd=empty)
    try:
        program.wait_until_ready()
        for kind, body in JOBS.items():
            _finish_job(program, kind, body)
        _open_page(browser, f"http://127.0.0.1:{port}")
        worker = program.json("/markets/status")["worker"]
        assert (worker["state"], worker["restarts"]) == ("working", 0), worker
        assert "process_died" not in program.words
        program.stop(signal.SIGINT)
        assert list(empty.iterdir()) == []
    except BaseException as error:
        error.add_note(f"The programs printed: {program.words[-4000:]}")
        raise
    finally:
        programs.kill_all(program.home)


def _install(python: Python, wheel: Path, environment: Path) -> Path:
    """Path of the command. Versions are the locked ones; the network is asked for what uv has not cached."""
    subprocess.run([UV, "venv", "--quiet", "--python", python.path, environment], check=True)
    install = [UV, "pip", "install", "--quiet", "--python", environment, "--only-binary", ":all:"]
    install += ["--constraint", ROOT / "requirements.lock", wheel]
    if subprocess.run([*install, "--offline"], capture_output=True, check=False).returncode:
        subprocess.run(install, check=True)
    return environment / "bin" / "chainproof"


def _finish_job(program: programs.Program, kind: str, body: dict[str, str]) -> None:
    headers = {"CP-X-API-KEY": program.key}
    accepted = loopback.post(f"{program.url}/{kind}", json=body, headers=headers)
    assert accepted.status_code == 202, accepted.text
    job = accepted.json()["data"]["job_id"]

    def has_ended() -> bool:
        return program.json(f"/{kind}/{job}")["data"]["status"] in ("completed", "failed")

    wait_for(has_ended, f"The end of the job of {kind}")
    ended = program.json(f"/{kind}/{job}")["data"]
    assert ended["status"] == "completed", ended
    assert ended["result"], ended


def _open_page(browser: Browser, address: str) -> None:
    wait_for(lambda: is_answering(f"{address}/_stcore/health"), "A dashboard that answers")
    page = browser.new_page()
    try:
        page.goto(address)
        page.locator(".cp-incidents").wait_for(timeout=LIMIT_MS)
    finally:
        page.close()
