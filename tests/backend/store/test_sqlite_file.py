"""Tests folders that cannot hold a store: one error message, an exit code, and no change on the disk."""

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from backend.cli.commands import app
from backend.jobs.engine import store_engine
from backend.store import sqlite_file
from backend.store.database import Database
from backend.store.sqlite_file import explain_failure
from tests.support.store.data_folders import set_up_home

run = CliRunner()


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    return set_up_home(tmp_path, monkeypatch)


def content(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def text_file(store: Path) -> None:
    store.write_text("not a database, and longer than a header")


def folder(store: Path) -> None:
    store.mkdir()


def database_of_another_program(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")


def store_of_an_unknown_schema(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('a1b2c3d4')")
        connection.commit()
    store.with_name("chainproof.db.lock").touch(0o600)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (text_file, "is not an SQLite database. Move it away"),
        (folder, "is a folder where the data store must be a file. Move it away"),
        (database_of_another_program, "is the database of another program. Move it away"),
        (store_of_an_unknown_schema, "schema 'a1b2c3d4', which no version"),
    ],
)
def test_foreign_database_file_is_rejected_and_left_unchanged(
    home: Path, tmp_path: Path, make: Callable[[Path], None], words: str
) -> None:
    home.mkdir()
    make(home / "chainproof.db")
    before = content(tmp_path)
    for command in (["migrate"], ["keys", "create", "--name", "x"], ["worker"]):
        answer = run.invoke(app, command)
        assert (answer.exit_code, answer.stderr.count("\n")) == (3, 1), answer.output
        assert words in answer.stderr
    refused = run.invoke(app, ["backup", str(tmp_path / "new" / "folder")])
    assert refused.exit_code in (2, 3), refused.output
    assert content(tmp_path) == before


def test_insufficient_disk_space_is_reported_before_anything_is_written(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file.shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000))
    answer = run.invoke(app, ["migrate"])
    assert (answer.exit_code, answer.stderr.count("\n")) == (3, 1), answer.output
    assert "less than the 64 MB free that a new store needs. Free some space" in answer.stderr
    assert not home.exists()


def test_a_new_store_can_be_read_by_its_user_alone(home: Path) -> None:
    home.mkdir(mode=0o755)
    assert run.invoke(app, ["migrate"]).exit_code == 0
    Database(f"sqlite:///{home}/chainproof.db").dispose()
    assert stat.S_IMODE((home / "chainproof.db").stat().st_mode) == 0o600
    store_engine(f"sqlite:///{home}/jobs.db").connect().close()
    assert stat.S_IMODE((home / "jobs.db").stat().st_mode) == 0o600


def test_existing_database_is_not_opened_on_a_full_disk(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run.invoke(app, ["migrate"]).exit_code == 0
    before = content(home)
    monkeypatch.setattr(sqlite_file.shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    answer = run.invoke(app, ["keys", "list"])
    assert (answer.exit_code, "is full. Free some space" in answer.stderr) == (3, True)
    assert content(home) == before


def test_unwritable_folder_is_reported_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.access
    monkeypatch.setattr(sqlite_file.os, "access", lambda path, mode: mode != os.W_OK and real(path, mode))
    monkeypatch.setattr(sqlite_file.shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    answer = run.invoke(app, ["migrate"])
    assert (answer.exit_code, "home cannot be written. Set CHAINPROOF_HOME" in answer.stderr) == (3, True)


def test_file_in_place_of_the_data_folder_is_reported(home: Path) -> None:
    home.write_text("x")
    answer = run.invoke(app, ["migrate"])
    assert (answer.exit_code, "home is a file. Set CHAINPROOF_HOME" in answer.stderr) == (3, True)
    assert home.read_text() == "x"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("database disk image is malformed", "is damaged"),
        ("database is locked", "Another program holds"),
        ("database or disk is full", "is full. Free some space"),
        ("something else", "does not answer: something else."),
    ],
)
def test_sqlite_errors_are_reported_with_a_fix(tmp_path: Path, reason: str, words: str) -> None:
    file = tmp_path / "chainproof.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
    assert words in explain_failure(file, reason)


def test_corrupt_database_is_reported_in_one_message(home: Path) -> None:
    assert run.invoke(app, ["migrate"]).exit_code == 0
    file = home / "chainproof.db"
    raw = bytearray(file.read_bytes())
    raw[100:4096] = bytes(3996)
    file.write_bytes(raw)
    answer = run.invoke(app, ["keys", "list"])
    assert (answer.exit_code, answer.stderr.count("\n")) == (3, 1), answer.output
    assert "is damaged" in answer.stderr
