import json
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from backend.auth import key_format, local_key_file, service
from backend.auth.api_keys import KeyInfo
from backend.auth.tables import api_keys
from backend.errors import BadRequest
from backend.store.database import Database
from tests.support.test_session.thread_isolation import in_this_thread
from tests.support.waiting import LIMIT_SECONDS

LATER = timedelta(days=1)
UNKNOWN = "cp_localv1" + "0" * 32 + "_" + key_format.checksum("cp_localv1" + "0" * 32)
STARTS = """
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from backend.auth import service
from backend.store.database import Database

for line in sys.stdin:
    url, file = json.loads(line)
    database = Database(url)
    print("ready", flush=True)
    sys.stdin.readline()
    service.ensure_local_key(database, Path(file), datetime.now(UTC))
    database.dispose()
    print("done", flush=True)
"""
"""Reads a database and a file from a line, and creates the local key there at the next line; repeats this."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "local.key"


def live_keys(database: Database, now: datetime) -> list[KeyInfo]:
    return [key for key in service.list_keys(database) if key.state(now) == "active"]


def load_key_id(file: Path, database: Database) -> str:
    with database.read() as connection:
        query = sa.select(api_keys.c.id).where(api_keys.c.digest == key_format.digest(file.read_text()))
        found: str = connection.execute(query).scalar_one()
        return found


def test_a_first_start_makes_one_local_key_and_its_file(
    database: Database, file: Path, now: datetime
) -> None:
    service.ensure_local_key(database, file, now)
    [key] = service.list_keys(database)
    assert (key.env, key.kind, key.scopes, key.expires_at) == (
        "local",
        "api",
        ("read", "write", "ingest", "admin"),
        None,
    )
    assert key_format.parse(file.read_text()) == key_format.ParsedKey(env="local", terminal=False)
    assert load_key_id(file, database) == key.id


def test_key_file_and_its_new_folder_are_private_to_the_owner(
    database: Database, file: Path, now: datetime
) -> None:
    before = os.umask(0)
    try:
        service.ensure_local_key(database, file, now)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_key_file_is_created_with_private_permissions(
    database: Database, file: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: list[int] = []
    replace = os.replace

    def watched(source: Path, target: Path) -> None:
        modes.append(stat.S_IMODE(os.stat(source).st_mode))
        replace(source, target)

    opened = os.open

    def watched_open(path: Path, flags: int, mode: int = 0o777) -> int:
        descriptor = opened(path, flags, mode)
        if flags & os.O_CREAT:
            modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return descriptor

    monkeypatch.setattr(os, "replace", in_this_thread(watched, replace))
    monkeypatch.setattr(os, "open", in_this_thread(watched_open, opened))
    before = os.umask(0)
    try:
        service.ensure_local_key(database, file, now)
    finally:
        os.umask(before)
    assert modes == [0o600, 0o600]


def test_a_second_start_changes_nothing(database: Database, file: Path, now: datetime) -> None:
    service.ensure_local_key(database, file, now)
    text, keys = file.read_text(), service.list_keys(database)
    service.ensure_local_key(database, file, now + LATER)
    assert (file.read_text(), service.list_keys(database)) == (text, keys)


def test_local_key_is_created_when_other_keys_exist(database: Database, file: Path, now: datetime) -> None:
    service.create_key(database, name="desk", scopes=["read"], now=now)
    service.ensure_local_key(database, file, now)
    assert sorted(key.env for key in live_keys(database, now)) == ["live", "local"]


@pytest.mark.parametrize("content", [UNKNOWN.encode(), b"", b"\xff\xfe", b"not a key\n"])
def test_key_file_with_an_unknown_key_is_replaced(
    database: Database, file: Path, now: datetime, content: bytes
) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    service.ensure_local_key(database, file, now)
    assert file.read_bytes() != content
    [key] = live_keys(database, now)
    assert load_key_id(file, database) == key.id


def test_local_key_with_a_mismatched_file_is_replaced_by_a_new_one(
    database: Database, file: Path, now: datetime
) -> None:
    service.ensure_local_key(database, file, now)
    [old] = service.list_keys(database)
    file.write_text(UNKNOWN)
    service.ensure_local_key(database, file, now + LATER)
    [new] = live_keys(database, now + LATER)
    assert new.id != old.id
    assert load_key_id(file, database) == new.id


def test_missing_key_file_revokes_the_local_key_and_creates_a_new_one(
    database: Database, file: Path, now: datetime
) -> None:
    service.ensure_local_key(database, file, now)
    old = file.read_text()
    file.unlink()
    service.ensure_local_key(database, file, now + LATER)
    first, second = service.list_keys(database)
    assert (first.revoked_at, second.revoked_at) == (now + LATER, None)
    assert file.read_text() != old
    assert load_key_id(file, database) == second.id


def test_second_loss_of_the_file_keeps_the_first_revocation_time(
    database: Database, file: Path, now: datetime
) -> None:
    for days in range(3):
        service.ensure_local_key(database, file, now + days * LATER)
        file.unlink()
    ends = [key.revoked_at for key in service.list_keys(database)]
    assert ends == [now + LATER, now + 2 * LATER, None]


@pytest.mark.parametrize("file_is_left", [True, False])
def test_explicitly_revoked_local_key_is_not_recreated(
    database: Database, file: Path, now: datetime, file_is_left: bool
) -> None:
    service.ensure_local_key(database, file, now)
    service.revoke_key(database, service.list_keys(database)[0].id, now)
    if not file_is_left:
        file.unlink()
    service.ensure_local_key(database, file, now + LATER)
    assert live_keys(database, now) == []
    assert file.exists() is file_is_left


def test_machines_that_share_a_database_have_separate_local_keys(
    database: Database, tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {name: tmp_path / name / "local.key" for name in ("one", "two")}
    for name, file in files.items():
        monkeypatch.setattr(socket, "gethostname", lambda name=name: name)
        service.ensure_local_key(database, file, now)
    assert len(live_keys(database, now)) == 2
    assert len({file.read_text() for file in files.values()}) == 2


def test_data_folders_that_share_a_database_have_separate_local_keys(
    database: Database, tmp_path: Path, now: datetime
) -> None:
    files = [tmp_path / name / "local.key" for name in ("one", "two")]
    for file in (*files, *files):
        service.ensure_local_key(database, file, now)
    assert len(live_keys(database, now)) == 2
    assert len({file.read_text() for file in files}) == 2


def test_permissions_of_a_world_readable_key_file_are_restored(
    database: Database, file: Path, now: datetime
) -> None:
    service.ensure_local_key(database, file, now)
    file.chmod(0o644)
    service.ensure_local_key(database, file, now)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_temporary_files_of_a_killed_process_are_deleted(
    database: Database, file: Path, now: datetime
) -> None:
    file.parent.mkdir()
    (file.parent / ".local.key.new").write_text("half a k")
    service.ensure_local_key(database, file, now)
    assert [path.name for path in file.parent.iterdir()] == ["local.key"]


def test_key_file_of_a_failed_commit_is_replaced_at_the_next_start(
    database: Database, file: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = local_key_file.write

    def write_and_die(file: Path, key: str) -> None:
        write(file, key)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(local_key_file, "write", write_and_die)
        with pytest.raises(KeyboardInterrupt):
            service.ensure_local_key(database, file, now)
    assert service.list_keys(database) == []
    service.ensure_local_key(database, file, now)
    [key] = service.list_keys(database)
    assert load_key_id(file, database) == key.id


def test_failed_file_write_creates_no_key(
    database: Database, file: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raise_no_space(source: Path, target: Path) -> None:
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(os, "replace", in_this_thread(raise_no_space, os.replace))
    with pytest.raises(OSError, match="No space left"):
        service.ensure_local_key(database, file, now)
    assert service.list_keys(database) == []
    assert list(file.parent.iterdir()) == []


def test_local_key_name_is_reserved(database: Database, now: datetime) -> None:
    name = f"local key of {socket.gethostname()}"
    with pytest.raises(BadRequest, match="are kept for"):
        service.create_key(database, name=name, scopes=["read"], env="local", now=now)


def test_threads_that_start_at_once_make_one_key(database: Database, file: Path, now: datetime) -> None:
    together = threading.Barrier(8)

    def start() -> None:
        together.wait()
        service.ensure_local_key(database, file, now)

    with ThreadPoolExecutor(8) as pool:
        for started in [pool.submit(start) for _ in range(8)]:
            started.result()
    [key] = service.list_keys(database)
    assert load_key_id(file, database) == key.id


@pytest.fixture(scope="module")
def starting_processes() -> Iterator[list[subprocess.Popen[str]]]:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", STARTS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    yield processes
    for process in processes:
        process.kill()
        process.communicate()


def send_line(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def assert_answer(process: subprocess.Popen[str], answer: str) -> None:
    assert process.stdout is not None
    assert process.stderr is not None
    limit = threading.Timer(LIMIT_SECONDS, process.kill)
    limit.start()
    line = process.stdout.readline()
    limit.cancel()
    assert line == f"{answer}\n", line or process.stderr.read()


@pytest.mark.processes
@pytest.mark.parametrize("before", ["nothing", "a lost file", "a foreign file"])
def test_concurrent_processes_create_one_local_key(
    starting_processes: list[subprocess.Popen[str]],
    database: Database,
    file: Path,
    now: datetime,
    before: str,
) -> None:
    if before != "nothing":
        service.ensure_local_key(database, file, now)
        file.unlink()
    if before == "a foreign file":
        file.write_text(UNKNOWN)
    for process in starting_processes:
        send_line(process, json.dumps([database.url, str(file)]))
        assert_answer(process, "ready")
    for process in starting_processes:
        send_line(process, "go")
    for process in starting_processes:
        assert_answer(process, "done")
    [key] = live_keys(database, now + LATER)
    assert load_key_id(file, database) == key.id
    assert len(service.list_keys(database)) == (1 if before == "nothing" else 2)


def test_local_key_of_an_earlier_version_gets_the_missing_scope_and_other_keys_do_not(
    database: Database, file: Path, now: datetime
) -> None:
    service.ensure_local_key(database, file, now)
    other = service.create_key(database, name="desk", scopes=["read"], env="local", now=now)
    with database.write() as connection:
        is_local = api_keys.c.name.startswith("local key of ")
        connection.execute(sa.update(api_keys).where(is_local).values(scopes="read write ingest"))
    text = file.read_text()

    service.ensure_local_key(database, file, now + LATER)

    scopes = {key.id: key.scopes for key in service.list_keys(database)}
    assert scopes == {
        load_key_id(file, database): ("read", "write", "ingest", "admin"),
        other.info.id: ("read",),
    }
    assert file.read_text() == text
    file.write_text(other.key)
    service.ensure_local_key(database, file, now + LATER)
    assert {key.id: key.scopes for key in service.list_keys(database)} == scopes
