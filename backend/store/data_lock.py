"""Locks a data folder: many programs share it, or one restore uses it exclusively.

A program holds a shared lock on a file beside the SQLite store while the store is open. A restore holds an
exclusive lock. The operating system releases the lock when the process ends, for whatever reason. Until a
restored store has been moved to its place, no program can open a store in that folder.
"""

import fcntl
import os
import weakref
from pathlib import Path
from typing import Self

from backend.errors import Conflict, Unavailable

STAGING_FOLDER = ".restore"
"""Folder in the data folder where a restore builds the store, under the name of the store."""
IN_USE = (
    "The data folder {folder} is in use. Stop 'chainproof up', 'serve' and 'worker' there, and try again."
)
RESTORE_RUNNING = "The data folder {folder} is being restored. Try again when that is done."
RESTORE_INTERRUPTED = (
    "A restore into {folder} was interrupted. Run 'chainproof restore' again, or delete {staging} to go on "
    "without what it would have restored."
)


class DataLock:
    """A lock on one SQLite file, held until it is released."""

    def __init__(self, file: Path, *, exclusive: bool) -> None:
        """Raise :class:`Conflict` if the lock is to be ``exclusive`` and other programs use the file, and
        :class:`Unavailable` if another program holds it exclusively."""
        self._folder = file.parent
        self._exclusive = exclusive
        # Opened for reading only, so that an existing lock works in a read-only folder.
        lock_file = file.with_name(f"{file.name}.lock")
        self._descriptor = os.open(lock_file, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.release = weakref.finalize(self, os.close, self._descriptor)
        """Release the lock. It may be called twice, and runs when the object is collected."""
        try:
            self._acquire(fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
            staging = self._folder / STAGING_FOLDER
            if not exclusive and (staging / file.name).exists():
                raise Unavailable(RESTORE_INTERRUPTED.format(folder=self._folder, staging=staging))
        except BaseException:
            self.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _acquire(self, kind: int) -> None:
        try:
            fcntl.flock(self._descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if self._exclusive:
                raise Conflict(IN_USE.format(folder=self._folder), code="in_use") from None
            raise Unavailable(RESTORE_RUNNING.format(folder=self._folder)) from None


def fsync_folder(folder: Path) -> None:
    """Write the directory entries of ``folder`` to the disk (fsync)."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
