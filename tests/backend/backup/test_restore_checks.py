"""Tests the checks before a restore, and a restore that is killed."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from backend.backup.archive import MANIFEST, DamagedArchiveError
from backend.backup.service import verify
from backend.errors import BadRequest, Conflict, Unavailable
from backend.store.data_lock import STAGING_FOLDER, DataLock
from backend.store.database import Database, change_counters
from tests.backend.backup.conftest import Install, Installation
from tests.support.store.databases import Store
from tests.support.test_session.thread_isolation import in_this_thread


def write_marker(source: Installation, n: int) -> None:
    with source.open() as database, database.write() as connection:
        connection.execute(sa.delete(change_counters))
        connection.execute(sa.insert(change_counters).values(topic="marked", n=n))


def read_marker(source: Installation) -> int:
    [row] = source.read_rows(change_counters)
    return int(row.n) % 1_000


@pytest.fixture
def source(install: Install) -> Installation:
    source = install("sqlite")
    write_marker(source, 1)
    (source.home / "assets.yaml").write_text("assets: []\n")
    return source


@pytest.fixture
def file(source: Installation, tmp_path: Path) -> Path:
    """Back up ``source``, then change it."""
    backup = source.back_up(tmp_path / "b.zip").file
    write_marker(source, 2)
    return backup


def rewrite(file: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """Replace parts of the archive, so that it is still a valid zip file."""
    with zipfile.ZipFile(file) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    change(parts)
    with zipfile.ZipFile(file, "w") as new:
        for name, content in parts.items():
            new.writestr(name, content)


def change_manifest(file: Path, **values: Any) -> None:
    def change(parts: dict[str, bytes]) -> None:
        parts[MANIFEST] = json.dumps({**json.loads(parts[MANIFEST]), **values}).encode()

    rewrite(file, change)


def test_a_store_that_is_being_restored_cannot_be_opened(source: Installation) -> None:
    with (
        DataLock(source.home / "chainproof.db", exclusive=True),
        pytest.raises(Unavailable, match="restored"),
    ):
        Database(source.settings.app_database_url)
    with source.open():
        pass


def test_existing_data_is_never_replaced(install: Install, tmp_path: Path, kind: Store) -> None:
    source = install(kind)
    write_marker(source, 1)
    file = source.back_up(tmp_path / "b.zip").file
    write_marker(source, 2)
    with pytest.raises(Conflict, match=r"empty .* 1\. .* 2\. Run the same command again"):
        source.restore(file)
    assert read_marker(source) == 2
    with pytest.raises(Conflict, match="--overwrite"):
        source.back_up(file)


def test_a_backup_of_a_newer_schema_is_refused(source: Installation, file: Path) -> None:
    change_manifest(file, schema="9999", version="7.0")
    with pytest.raises(Conflict, match=r"version 7\.0.* 9999 is newer"):
        source.restore(file)
    assert read_marker(source) == 2


def test_a_store_of_a_newer_schema_is_not_backed_up(source: Installation, tmp_path: Path) -> None:
    with source.open() as database, database.write() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(Conflict, match="9999"):
        source.back_up(tmp_path / "b.zip")
    assert list(tmp_path.glob("*.zip*")) == []


def remove_a_row(parts: dict[str, bytes]) -> None:
    parts["tables/change_counters.jsonl"] = b""


def change_a_byte(parts: dict[str, bytes]) -> None:
    parts["tables/change_counters.jsonl"] = parts["tables/change_counters.jsonl"].replace(b"1", b"3")


def remove_a_part(parts: dict[str, bytes]) -> None:
    del parts["files/assets.yaml"]


def enlarge_a_part(parts: dict[str, bytes]) -> None:
    parts["files/assets.yaml"] += b" " * 10_000_000


def remove_the_manifest(parts: dict[str, bytes]) -> None:
    del parts[MANIFEST]


@pytest.mark.parametrize(
    "damage", [remove_a_row, change_a_byte, remove_a_part, enlarge_a_part, remove_the_manifest]
)
def test_an_archive_that_differs_from_its_manifest_is_refused(
    source: Installation, file: Path, damage: Callable[[dict[str, bytes]], None]
) -> None:
    rewrite(file, damage)
    with pytest.raises(DamagedArchiveError, match=r"damaged|complete"):
        verify(file)
    with pytest.raises(DamagedArchiveError):
        source.restore(file)
    assert read_marker(source) == 2


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x05\x06" + bytes(18)])
def test_other_files_are_refused(source: Installation, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(DamagedArchiveError):
        source.restore(tmp_path / "x")
    with pytest.raises(BadRequest, match="does not exist"):
        source.restore(tmp_path / "y")


def test_a_truncated_archive_is_refused(source: Installation, file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(DamagedArchiveError, match="complete"):
        source.restore(file)


@pytest.mark.parametrize("path", ["files/../x", "files//etc/x", "files/a/../../x", "files/C:\\x", "files/"])
def test_no_file_is_written_outside_the_data_folder(source: Installation, file: Path, path: str) -> None:
    change_manifest(file, files=[{"path": path, "size": 0, "sha256": ""}])
    with pytest.raises(DamagedArchiveError, match="outside"):
        source.restore(file)


def test_settings_that_name_another_store_are_not_restored(
    source: Installation, install: Install, tmp_path: Path
) -> None:
    (source.home / "chainproof.toml").write_text('database_url = "postgresql://elsewhere/x"\n')
    file = source.back_up(tmp_path / "b.zip").file
    target = install("sqlite", empty=True)
    with pytest.raises(Conflict, match="database_url"):
        target.restore(file)
    target.restore(file, data_only=True)


class Killed(BaseException):
    """Simulates the end of the process."""


def test_after_a_killed_restore_the_store_cannot_be_opened_and_a_second_restore_completes(
    source: Installation, file: Path, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = install("sqlite", empty=True)

    def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", in_this_thread(kill, Path.rename))
        for cleanup in ("restore_sqlite.shutil.rmtree", "restore_files.Path.unlink"):
            patch.setattr(
                f"backend.backup.{cleanup}", lambda *_, **__: None
            )  # a killed process does not clean up
        with pytest.raises(Killed):
            target.restore(file)
    assert (target.home / "assets.yaml").exists()
    with pytest.raises(Unavailable, match="interrupted"):
        Database(target.settings.app_database_url)

    target.restore(file)
    assert read_marker(target) == 1
    assert not (target.home / STAGING_FOLDER).exists()


def test_a_restore_that_fails_leaves_the_folder_empty(
    file: Path, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = install("sqlite", empty=True)

    def fail(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", in_this_thread(fail, Path.rename))
        with pytest.raises(OSError):
            target.restore(file)
    assert [path.name for path in target.home.iterdir()] == ["chainproof.db.lock"]
