"""Locks a data folder: many programs use it at once, or one restores into it.

Whoever opens the SQLite store shares a lock beside it for as long as it is open; a restore holds the
lock alone. The operating system gives it back when a process is gone, however it went. While a store that
a restore built has not got to its place, nobody opens a store in that folder.
"""

import fcntl
import os
import weakref
from pathlib import Path
from typing import Self

from backend.errors import Conflict, Unavailable

STAGING = ".restore"
"""The folder in a data folder where a restore builds the store, under its own name."""
IN_USE = (
    "The data folder {folder} is in use. Stop 'chainproof up', 'serve' and 'worker' there, and try again."
)
UNDER_WAY = "The data folder {folder} is being restored. Try again when that is done."
INTERRUPTED = (
    "A restore into {folder} was interrupted. Run 'chainproof restore' again, or delete {staging} to go on "
    "without what it would have restored."
)


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
            staging = self._folder / STAGING
            if not alone and (staging / file.name).exists():
                raise Unavailable(INTERRUPTED.format(folder=self._folder, staging=staging))
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


def sync_folder(folder: Path) -> None:
    """Have the names in ``folder`` reach the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
