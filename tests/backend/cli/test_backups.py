"""Tests ``chainproof backup`` and ``chainproof restore``."""

import errno
import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from backend.cli.commands import app
from tests.support.store.data_folders import set_up_home

run = CliRunner()


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    return set_up_home(tmp_path, monkeypatch)


def test_a_backup_is_written_verified_and_restored_to_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = json.loads(run.invoke(app, ["keys", "create", "--name", "ci", "--json"]).stdout)
    backup = run.invoke(app, ["backup", str(tmp_path), "--json"])
    assert backup.exit_code == 0, backup.output
    result = json.loads(backup.stdout)
    assert result["rows"]["api_keys"] == 1
    file = result["file"]

    verified = run.invoke(app, ["backup", "--verify", file])
    assert (verified.exit_code, "is complete" in verified.stdout) == (0, True)
    repeated = run.invoke(app, ["backup", file])
    assert (repeated.exit_code, "--overwrite" in repeated.stderr) == (2, True)
    refused = run.invoke(app, ["restore", file])
    assert (refused.exit_code, "2. Run the same command again" in refused.stderr) == (2, True)

    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path / "other"))
    restored = run.invoke(app, ["restore", file])
    assert restored.exit_code == 0, restored.output
    assert "Restored" in restored.stdout
    keys = json.loads(run.invoke(app, ["keys", "list", "--json"]).stdout)
    assert [found["id"] for found in keys] == [key["id"]]


def test_errors_are_one_sentence_and_an_exit_code(tmp_path: Path, home: Path) -> None:
    nothing = run.invoke(app, ["backup", str(tmp_path / "b.zip")])
    assert (nothing.exit_code, "nothing to back up" in nothing.stderr) == (2, True)
    assert not home.exists() or list(home.glob("*.db")) == [], "A failed backup creates no store."
    assert not (tmp_path / "b.zip").exists()
    (tmp_path / "damaged.zip").write_bytes(b"torn")
    damaged = run.invoke(app, ["backup", "--verify", str(tmp_path / "damaged.zip")])
    assert (damaged.exit_code, "not a complete backup archive" in damaged.stderr) == (1, True)
    for arguments in (["restore", str(tmp_path / "damaged.zip")], ["restore", str(tmp_path / "missing.zip")]):
        refused = run.invoke(app, arguments)
        assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1), refused.output


def test_a_backup_creates_its_folder_and_removes_it_if_the_backup_fails(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run.invoke(app, ["migrate"]).exit_code == 0
    for target in ("backups/monthly", "files/today.zip"):
        backup = run.invoke(app, ["backup", str(tmp_path / target), "--json"])
        assert backup.exit_code == 0, backup.output
        file = Path(json.loads(backup.stdout)["file"])
        assert file.is_file()
        assert tmp_path / target in (file, file.parent)

    def fail_without_space(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail_without_space)
    refused = run.invoke(app, ["backup", str(tmp_path / "other" / "folder")])
    assert (refused.exit_code, "No space left on device. Choose a writable folder" in refused.stderr) == (
        3,
        True,
    )
    assert not (tmp_path / "other").exists()
