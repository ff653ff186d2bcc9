"""How the programs that run until they are stopped begin, and what they say."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from streamlit.web import cli as streamlit_cli
from typer.testing import CliRunner

from backend.cli import ports, serve
from backend.cli.commands import app
from backend.cli.terminal import banner
from backend.runtime import logs
from backend.settings import Settings
from backend.settings.model import MANAGEMENT_PORT_OFFSET
from tests.support.homes import own_home

STOPPED = """
import os, signal
from backend.runtime.processes import exit_on_stop_signals
exit_on_stop_signals()
os.kill(os.getpid(), signal.{name})
print("went on")
"""


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(serve, "exit_on_stop_signals", Mock())
    monkeypatch.setattr(logs, "configure", Mock())  # it would log into a stream that ends with the command
    return own_home(tmp_path, monkeypatch)


@pytest.fixture
def used_port() -> Iterator[int]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


@pytest.mark.parametrize(
    ("command", "setting"),
    [
        (["up"], "CHAINPROOF_PORT"),
        (["up"], "CHAINPROOF_DASHBOARD_PORT"),
        (["up"], "CHAINPROOF_MANAGEMENT_PORT"),
        (["serve"], "CHAINPROOF_PORT"),
        (["serve"], "CHAINPROOF_MANAGEMENT_PORT"),
        (["dashboard"], "CHAINPROOF_DASHBOARD_PORT"),
    ],
)
def test_a_used_port_is_the_same_sentence_everywhere_and_nothing_is_made(
    command: list[str], setting: str, used_port: int, home: Path
) -> None:
    free = {"CHAINPROOF_PORT": "0", "CHAINPROOF_DASHBOARD_PORT": "0"}
    answer = CliRunner().invoke(app, command, env={**free, setting: str(used_port)})
    assert answer.exit_code == 3
    told = (
        f"Port {used_port} is in use. Stop the program that uses it, or choose another port with {setting}."
    )
    assert answer.stderr == f"chainproof: {told}\n"
    assert not home.exists()


def test_the_default_management_port_belongs_to_the_port_of_the_service_and_need_not_be_free(
    used_port: int,
) -> None:
    assert Settings(port=8000).management_url == "http://127.0.0.1:9000"
    assert Settings(port=64_536).management_url is None
    assert Settings(management_port=0).management_url is None
    beside = Settings(port=used_port - MANAGEMENT_PORT_OFFSET)
    assert beside.management_listener_port == used_port
    assert ports.bind_management(beside) is None


def test_a_port_that_is_taken_after_the_first_look_is_that_sentence_too(
    monkeypatch: pytest.MonkeyPatch, used_port: int
) -> None:
    free = Mock()
    looks = iter([lambda *_: free, serve.bind])
    monkeypatch.setattr(serve, "bind", lambda *given: next(looks)(*given))
    monkeypatch.setattr(streamlit_cli, "main", Mock(side_effect=SystemExit(1)))
    answer = CliRunner().invoke(app, ["dashboard"], env={"CHAINPROOF_DASHBOARD_PORT": str(used_port)})
    assert (answer.exit_code, f"Port {used_port} is in use. Stop the program" in answer.stderr) == (3, True)


@pytest.mark.parametrize("name", [signal.SIGINT.name, signal.SIGTERM.name])
def test_a_stop_while_a_program_begins_ends_it_with_a_word(name: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", STOPPED.format(name=name)], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "Stopped.\n")


def test_ctrl_c_ends_a_command_with_a_word_and_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.auth.service.list_keys", Mock(side_effect=KeyboardInterrupt))
    answer = CliRunner().invoke(app, ["keys", "list"])
    assert (answer.exit_code, answer.stderr.strip()) == (130, "Stopped.")


def test_the_banner_says_how_to_call_the_program_from_another_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    scripts = tmp_path / ".venv" / "bin"
    script = scripts / "chainproof"
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(scripts))
    monkeypatch.setattr(shutil, "which", lambda _: None)
    for name in ("UV", "UV_RUN_RECURSION_DEPTH"):
        monkeypatch.delenv(name, raising=False)
    banner.print_banner(Settings(), ready=True)
    assert f"{os.path.join('.venv', 'bin', 'chainproof')} --help" in capsys.readouterr().out

    monkeypatch.setattr(shutil, "which", lambda _: str(script))
    assert banner.find_command() == "chainproof"
    monkeypatch.setenv("UV", "/usr/bin/uv")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert banner.find_command() == str(script)
    monkeypatch.setenv("UV_RUN_RECURSION_DEPTH", "1")
    assert banner.find_command() == "uv run chainproof"
