"""Writes the files of an archive into the data folder."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from backend.backup import user_files
from backend.backup.archive import FILES_PREFIX, ArchiveMember, ArchiveReader
from backend.errors import Conflict
from backend.settings import Settings


def check_files(settings: Settings, files: Sequence[ArchiveMember]) -> None:
    """Raise :class:`Conflict` if a user's file in the data folder differs from its archived version.

    Checks nothing without ``files`` to restore.
    """
    digests = {member.path.removeprefix(FILES_PREFIX): member.sha256 for member in files}
    for file in user_files.list_in_home(settings) if files else ():
        name = file.relative_to(settings.home).as_posix()
        if digests.get(name) != hashlib.sha256(file.read_bytes()).hexdigest():
            raise Conflict(
                f"{file} differs from the archive, and a restore replaces no files. Move it away, or use "
                "--data-only to keep your own files and restore only the data.",
                code="not_empty",
            )


@contextmanager
def write_files(settings: Settings, archive: ArchiveReader, files: Sequence[ArchiveMember]) -> Iterator[None]:
    """Write ``files`` to the data folder, readable only by the owner, and sync them to disk.

    If the block fails, removes the files that it created.
    """
    written_files: list[Path] = []
    try:
        for member in files:
            target = settings.home / member.path.removeprefix(FILES_PREFIX)
            if not target.exists():
                written_files.append(target)
                _write(target, archive.read_chunks(member))
        yield
    except BaseException:
        for target in written_files:
            target.unlink(missing_ok=True)
        raise


def _write(target: Path, chunks: Iterator[bytes]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        for chunk in chunks:
            stream.write(chunk)
        stream.flush()
        os.fsync(stream.fileno())
