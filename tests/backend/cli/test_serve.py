"""Tests start, stop and messages of the long-running programs."""

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
from backend.store.data_lock import DataLock
from tests.support.processes.running import free_port
from tests.support.store.data_folders import set_up_home

STOP_ITSELF = """
import os, signal
from backend.runtime.processes import exit_on_stop_signals
exit_on_stop_signals()
os.kill(os.getpid(), signal.{name})
print("went on")
"""


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(serve, "exit_on_stop_signals", Mock())
    monkeypatch.setattr(logs, "configure", Mock())  # it would log to a stream that closes with the command
    return set_up_home(tmp_path, monkeypatch)


@pytest.fixture
def used_port() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def find_free_ports() -> dict[str, str]:
    return {"CHAINPROOF_PORT": str(free_port()), "CHAINPROOF_DASHBOARD_PORT": str(free_port())}


@pytest.mark.parametrize(
    ("first", "second", "port"),
    [
        ("CHAINPROOF_PORT", "CHAINPROOF_DASHBOARD_PORT", 9000),
        ("CHAINPROOF_PORT", "CHAINPROOF_MANAGEMENT_PORT", 9000),
        ("CHAINPROOF_DASHBOARD_PORT", "CHAINPROOF_MANAGEMENT_PORT", 9000),
    ],
)
def test_one_port_for_two_programs_is_refused_with_both_settings(
    first: str, second: str, port: int, home: Path
) -> None:
    result = CliRunner().invoke(app, ["up"], env={**find_free_ports(), first: str(port), second: str(port)})
    sentence = f"{first} and {second} are both {port}. Choose another port for one of them."
    assert (result.exit_code, result.stderr) == (2, f"chainproof: {sentence}\n")
    assert not home.exists()


def test_a_management_port_that_nobody_set_may_be_the_dashboards(home: Path) -> None:
    port = free_port()
    ports = {"CHAINPROOF_PORT": str(port - MANAGEMENT_PORT_OFFSET), "CHAINPROOF_DASHBOARD_PORT": str(port)}
    home.mkdir(parents=True)
    with DataLock(home / "up", exclusive=True):  # the check behind that of the ports
        result = CliRunner().invoke(app, ["up"], env=ports)
    assert "Chainproof is already running" in result.stderr


@pytest.mark.parametrize("setting", ["CHAINPROOF_PORT", "CHAINPROOF_DASHBOARD_PORT"])
def test_up_refuses_a_port_that_the_system_would_choose(setting: str, home: Path) -> None:
    result = CliRunner().invoke(app, ["up"], env={**find_free_ports(), setting: "0"})
    assert (result.exit_code, f"{setting} is 0" in result.stderr) == (2, True)
    assert not home.exists()


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
def test_a_used_port_gives_the_same_error_in_all_commands_and_creates_nothing(
    command: list[str], setting: str, used_port: int, home: Path
) -> None:
    result = CliRunner().invoke(app, command, env={**find_free_ports(), setting: str(used_port)})
    assert result.exit_code == 3
    sentence = (
        f"Port {used_port} is in use. Stop the program that uses it, or choose another port with {setting}."
    )
    assert result.stderr == f"chainproof: {sentence}\n"
    assert not home.exists()


def test_a_second_start_on_a_folder_is_refused_whichever_ports_it_has(home: Path) -> None:
    home.mkdir(parents=True)
    with DataLock(home / "up", exclusive=True):  # what a running `up` holds
        before = sorted(home.iterdir())
        result = CliRunner().invoke(app, ["up"], env=find_free_ports())
        assert sorted(home.iterdir()) == before
    sentence = (
        f"Chainproof is already running in {home}. Stop it, or choose another folder with CHAINPROOF_HOME."
    )
    assert (result.exit_code, result.stderr) == (3, f"chainproof: {sentence}\n")


def test_the_default_management_port_follows_the_port_and_may_be_in_use(
    used_port: int,
) -> None:
    assert Settings(port=8000).management_url == "http://127.0.0.1:9000"
    assert Settings(port=64_536).management_url is None
    assert Settings(management_port=0).management_url is None
    settings = Settings(port=used_port - MANAGEMENT_PORT_OFFSET)
    assert settings.effective_management_port == used_port
    assert ports.bind_management(settings) is None


def test_a_port_that_is_taken_after_the_check_gives_the_same_error(
    monkeypatch: pytest.MonkeyPatch, used_port: int
) -> None:
    bound = Mock()
    attempts = iter([lambda *_: bound, serve.bind])
    monkeypatch.setattr(serve, "bind", lambda *arguments: next(attempts)(*arguments))
    monkeypatch.setattr(streamlit_cli, "main", Mock(side_effect=SystemExit(1)))
    result = CliRunner().invoke(app, ["dashboard"], env={"CHAINPROOF_DASHBOARD_PORT": str(used_port)})
    assert (result.exit_code, f"Port {used_port} is in use. Stop the program" in result.stderr) == (3, True)


@pytest.mark.parametrize("name", [signal.SIGINT.name, signal.SIGTERM.name])
def test_a_stop_signal_during_startup_ends_the_program_with_a_message(name: str) -> None:
    process = subprocess.run(
        [sys.executable, "-c", STOP_ITSELF.format(name=name)], capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "Stopped.\n")


def test_ctrl_c_ends_a_command_with_a_message_and_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.auth.service.list_keys", Mock(side_effect=KeyboardInterrupt))
    result = CliRunner().invoke(app, ["keys", "list"])
    assert (result.exit_code, result.stderr.strip()) == (130, "Stopped.")


def test_the_banner_shows_the_command_for_another_terminal(
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


def test_a_host_that_cannot_be_resolved_names_its_setting(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_to_resolve(*_: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(ports, "bind_socket", fail_to_resolve)
    result = CliRunner().invoke(app, ["serve"], env={"CHAINPROOF_HOST": "nohost.invalid"})
    assert result.exit_code == 2
    assert "Name or service not known. Correct CHAINPROOF_HOST." in result.stderr
    assert not home.exists()


@pytest.mark.parametrize("command", ["up", "serve", "worker"])
@pytest.mark.parametrize(
    ("setting", "noun"),
    [
        ("CHAINPROOF_ASSETS_FILE", "file"),
        ("CHAINPROOF_FEEDS_FILE", "file"),
        ("CHAINPROOF_PROFILES", "file"),
        ("CHAINPROOF_RULES_DIR", "folder"),
    ],
)
def test_a_missing_file_that_a_setting_names_stops_the_start_and_creates_nothing(
    home: Path, command: str, setting: str, noun: str
) -> None:
    result = CliRunner().invoke(app, [command], env={setting: "nowhere", "CHAINPROOF_PORT": "0"})
    sentence = f"{setting}: nowhere is not a {noun}. Create it, or remove the setting."
    assert (result.exit_code, result.stderr) == (2, f"chainproof: {sentence}\n")
    assert not home.exists()


@pytest.mark.parametrize("command", ["up", "serve"])
def test_an_invalid_asset_file_stops_the_start_before_the_store_is_created(home: Path, command: str) -> None:
    home.mkdir()
    (home / "assets.yaml").write_text("disable: [bitcoinn]\n")
    result = CliRunner().invoke(app, [command], env={"CHAINPROOF_PORT": "0"})
    assert (result.exit_code, "did you mean 'bitcoin'" in result.stderr) == (2, True)
    assert [file.name for file in home.iterdir()] == ["assets.yaml"]
