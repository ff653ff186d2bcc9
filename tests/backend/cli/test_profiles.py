"""Tests ``chainproof profiles`` and ``chainproof runs list``."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from backend.cli.commands import app
from backend.store.database import Database
from tests.support.runs.timeline_app import build_run, store_runs
from tests.support.store.data_folders import set_up_home


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    return set_up_home(tmp_path, monkeypatch)


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result


def test_profiles_are_added_changed_listed_and_removed() -> None:
    added = run("profiles", "add", "a/b c", "--model", "m", "--json")
    assert json.loads(added.stdout) == {"added": 1, "changed": 0, "unchanged": 0}
    assert json.loads(run("profiles", "add", "a/b c", "--model", "m", "--json").stdout)["unchanged"] == 1
    assert "1 changed" in run("profiles", "add", "a/b c", "--model-vendor", "v").stdout
    (listed,) = json.loads(run("profiles", "list", "--json").stdout)
    assert listed == {
        "name": "a/b c",
        "provider": None,
        "model": None,
        "model_vendor": "v",
        "inference_provider": None,
        "from": "command",
        "file": None,
    }
    assert "a/b c" in run("profiles", "list").stdout
    run("profiles", "remove", "a/b c")
    assert json.loads(run("profiles", "list", "--json").stdout) == []
    assert "There is no profile" in run("profiles", "remove", "a/b c", code=2).stderr


def test_a_file_of_profiles_is_imported_completely_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "some.json"
    file.write_text('{"a": {"model": "m"},\n "b": {"x": 1}}')
    assert "some.json:2" in run("profiles", "import", str(file), code=2).stderr.replace("\n", "")
    file.write_text('{"a": {"model": "m"}, "b": {}}')
    assert json.loads(run("profiles", "import", str(file), "--json").stdout)["added"] == 2


def test_commands_do_not_change_profiles_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "profiles.json"
    file.write_text('{"a": {}}')
    monkeypatch.setenv("CHAINPROOF_PROFILES", str(file))
    for arguments in (("add", "a"), ("remove", "a"), ("import", str(file))):
        error = run("profiles", *arguments, code=2).stderr.replace("\n", "")
        assert "profiles.json" in error
    assert "1 to 500 characters" in run("profiles", "add", "", code=2).stderr


def test_runs_are_counted_by_profile_and_listed_for_one_profile(home: Path) -> None:
    assert {
        profile_counts["realm"] for profile_counts in json.loads(run("runs", "list", "--json").stdout)
    } == {"sample"}
    run("profiles", "add", "one")
    run("profiles", "add", "two")
    database = Database(f"sqlite:///{home / 'chainproof.db'}")
    store_runs(database, "one", build_run("a"), build_run("b", timestamp="2026-03-02T00:00:00Z"))
    database.dispose()
    assert json.loads(run("runs", "list", "--json").stdout) == [
        {"profile": "one", "realm": "own", "runs": 2, "newest": "2026-03-02T00:00:00Z"},
        {"profile": "two", "realm": "own", "runs": 0, "newest": None},
    ]
    assert [entry["run_id"] for entry in json.loads(run("runs", "list", "one", "--json").stdout)] == [
        "b",
        "a",
    ]
    assert "a case" in run("runs", "list", "one", "--limit", "1").stdout
    assert "one" in run("runs", "list").stdout
    assert "There is no profile" in run("runs", "list", "none", code=2).stderr
