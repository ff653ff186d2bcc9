"""What a restore refuses, before anything is touched; and a restore that is killed."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from backend.backup.archive import MANIFEST, ArchiveDamaged
from backend.backup.service import verify
from backend.errors import BadRequest, Conflict, Unavailable
from backend.store.data_lock import STAGING_FOLDER, DataLock
from backend.store.database import Database, change_counters
from tests.backend.backup.conftest import Install, Installation
from tests.support.databases import Store
from tests.support.own_thread import in_this_thread


def mark(here: Installation, n: int) -> None:
    with here.open() as database, database.write() as connection:
        connection.execute(sa.delete(change_counters))
        connection.execute(sa.insert(change_counters).values(topic="marked", n=n))


def marked(here: Installation) -> int:
    [row] = here.rows(change_counters)
    return int(row.n) % 1_000


@pytest.fixture
def here(install: Install) -> Installation:
    here = install("sqlite")
    mark(here, 1)
    (here.home / "assets.yaml").write_text("assets: []\n")
    return here


@pytest.fixture
def file(here: Installation, tmp_path: Path) -> Path:
    """A backup of ``here``, which has changed since."""
    written = here.back_up(tmp_path / "b.zip").file
    mark(here, 2)
    return written


def rewrite(file: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """The archive with other parts, each of which zip itself finds whole."""
    with zipfile.ZipFile(file) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    change(parts)
    with zipfile.ZipFile(file, "w") as new:
        for name, content in parts.items():
            new.writestr(name, content)


def change_manifest(file: Path, **more: Any) -> None:
    def change(parts: dict[str, bytes]) -> None:
        parts[MANIFEST] = json.dumps({**json.loads(parts[MANIFEST]), **more}).encode()

    rewrite(file, change)


def test_nobody_opens_a_store_that_is_being_restored(here: Installation) -> None:
    with DataLock(here.home / "chainproof.db", exclusive=True), pytest.raises(Unavailable, match="restored"):
        Database(here.settings.app_database_url)
    with here.open():
        pass


def test_data_that_are_there_are_never_replaced(install: Install, tmp_path: Path, kind: Store) -> None:
    here = install(kind)
    mark(here, 1)
    file = here.back_up(tmp_path / "b.zip").file
    mark(here, 2)
    with pytest.raises(Conflict, match=r"empty .* 1\. .* 2\. Run the same command again"):
        here.restore(file)
    assert marked(here) == 2
    with pytest.raises(Conflict, match="--overwrite"):
        here.back_up(file)


def test_a_backup_of_a_newer_schema_is_refused(here: Installation, file: Path) -> None:
    change_manifest(file, schema="9999", version="7.0")
    with pytest.raises(Conflict, match=r"version 7\.0.* 9999 is newer"):
        here.restore(file)
    assert marked(here) == 2


def test_a_store_of_a_newer_schema_is_backed_up_by_its_own_version(
    here: Installation, tmp_path: Path
) -> None:
    with here.open() as database, database.write() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(Conflict, match="9999"):
        here.back_up(tmp_path / "b.zip")
    assert list(tmp_path.glob("*.zip*")) == []


def lose_a_row(parts: dict[str, bytes]) -> None:
    parts["tables/change_counters.jsonl"] = b""


def change_a_byte(parts: dict[str, bytes]) -> None:
    parts["tables/change_counters.jsonl"] = parts["tables/change_counters.jsonl"].replace(b"1", b"3")


def lose_a_part(parts: dict[str, bytes]) -> None:
    del parts["files/assets.yaml"]


def grow(parts: dict[str, bytes]) -> None:
    parts["files/assets.yaml"] += b" " * 10_000_000


def lose_the_manifest(parts: dict[str, bytes]) -> None:
    del parts[MANIFEST]


@pytest.mark.parametrize("harm", [lose_a_row, change_a_byte, lose_a_part, grow, lose_the_manifest])
def test_an_archive_that_is_not_what_its_manifest_says_is_refused_whole(
    here: Installation, file: Path, harm: Callable[[dict[str, bytes]], None]
) -> None:
    rewrite(file, harm)
    with pytest.raises(ArchiveDamaged, match=r"damaged|whole"):
        verify(file)
    with pytest.raises(ArchiveDamaged):
        here.restore(file)
    assert marked(here) == 2


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_archive_is_refused(here: Installation, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ArchiveDamaged):
        here.restore(tmp_path / "x")
    with pytest.raises(BadRequest, match="There is no file"):
        here.restore(tmp_path / "y")


def test_an_archive_cut_short_is_refused(here: Installation, file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(ArchiveDamaged, match="whole"):
        here.restore(file)


@pytest.mark.parametrize("path", ["files/../x", "files//etc/x", "files/a/../../x", "files/C:\\x", "files/"])
def test_no_file_leaves_the_data_folder(here: Installation, file: Path, path: str) -> None:
    change_manifest(file, files=[{"path": path, "size": 0, "sha256": ""}])
    with pytest.raises(ArchiveDamaged, match="outside"):
        here.restore(file)


def test_settings_of_another_store_are_not_put_in_place(
    here: Installation, install: Install, tmp_path: Path
) -> None:
    (here.home / "chainproof.toml").write_text('database_url = "postgresql://elsewhere/x"\n')
    file = here.back_up(tmp_path / "b.zip").file
    there = install("sqlite", empty=True)
    with pytest.raises(Conflict, match="database_url"):
        there.restore(file)
    there.restore(file, data_only=True)


class Killed(BaseException):
    """As if the process ended here."""


def test_nobody_opens_a_folder_in_which_a_restore_was_killed_and_a_second_one_finishes_it(
    here: Installation, file: Path, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = install("sqlite", empty=True)

    def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", in_this_thread(kill, Path.rename))
        for cleaning in ("restore_sqlite.shutil.rmtree", "restore_files.Path.unlink"):
            patch.setattr(f"backend.backup.{cleaning}", lambda *_, **__: None)  # which it does not come to
        with pytest.raises(Killed):
            there.restore(file)
    assert (there.home / "assets.yaml").exists()
    with pytest.raises(Unavailable, match="interrupted"):
        Database(there.settings.app_database_url)

    there.restore(file)
    assert marked(there) == 1
    assert not (there.home / STAGING_FOLDER).exists()


def test_a_restore_that_fails_leaves_the_folder_empty(
    file: Path, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = install("sqlite", empty=True)

    def fail(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", in_this_thread(fail, Path.rename))
        with pytest.raises(OSError):
            there.restore(file)
    assert [path.name for path in there.home.iterdir()] == ["chainproof.db.lock"]
