"""Writes the files of an archive into the data folder."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from backend.backup import user_files
from backend.backup.archive import FILES, ArchiveReader, Part
from backend.errors import Conflict
from backend.settings import Settings


def check_files(settings: Settings, files: Sequence[Part]) -> None:
    """Raises :class:`Conflict` where the data folder holds a file of the user's that is not exactly what the
    archive would write there: ``files``, if any."""
    digests = {part.path.removeprefix(FILES): part.sha256 for part in files}
    for file in user_files.in_home(settings) if files else ():
        name = file.relative_to(settings.home).as_posix()
        if digests.get(name) != hashlib.sha256(file.read_bytes()).hexdigest():
            raise Conflict(
                f"{file} is not as in the archive, and a restore replaces no file. Move it away, or say "
                "--data-only to keep your own files and restore the data alone.",
                code="not_empty",
            )


@contextmanager
def written_files(settings: Settings, archive: ArchiveReader, files: Sequence[Part]) -> Iterator[None]:
    """Each of ``files`` in the data folder, for its owner alone, and on the disk. Those that were not there
    before go again where the block fails."""
    written: list[Path] = []
    try:
        for part in files:
            target = settings.home / part.path.removeprefix(FILES)
            if not target.exists():
                written.append(target)
                _write(target, archive.pieces(part))
        yield
    except BaseException:
        for target in written:
            target.unlink(missing_ok=True)
        raise


def _write(target: Path, pieces: Iterator[bytes]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        for piece in pieces:
            stream.write(piece)
        stream.flush()
        os.fsync(stream.fileno())
