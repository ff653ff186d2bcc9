"""The file that holds the local key, for the dashboard on the same machine.

It is readable by its owner alone from its first instant, and is replaced whole: a reader sees the
old key or the new one, never a part.
"""

import os
import stat
from pathlib import Path

import structlog

log = structlog.get_logger(__name__)


def read(file: Path) -> str | None:
    """The key in ``file``; empty text for a file that holds no ASCII text; null when there is no file.

    Other faults (no permission, a folder of that name) raise the ``OSError`` that names the path.
    """
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return None
    try:
        return content.decode("ascii").strip()
    except UnicodeDecodeError:
        return ""


def write(file: Path, key: str) -> None:
    """Put ``key`` into ``file`` with mode 0600, durably. One writer at a time: the caller sees to that.

    A folder that is missing is made with mode 0700; one that exists belongs to the user and keeps
    the mode it has.
    """
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = file.with_name(f".{file.name}.new")
    fresh.unlink(missing_ok=True)  # left behind by a process that was killed here
    # O_EXCL follows no link and takes over no file that somebody else put there.
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(key.encode("ascii"))
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(fresh, file)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    _sync_folder(file.parent)


def make_private(file: Path) -> None:
    """Take every right of others away, e.g. after the file was copied back from an archive."""
    if os.name != "posix" or not stat.S_IMODE(file.stat().st_mode) & 0o077:
        return
    try:
        file.chmod(0o600)
    except OSError as error:
        log.warning("local_key_file_is_open_to_others", file=str(file), error=type(error).__name__)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
