"""Reads and writes the file with the local key, for programs on the same machine such as the dashboard.

Only its owner can read the file, from its creation on. It is replaced atomically: a reader sees the old
key or the new one, never a part.
"""

import os
import stat
from pathlib import Path

import structlog

log = structlog.get_logger(__name__)


def read(file: Path) -> str | None:
    """Read the key; empty text for a file without ASCII text, None for a missing file.

    Other faults (no permission, a folder of that name) raise an ``OSError`` that names the path.
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
    """Write ``key`` into ``file`` with mode 0600 and sync it to disk. The caller allows one writer at a time.

    Creates a missing folder with mode 0700. An existing folder belongs to the user and keeps its mode.
    """
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = file.with_name(f".{file.name}.new")
    temporary.unlink(missing_ok=True)  # left behind by a process that was killed during a write
    # O_EXCL follows no link and opens no file that somebody else created.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(key.encode("ascii"))
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(file.parent)


def make_private(file: Path) -> None:
    """Remove all permissions of group and others, e.g. after the file was restored from an archive."""
    if os.name != "posix" or not stat.S_IMODE(file.stat().st_mode) & 0o077:
        return
    try:
        file.chmod(0o600)
    except OSError as error:
        log.warning("local_key_file_readable_by_others", file=str(file), error=type(error).__name__)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
