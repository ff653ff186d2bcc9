"""Inspect's ``.eval`` archives: zip files of JSON, compressed with deflate or with Zstandard.

Sizes that an archive states are not believed: each member is read up to a bound and no further.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from backend.timelines.importers.model import Refused

LARGEST_MEMBER = 1024 * 1024 * 1024
"""Bytes of a member when it is unpacked."""
_ZSTANDARD = 93
"""Method number of APPNOTE 6.3.8, which the standard library reads from Python 3.14 on."""
_LOCAL_HEADER = struct.Struct("<26xHH")
_PIECE = 1024 * 1024


class Archive:
    """An open archive."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._zip = zipfile.ZipFile(file)
        self.members = {member.filename: member for member in self._zip.infolist()}

    def read(self, name: str) -> bytes:
        """A member, unpacked. Raises :class:`Refused` where it is too large, broken or locked."""
        member = self.members[name]
        try:
            with self._open(member) as stream:
                return _bounded(stream)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, struct.error) as error:
            raise Refused("", f"{name} is broken: {error}") from None
        except (
            NotImplementedError,
            RuntimeError,
        ) as error:  # zipfile's words for a packing that it lacks, a lock
            raise Refused("", f"{name} cannot be unpacked: {error}") from None
        except _Larger:
            raise Refused("", f"{name} is larger than {LARGEST_MEMBER:,} bytes") from None

    def _open(self, member: zipfile.ZipInfo) -> Any:
        if member.compress_type != _ZSTANDARD:
            return self._zip.open(member)
        self._file.seek(member.header_offset)
        name_length, extra_length = _LOCAL_HEADER.unpack(self._file.read(_LOCAL_HEADER.size))
        self._file.seek(name_length + extra_length, io.SEEK_CUR)
        import pyarrow as pa  # half a second, for the few archives that need it

        packed = pa.py_buffer(self._file.read(member.compress_size))
        return pa.CompressedInputStream(pa.BufferReader(packed), "zstd")


class _Larger(Exception):
    pass


def _bounded(stream: Any) -> bytes:
    pieces, size = [], 0
    while piece := stream.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST_MEMBER:
            raise _Larger
    return b"".join(pieces)


@contextmanager
def archive(path: Path) -> Iterator[Archive]:
    """The archive in ``path``. Raises :class:`Refused` where there is none."""
    with path.open("rb") as file:
        try:
            opened = Archive(file)
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, struct.error) as error:
            # NotImplementedError is zipfile's word for an archive of a later version than it reads
            raise Refused("", f"is no .eval archive: {error}") from None
        yield opened
