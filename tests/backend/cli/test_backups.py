import errno
import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from backend.cli.commands import app
from tests.support.homes import own_home

run = CliRunner()


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    return own_home(tmp_path, monkeypatch)


def test_a_folder_is_backed_up_verified_and_restored_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = json.loads(run.invoke(app, ["keys", "create", "--name", "ci", "--json"]).stdout)
    made = run.invoke(app, ["backup", str(tmp_path), "--json"])
    assert made.exit_code == 0, made.output
    told = json.loads(made.stdout)
    assert told["rows"]["api_keys"] == 1
    file = told["file"]

    whole = run.invoke(app, ["backup", "--verify", file])
    assert (whole.exit_code, "is whole" in whole.stdout) == (0, True)
    again = run.invoke(app, ["backup", file])
    assert (again.exit_code, "--overwrite" in again.stderr) == (2, True)
    refused = run.invoke(app, ["restore", file])
    assert (refused.exit_code, "2. Run the same command again" in refused.stderr) == (2, True)

    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path / "other"))
    restored = run.invoke(app, ["restore", file])
    assert restored.exit_code == 0, restored.output
    assert "Restored" in restored.stdout
    listed = json.loads(run.invoke(app, ["keys", "list", "--json"]).stdout)
    assert [found["id"] for found in listed] == [key["id"]]


def test_what_cannot_be_is_a_sentence_and_an_exit_code(tmp_path: Path, home: Path) -> None:
    nothing = run.invoke(app, ["backup", str(tmp_path / "b.zip")])
    assert (nothing.exit_code, "nothing to back up" in nothing.stderr) == (2, True)
    assert not home.exists() or list(home.glob("*.db")) == [], "To look makes no store."
    assert not (tmp_path / "b.zip").exists()
    (tmp_path / "torn.zip").write_bytes(b"torn")
    torn = run.invoke(app, ["backup", "--verify", str(tmp_path / "torn.zip")])
    assert (torn.exit_code, "no whole archive" in torn.stderr) == (1, True)
    for arguments in (["restore", str(tmp_path / "torn.zip")], ["restore", str(tmp_path / "missing.zip")]):
        refused = run.invoke(app, arguments)
        assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1), refused.output


def test_a_backup_makes_its_folder_and_takes_it_away_where_the_backup_fails(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run.invoke(app, ["migrate"]).exit_code == 0
    for target in ("backups/monthly", "files/today.zip"):
        made = run.invoke(app, ["backup", str(tmp_path / target), "--json"])
        assert made.exit_code == 0, made.output
        file = Path(json.loads(made.stdout)["file"])
        assert file.is_file()
        assert tmp_path / target in (file, file.parent)

    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", no_room)
    refused = run.invoke(app, ["backup", str(tmp_path / "other" / "folder")])
    assert (refused.exit_code, "No space left on device. Choose a folder" in refused.stderr) == (3, True)
    assert not (tmp_path / "other").exists()
