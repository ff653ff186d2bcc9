"""Who may use the files of a data folder: many programs at once, or one that exchanges them.

Whoever opens the SQLite store shares a lock beside it for as long as it is open; a restore holds the
lock alone. The operating system gives it back when a process is gone, however it went. What a restore
exchanges is written down first: were it killed amid its renames, the next to open the store finishes
them, so that nobody ever sees half of the one and half of the other.
"""

import fcntl
import json
import os
import shutil
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Self

import structlog

from backend.errors import Conflict, Unavailable

log = structlog.get_logger(__name__)
JOURNAL = "restore.journal"
IN_USE = (
    "The data folder {folder} is in use. Stop 'chainproof up', 'serve' and 'worker' there, and try again."
)
UNDER_WAY = "The data folder {folder} is being restored. Try again when that is done."


class DataLock:
    """A lock on one SQLite file, held until it is released."""

    def __init__(self, file: Path, *, alone: bool) -> None:
        """Raises :class:`Conflict` where others use the file and it is asked for ``alone``, and
        :class:`Unavailable` where somebody has it alone."""
        self._folder = file.parent
        self._alone = alone
        # For reading alone, which does where the folder can be read alone.
        lock_file = file.with_name(f"{file.name}.lock")
        self._descriptor = os.open(lock_file, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.release = weakref.finalize(self, os.close, self._descriptor)
        """Give the lock back; twice is once, and whoever is forgotten gives it back too."""
        try:
            self._take(fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            self._finish_interrupted()
        except BaseException:
            self.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _take(self, kind: int) -> None:
        try:
            fcntl.flock(self._descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if self._alone:
                raise Conflict(IN_USE.format(folder=self._folder), code="in_use") from None
            raise Unavailable(UNDER_WAY.format(folder=self._folder)) from None

    def _finish_interrupted(self) -> None:
        """Nobody else is in the folder while a journal lies there: each who comes must finish first."""
        if (self._folder / JOURNAL).exists():
            self._take(fcntl.LOCK_EX)
            finish_moves(self._folder)
            log.warning("interrupted_restore_finished", folder=str(self._folder))
            self._take(fcntl.LOCK_EX if self._alone else fcntl.LOCK_SH)


Move = tuple[Path, Path]
"""A file or folder, and the name that it gets; both within one data folder."""


def make_moves(folder: Path, moves: Iterable[Move], *, staging: Path) -> None:
    """Rename one after the other, all or, after a crash, all at the next opening; then delete ``staging``.

    No two targets are alike, and a target that is there already counts as done. The caller holds the
    lock alone where there is a store to lock.
    """
    told = [[str(path.relative_to(folder)) for path in move] for move in moves]
    fresh = folder / f".{JOURNAL}.new"
    with fresh.open("w", encoding="utf-8") as stream:
        json.dump({"moves": told, "staging": str(staging.relative_to(folder))}, stream)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(folder / JOURNAL)
    sync_folder(folder)
    finish_moves(folder)


def finish_moves(folder: Path) -> None:
    """Go on with what a journal says, from wherever it stopped."""
    journal = folder / JOURNAL
    try:
        planned = json.loads(journal.read_text("utf-8"))
    except FileNotFoundError:  # somebody else has finished meanwhile
        return
    for source, target in planned["moves"]:
        here, there = folder / source, folder / target
        if here.exists() and not there.exists():
            there.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            here.rename(there)
            sync_folder(there.parent)
    sync_folder(folder)
    journal.unlink()
    sync_folder(folder)
    shutil.rmtree(folder / planned["staging"], ignore_errors=True)


def sync_folder(folder: Path) -> None:
    """Have the names in ``folder`` reach the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
