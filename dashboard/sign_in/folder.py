"""The files of the people who are signed in: each is held by one process at a time.

Every process has a folder of its own below a common one, with a lock that it holds alone for as long as it
lives; the operating system gives that back, however the process went. Whoever can share the lock of a folder
knows that its owner is gone, and may take a file over: by a rename, which one of any number gets. Nobody ever
puts anything into the folder of the dead, so that an empty one can be removed.
"""

import contextlib
import errno
import fcntl
import logging
import os
import re
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from backend.data_lock import sync_folder

LOCK = "owner.lock"
UNFINISHED = "."
"""How the names begin of files and folders that are being made."""
LISTED_SECONDS = 1.0
"""How long it is kept which folders there are, so that a flood of strangers' cookies lists them once."""
AGAIN_SECONDS = 30.0
"""Between two tries to write, where that failed."""
LARGEST_BYTES = 64 * 1024
_OURS = re.compile(r"[0-9a-f]{32}|\.[0-9a-f]{32}\.new")
BEGUN = f"{UNFINISHED}chainproof-"
_FOLDER = re.compile(rf"[0-9a-f]{{16}}|{re.escape(BEGUN)}[a-z0-9_]+")
"""The folders that are looked at; in a common one there may be others, ``lost+found`` for one."""
log = logging.getLogger(__name__)


class Held(Exception):
    """A process that lives has it, which may be about to end."""


class Folder:
    """This process's folder below ``root``, made when it is first needed, and the way to those of the dead.

    Nothing here raises an ``OSError``: where the disk does not do what it should, that is logged once, and
    the session in question lives in memory alone. Every method may be called from any thread; calls for one
    name come one after the other. ``clock`` counts seconds, monotonically; ``wall`` since 1970.
    """

    def __init__(
        self,
        root: Path,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._root = root
        self._clock = clock
        self._wall = wall
        self._lock = threading.Lock()
        self._held: tuple[Path, int] | None = None
        self._closed = False
        self._listed: list[Path] = []
        self._listed_until = self._not_before = float("-inf")
        self._failing = False
        self._removing = threading.Lock()
        self._unremoved: set[str] = set()

    def save(self, name: str, content: bytes) -> bool:
        """Put ``content`` into the file ``name``, durably; a reader sees the former content or this, whole.
        Whether it was done: after a failure nothing is tried for a while."""
        if self._clock() < self._not_before:
            return False
        with self._removing:  # from now on it is not what was to be removed
            stale = name in self._unremoved
            self._unremoved.discard(name)
        try:
            _write(self._own() / name, content)
        except OSError as fault:
            self._tell(fault)
            if stale:
                self._unremoved.add(name)
            return False
        if self._failing:
            self._failing = False
            log.warning("Sign-ins are kept on disk again.")
        return True

    def drop(self, name: str) -> None:
        """Remove the file ``name``, if there is one; what cannot be removed now, at a later :meth:`sweep`."""
        held = self._held
        if held is None:
            return
        try:
            (held[0] / name).unlink(missing_ok=True)  # it could not be saved, or not be removed for sure
            sync_folder(held[0])
        except FileNotFoundError:
            pass  # somebody has cleared the folder
        except OSError as fault:
            if name not in self._unremoved:
                log.warning("A sign-in that has ended could not be removed from disk: %s.", fault.strerror)
            self._unremoved.add(name)
            return
        self._unremoved.discard(name)

    def adopt(self, name: str) -> bytes | None:
        """What is in the file ``name`` of a process that is gone, from now on this one's; null for none.

        Raises :class:`Held` for that of a process that lives.
        """
        for folder in self._others():
            if not os.path.lexists(folder / name):
                continue
            try:
                with _as_heir(folder):
                    return self._taken_over(folder / name)
            except BlockingIOError:
                raise Held from None
            except FileNotFoundError:  # it has no lock: who knows whether its owner lives
                return None
            except OSError as fault:
                self._tell(fault)
                return None
        return None

    def _taken_over(self, file: Path) -> bytes | None:
        try:
            content = _content(file)
            if content is not None:  # else it stays where it is found the next time
                file.rename(self._own() / file.name)
        except FileNotFoundError:  # another heir was first, or this process is about to end
            raise Held from None
        return content

    def sweep(self, seconds: float, ahead: float) -> None:
        """Remove what the dead left: files not written for so many ``seconds``, or longer than ``ahead`` in
        the future, whatever is unfinished, and folders without anything left. Of its own, what is over and
        could not be removed before."""
        self._drop_again()
        for folder in self._folders():
            try:
                unfinished = folder.name.startswith(UNFINISHED)
                if unfinished and self._is_current(folder, seconds, ahead):
                    continue  # its owner may not have come to lock it
                with _as_heir(folder):
                    self._clear(folder, seconds, ahead)
            except BlockingIOError:
                continue
            except FileNotFoundError:  # without its lock nobody takes anything from it any more
                with contextlib.suppress(OSError):
                    self._clear(folder, seconds, ahead)
            except OSError as fault:
                log.info("A folder of former sign-ins could not be looked through: %s.", fault.strerror)

    def close(self) -> None:
        """Let go of everything: another process may take it over. Nothing is saved after that."""
        self._drop_again()
        with self._lock:
            self._closed = True
            held, self._held = self._held, None
        if held is not None:
            os.close(held[1])

    def _drop_again(self) -> None:
        for name in list(self._unremoved):
            with self._removing:
                if name in self._unremoved:
                    self.drop(name)

    def _own(self) -> Path:
        with self._lock:
            if self._closed:
                raise FileNotFoundError("the folder was given back")
            if self._held is not None and self._held[0].is_dir():
                return self._held[0]
            if self._held is not None:  # somebody has removed it
                os.close(self._held[1])
                self._held = None
            self._held = _take_one(self._root)
            return self._held[0]

    def _others(self) -> list[Path]:
        now = self._clock()
        if now >= self._listed_until:
            self._listed_until = now + LISTED_SECONDS
            self._listed = [item for item in self._folders() if not item.name.startswith(UNFINISHED)]
        return self._listed

    def _folders(self) -> list[Path]:
        """Those of the others, unfinished ones too."""
        own = self._held[0] if self._held is not None else None
        try:
            with os.scandir(self._root) as items:
                ours = (item for item in items if _FOLDER.fullmatch(item.name))
                found = [Path(item) for item in ours if item.is_dir(follow_symlinks=False)]
        except OSError:  # there is none, or it is not to be read: then nobody is known by it
            return []
        return [folder for folder in found if folder != own]

    def _clear(self, folder: Path, seconds: float, ahead: float) -> None:
        empty = True
        for file in list(folder.iterdir()):
            if file.name == LOCK:
                continue
            over = file.name.startswith(UNFINISHED) or not self._is_current(file, seconds, ahead)
            if _OURS.fullmatch(file.name) and over:
                file.unlink(missing_ok=True)
            else:
                empty = False
        if empty:
            (folder / LOCK).unlink(missing_ok=True)
            folder.rmdir()

    def _is_current(self, file: Path, seconds: float, ahead: float) -> bool:
        return -ahead <= self._wall() - file.lstat().st_mtime <= seconds

    def _tell(self, fault: OSError) -> None:
        self._not_before = self._clock() + AGAIN_SECONDS
        if not self._failing and not self._closed:
            self._failing = True
            log.warning(
                "Sign-ins cannot be kept in %s (%s): they hold until the dashboard stops.",
                self._root,
                fault.strerror or type(fault).__name__,
            )


def _take_one(root: Path) -> tuple[Path, int]:
    """A new folder and the descriptor that locks it. It gets its name when it is locked: nobody sees one
    that only seems to be without an owner."""
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    root.chmod(0o700)
    fresh = Path(tempfile.mkdtemp(prefix=BEGUN, dir=root))  # with mode 0700
    descriptor = os.open(fresh / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return fresh.rename(root / secrets.token_hex(8)), descriptor
    except BaseException:
        os.close(descriptor)
        raise


@contextlib.contextmanager
def _as_heir(folder: Path) -> Iterator[None]:
    """Beside other heirs. Raises ``BlockingIOError`` while the owner lives, ``FileNotFoundError`` where there
    is no lock."""
    descriptor = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _content(file: Path) -> bytes | None:
    """Of one that is longer than any of ours the beginning; nothing of a link, which none of ours is. Null
    where it cannot be read now, for want of descriptors for one."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as stream:
            return stream.read(LARGEST_BYTES)
    except FileNotFoundError:
        raise
    except OSError as fault:
        log.warning("A former sign-in could not be read: %s.", fault.strerror)
        return b"" if fault.errno == errno.ELOOP else None


def _write(file: Path, content: bytes) -> None:
    fresh = file.with_name(f"{UNFINISHED}{file.name}.new")
    fresh.unlink(missing_ok=True)
    # Readable by its owner alone from its first instant; O_EXCL takes over no file of somebody else.
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(file)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    sync_folder(file.parent)
