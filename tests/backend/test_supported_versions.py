"""Tests that old versions of Python and SQLite are refused in one sentence, before anything is written."""

import runpy
import sqlite3
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import backend
from backend.cli.commands import app
from tests.support.processes.running import free_port
from tests.support.store.data_folders import set_up_home

run = CliRunner()


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    return set_up_home(tmp_path, monkeypatch)


@pytest.mark.parametrize("command", ["up", "serve", "worker", "migrate"])
def test_sqlite_before_3_40_is_refused_and_nothing_is_written(
    command: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 39, 4))
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.39.4")
    monkeypatch.setenv("CHAINPROOF_PORT", str(free_port()))
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_PORT", str(free_port()))

    result = run.invoke(app, [command])

    assert result.exit_code == 3
    assert result.stderr.startswith("chainproof: SQLite 3.39.4 is too old; Chainproof needs 3.40 or newer.")
    assert result.stderr.count("\n") == 1
    assert not home.exists()


def test_a_python_without_sqlite_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)

    result = run.invoke(app, ["migrate"])

    assert result.exit_code == 3
    assert "This Python was built without SQLite" in result.stderr
    assert not home.exists()


def test_python_before_3_11_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert backend.__file__ is not None
    monkeypatch.setattr(sys, "version_info", (3, 10, 13))
    monkeypatch.setattr(sys, "version", "3.10.13 (main)")

    with pytest.raises(SystemExit) as exit_info:
        runpy.run_path(backend.__file__)

    assert exit_info.value.code == 3
    assert capsys.readouterr().err == ("chainproof: Python 3.10.13 is too old; use Python 3.11 or newer.\n")
