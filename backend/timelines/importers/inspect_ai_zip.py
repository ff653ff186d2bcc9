"""Reads Inspect's ``.eval`` archives: zip files of JSON, compressed with deflate or with Zstandard.

The sizes in an archive are not trusted: each member is read up to a limit.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from backend.timelines.importers.model import InvalidItemError

MAX_MEMBER_BYTES = 1024 * 1024 * 1024
"""Maximum size of an unpacked member."""
_ZSTANDARD = 93
"""Method number of APPNOTE 6.3.8, which the standard library supports from Python 3.14 on."""
_LOCAL_HEADER = struct.Struct("<26xHH")
_CHUNK_BYTES = 1024 * 1024


class Archive:
    """Reads members of an open archive."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._zip = zipfile.ZipFile(file)
        self.members = {member.filename: member for member in self._zip.infolist()}

    def read(self, name: str) -> bytes:
        """Read and unpack a member. Raises :class:`InvalidItemError` if it is too large, broken or
        encrypted."""
        member = self.members[name]
        try:
            with self._open(member) as stream:
                return _read_bounded(stream)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, struct.error) as error:
            raise InvalidItemError("", f"{name} is broken: {error}") from None
        except (
            NotImplementedError,
            RuntimeError,
        ) as error:  # zipfile raises these for an unsupported compression and for an encrypted member
            raise InvalidItemError("", f"{name} cannot be unpacked: {error}") from None
        except _Larger:
            raise InvalidItemError("", f"{name} is larger than {MAX_MEMBER_BYTES:,} bytes") from None

    def _open(self, member: zipfile.ZipInfo) -> Any:
        if member.compress_type != _ZSTANDARD:
            return self._zip.open(member)
        self._file.seek(member.header_offset)
        name_length, extra_length = _LOCAL_HEADER.unpack(self._file.read(_LOCAL_HEADER.size))
        self._file.seek(name_length + extra_length, io.SEEK_CUR)
        import pyarrow as pa  # takes half a second to import, and few archives need it

        packed = pa.py_buffer(self._file.read(member.compress_size))
        return pa.CompressedInputStream(pa.BufferReader(packed), "zstd")


class _Larger(Exception):
    pass


def _read_bounded(stream: Any) -> bytes:
    pieces, size = [], 0
    while piece := stream.read(_CHUNK_BYTES):
        pieces.append(piece)
        size += len(piece)
        if size > MAX_MEMBER_BYTES:
            raise _Larger
    return b"".join(pieces)


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open the archive at ``path``. Raises :class:`InvalidItemError` if it is not one."""
    with path.open("rb") as file:
        try:
            opened = Archive(file)
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, struct.error) as error:
            # zipfile raises NotImplementedError for archives of a later version than it supports.
            raise InvalidItemError("", f"must be an .eval archive: {error}") from None
        yield opened
