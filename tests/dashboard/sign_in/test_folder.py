"""Files that one process holds at a time, whatever ends it, and what becomes of those that nobody wants."""

import errno
import fcntl
import logging
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dashboard.sign_in import folder as folders
from dashboard.sign_in.folder import AGAIN_SECONDS, BEGUN, LISTED_SECONDS, LOCK, Folder, Held
from tests.support.own_thread import in_this_thread
from tests.support.sign_in import session_files
from tests.support.waiting import LIMIT_SECONDS

NAME, OTHER = "0" * 32, "f" * 32
HOLD = """
import sys
from pathlib import Path
from dashboard.sign_in.folder import Folder
folder = Folder(Path(sys.argv[1]))
print(folder.save(sys.argv[2], b"of another process"), flush=True)
sys.stdin.read()
"""


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "home" / "sessions"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make(root: Path, clock: Clock) -> Iterator[Callable[[], Folder]]:
    made: list[Folder] = []

    def one() -> Folder:
        made.append(Folder(root, clock=clock))
        return made[-1]

    yield one
    for each in made:
        each.close()


Make = Callable[[], Folder]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_nothing_is_made_before_it_is_needed(root: Path, make: Make) -> None:
    folder = make()
    assert folder.adopt(NAME) is None
    folder.drop(NAME)
    folder.sweep(1, 1)
    assert not root.exists()


def test_all_is_private_whatever_the_mask_and_whatever_was_there(root: Path, make: Make) -> None:
    root.mkdir(parents=True)
    root.chmod(0o755)
    modes: list[int] = []
    fsync, before = os.fsync, os.umask(0)

    def look(descriptor: int) -> None:
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        fsync(descriptor)

    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "fsync", in_this_thread(look, fsync))
            assert make().save(NAME, b"sealed")
    finally:
        os.umask(before)
    (file,) = session_files(root)
    assert (mode(root), mode(file.parent), mode(file), mode(file.parent / LOCK)) == (
        0o700,
        0o700,
        0o600,
        0o600,
    )
    assert modes == [0o600, 0o700], "the file before it had its name, and then its folder"


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    """By what is tested; threads of other tests may have something to say too."""
    return [record.message for record in caplog.records if record.name == folders.__name__]


def test_a_file_is_written_whole_or_not_at_all(
    root: Path, make: Make, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = make()
    assert folder.save(NAME, b"former")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk, caplog.at_level(logging.INFO):
        disk.setattr(os, "fsync", in_this_thread(full, os.fsync))
        for _ in range(3):
            assert not folder.save(NAME, b"later")
            clock.now += AGAIN_SECONDS
        assert len(said(caplog)) == 1, "told once"
        assert "No space left" in caplog.text
        assert [file.read_bytes() for file in session_files(root)] == [b"former"]
    assert folder.save(NAME, b"later"), "and it heals by itself"
    assert [file.read_bytes() for file in session_files(root)] == [b"later"]


def test_after_a_failure_the_disk_is_left_alone_for_a_while(root: Path, make: Make, clock: Clock) -> None:
    root.parent.mkdir()
    root.touch()  # a file where the folder ought to be, which stops root as well
    folder = make()
    assert not folder.save(NAME, b"sealed")
    root.unlink()
    assert not folder.save(NAME, b"sealed")
    clock.now += AGAIN_SECONDS
    assert folder.save(NAME, b"sealed")


def test_who_lives_is_left_what_is_theirs_and_who_is_gone_has_one_heir(root: Path, make: Make) -> None:
    owner, one, other = make(), make(), make()
    assert owner.save(NAME, b"sealed")
    with pytest.raises(Held):
        one.adopt(NAME)
    owner.close()
    assert not owner.save(NAME, b"later"), "who let go writes nothing more"
    assert one.adopt(NAME) == b"sealed"
    with pytest.raises(Held):
        other.adopt(NAME)
    assert one.save(NAME, b"later")
    one.close()
    assert other.adopt(NAME) == b"later"
    other.drop(NAME)
    assert session_files(root) == []


def adopted(heir: Folder, name: str) -> bytes | None:
    try:
        return heir.adopt(name)
    except Held:
        return None


def test_who_comes_right_after_another_heir_is_told_to_try_again(
    root: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, one, other = make(), make(), make()
    owner.save(NAME, b"sealed")
    owner.close()
    read = folders._content

    def late(file: Path) -> bytes | None:
        with monkeypatch.context() as disk:
            disk.setattr(folders, "_content", read)
            assert one.adopt(NAME) == b"sealed"
        return read(file)

    monkeypatch.setattr(folders, "_content", late)
    with pytest.raises(Held):
        other.adopt(NAME)


def test_of_many_that_come_for_one_at_once_one_gets_it(root: Path, make: Make) -> None:
    owner, heirs = make(), [make() for _ in range(8)]
    names = [f"{number:032x}" for number in range(20)]
    for name in names:
        owner.save(name, name.encode())
    owner.close()
    together = threading.Barrier(len(heirs))

    def take(heir: Folder) -> list[bytes | None]:
        together.wait(LIMIT_SECONDS)
        return [adopted(heir, name) for name in names]

    with ThreadPoolExecutor(len(heirs)) as pool:
        taken = list(pool.map(take, heirs))
    for name, got in zip(names, zip(*taken, strict=True), strict=True):
        assert [content for content in got if content is not None] == [name.encode()]


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_what_another_process_held_is_free_when_it_is_gone_and_not_before(
    root: Path, make: Make, end: signal.Signals
) -> None:
    folder = make()
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(root), NAME], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"True\n"
        with pytest.raises(Held):
            folder.adopt(NAME)
        other.send_signal(end)
        other.wait(LIMIT_SECONDS)
    finally:
        other.kill()
        other.communicate()
    assert folder.adopt(NAME) == b"of another process"


def test_a_flood_of_strangers_lists_the_folders_once(
    make: Make, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        make().save(f"{number:032x}", b"sealed")
    stranger, scan, listed = make(), os.scandir, []

    def counted(path: Path) -> object:
        listed.append(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", in_this_thread(counted, scan))
    before = dict(vars(stranger))
    assert [stranger.adopt(f"{number:032x}") for number in range(100, 1100)] == [None] * 1000
    assert len(listed) == 1
    changed = {name for name, value in vars(stranger).items() if before[name] != value}
    assert changed == {"_listed", "_listed_until"}, "of strangers nothing is remembered"
    clock.now += LISTED_SECONDS
    stranger.adopt(OTHER)
    assert len(listed) == 2


@pytest.mark.parametrize("fault", [errno.EMFILE, errno.EIO])
def test_a_file_that_cannot_be_read_for_a_moment_is_found_the_next_time(
    root: Path, make: Make, monkeypatch: pytest.MonkeyPatch, fault: int
) -> None:
    owner, heir = make(), make()
    owner.save(NAME, b"sealed")
    owner.close()
    opened = os.open

    def fail(path: Path, flags: int, mode: int = 0o777) -> int:
        if path.name == NAME:
            raise OSError(fault, os.strerror(fault))
        return opened(path, flags, mode)

    with monkeypatch.context() as disk:
        disk.setattr(os, "open", in_this_thread(fail, opened))
        assert heir.adopt(NAME) is None
    assert heir.adopt(NAME) == b"sealed"


def test_a_link_in_place_of_a_file_is_taken_and_empty(root: Path, make: Make, tmp_path: Path) -> None:
    owner, heir = make(), make()
    owner.save(NAME, b"sealed")
    (file,) = session_files(root)
    file.unlink()
    (tmp_path / "elsewhere").write_bytes(b"of somebody else")
    file.symlink_to(tmp_path / "elsewhere")
    owner.close()
    assert heir.adopt(NAME) == b""
    heir.drop(NAME)
    assert (tmp_path / "elsewhere").read_bytes() == b"of somebody else"


def test_the_folder_that_somebody_removed_is_made_anew(root: Path, make: Make) -> None:
    folder = make()
    folder.save(NAME, b"sealed")
    (file,) = session_files(root)
    file.unlink()
    (file.parent / LOCK).unlink()
    file.parent.rmdir()
    folder.drop(NAME)
    assert folder.save(NAME, b"again")
    assert [found.read_bytes() for found in session_files(root)] == [b"again"]


def aged(file: Path, seconds: float) -> None:
    at = file.stat().st_mtime - seconds
    os.utime(file, (at, at))


def test_what_nobody_came_back_for_is_removed_and_then_its_folder(root: Path, make: Make) -> None:
    owner, sweeper = make(), make()
    for name in (NAME, OTHER, "a" * 32):
        owner.save(name, b"sealed")
    own = session_files(root)[0].parent
    aged(own / NAME, 101)
    aged(own / OTHER, -11)  # of a clock that was put back since
    aged(own / ("a" * 32), 90)
    (own / f".{NAME}.new").write_bytes(b"torn")
    (own / "notes.txt").touch()
    sweeper.sweep(100, 10)
    assert len(session_files(root)) == 5, "its owner lives"
    owner.close()
    sweeper.sweep(100, 10)
    assert {file.name for file in session_files(root)} == {"a" * 32, "notes.txt"}
    assert sweeper.adopt("a" * 32) == b"sealed"
    sweeper.sweep(100, 10)
    assert own.is_dir(), "what is none of ours is left alone"
    (own / "notes.txt").unlink()
    sweeper.sweep(100, 10)
    assert not own.exists()
    assert len(list(root.iterdir())) == 1


def test_without_its_lock_a_folder_is_cleared_all_the_same(root: Path, make: Make) -> None:
    owner, sweeper = make(), make()
    for name in (NAME, OTHER):
        owner.save(name, b"sealed")
    owner.close()
    own = session_files(root)[0].parent
    (own / LOCK).unlink()
    aged(own / NAME, 101)
    sweeper.sweep(100, 10)
    assert [file.name for file in session_files(root)] == [OTHER]
    aged(own / OTHER, 101)
    sweeper.sweep(100, 10)
    assert list(root.iterdir()) == []


@pytest.mark.parametrize("again", ["sweep", "close"])
def test_what_cannot_be_removed_is_tried_again(
    root: Path,
    make: Make,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    again: str,
) -> None:
    folder = make()
    for name in (NAME, OTHER):
        folder.save(name, b"sealed")

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as disk, caplog.at_level(logging.WARNING):
        disk.setattr(Path, "unlink", in_this_thread(fail, Path.unlink))
        folder.drop(NAME)
        folder.drop(OTHER)
        folder.sweep(100, 10)
    assert len(said(caplog)) == 2, "each is told once"
    assert folder.save(OTHER, b"new tokens")
    if again == "sweep":
        folder.sweep(100, 10)
    else:
        folder.close()
    assert [file.read_bytes() for file in session_files(root)] == [b"new tokens"], (
        "what is written anew stays"
    )


def test_what_is_over_is_removed_although_what_is_new_could_not_be_written(
    root: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make()
    folder.save(NAME, b"used up")

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as disk:
        disk.setattr(Path, "unlink", in_this_thread(fail, Path.unlink))
        folder.drop(NAME)
        assert not folder.save(NAME, b"new tokens")
    folder.sweep(100, 10)
    assert session_files(root) == []


def test_folders_that_were_never_finished_go_with_time(root: Path, make: Make) -> None:
    sweeper = make()
    sweeper.save(NAME, b"sealed")
    begun, locked, cleared = root / f"{BEGUN}0_a", root / f"{BEGUN}1_b", root / ("0" * 16)
    for each in (begun, locked, cleared):
        each.mkdir()
    (locked / LOCK).touch()
    sweeper.sweep(100, 10)
    assert (begun.exists(), locked.exists(), cleared.exists()) == (True, True, False)
    aged(begun, 101)
    aged(locked, 101)
    sweeper.sweep(100, 10)
    assert [each.name for each in root.iterdir()] == [session_files(root)[0].parent.name]


def test_folders_of_others_are_left_alone_and_nothing_is_taken_from_them(root: Path, make: Make) -> None:
    others = [
        root / name for name in ("lost+found", "of-somebody", ".snapshot", "0" * 15, "A" * 16, ".tmp1_a")
    ]
    for other in others:
        other.mkdir(parents=True)
    (others[0] / LOCK).touch()
    (others[0] / NAME).write_bytes(b"of somebody")
    for path in (others[0] / NAME, *others):
        aged(path, 101)
    folder = make()
    assert folder.adopt(NAME) is None
    folder.sweep(100, 10)
    assert all(other.is_dir() for other in others)
    assert (others[0] / NAME).read_bytes() == b"of somebody"


def test_a_folder_is_seen_as_unfinished_until_it_is_locked(
    root: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, seen = make(), []

    def look(*_: int) -> None:
        aged(root / next(iter(os.listdir(root))), 101)
        seen.extend([other._others(), other._folders()])
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", in_this_thread(look, fcntl.flock))
        assert not make().save(NAME, b"sealed")
    listed, begun = seen
    assert (listed, len(begun)) == ([], 1)
    other.sweep(100, 10)
    assert list(root.iterdir()) == []


def test_heirs_stand_in_nobodys_way(root: Path, make: Make) -> None:
    """Else one would take the other for the owner, and turn people away."""
    owner, heir = make(), make()
    owner.save(NAME, b"sealed")
    owner.close()
    own = session_files(root)[0].parent
    with folders._as_heir(own):
        heir.sweep(100, 10)
        assert heir.adopt(NAME) == b"sealed"
