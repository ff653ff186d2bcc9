"""The archive: a zip file of parts, with a manifest by which each of them is verified.

``tables/NAME.jsonl`` holds the rows of a table, a JSON array each, in the order of the manifest's columns.
``files/PATH`` holds a file of the data folder. ``manifest.json`` is written last.
"""

import hashlib
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

import msgspec

from backend.errors import BadRequest

FORMAT = 1
"""Of the archive itself; how rows look is told by the schema revision."""
MANIFEST = "manifest.json"
TABLES, FILES = "tables/", "files/"
PIECE = 1 << 20
LARGEST_MANIFEST = 16 << 20
LEVEL = 3
"""Of compression: a sixth larger than the usual one, in a third of the time."""


class ArchiveDamaged(ValueError):
    """The archive is not what its manifest says, or is none; the message is a sentence."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A member of the archive: its length and SHA-256, uncompressed."""

    path: str
    size: int
    sha256: str


class TablePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table: its columns in the order of each row's values. ``last_id`` is the last id that the store
    has counted up, where it does so."""

    name: str
    columns: list[str]
    rows: int
    part: Part
    last_id: int | None = None


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an archive says of itself. ``schema`` is the revision of the tables, ``store`` the kind of
    database that they came from, ``taken_at`` the instant of the snapshot, and ``files_elsewhere`` are
    files in use that are not in the archive, since they lie outside the data folder."""

    format: int
    version: str
    schema: str
    store: str
    taken_at: datetime
    tables: list[TablePart]
    files: list[Part]
    files_elsewhere: list[str]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    @property
    def parts(self) -> list[Part]:
        return [*(table.part for table in self.tables), *self.files]


class ArchiveWriter:
    """Writes an archive to a file that is open, from the first part to the manifest."""

    def __init__(self, stream: zipfile.ZipFile) -> None:
        self._zip = stream

    def add(self, path: str, pieces: Iterable[bytes]) -> Part:
        digest, size = hashlib.sha256(), 0
        with self._zip.open(path, "w", force_zip64=True) as member:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                member.write(piece)
        return Part(path, size, digest.hexdigest())

    def finish(self, manifest: Manifest) -> None:
        self._zip.writestr(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=2))


class ArchiveReader:
    """An archive and its manifest. Raises :class:`ArchiveDamaged` for what is none or of another format."""

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            self._zip = zipfile.ZipFile(file)
            self.manifest = self._read_manifest()
        except (FileNotFoundError, IsADirectoryError):
            raise BadRequest(f"There is no file {file}.") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, KeyError):
            raise ArchiveDamaged(f"{file} is no whole archive of a backup.") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._zip.close()

    def pieces(self, part: Part) -> Iterator[bytes]:
        """The content of a part, which is checked as it is read: it ends with a raise where it is not what
        the manifest says, and never gives more than that."""
        digest, size = hashlib.sha256(), 0
        try:
            with self._zip.open(part.path) as member:
                while piece := member.read(PIECE):
                    size += len(piece)
                    if size > part.size:
                        break
                    digest.update(piece)
                    yield piece
        except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, RuntimeError):
            raise self._damaged(part) from None
        if (size, digest.hexdigest()) != (part.size, part.sha256):
            raise self._damaged(part)

    def rows(self, table: TablePart) -> Iterator[list[object]]:
        """The rows of a table; as many, and as wide, as the manifest says."""
        found, rest = 0, b""
        decoder = msgspec.json.Decoder(list[object])
        for piece in self.pieces(table.part):
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                try:
                    row = decoder.decode(line)
                except msgspec.DecodeError:
                    raise self._damaged(table.part) from None
                if len(row) != len(table.columns):
                    raise self._damaged(table.part)
                found += 1
                yield row
        if rest or found != table.rows:
            raise self._damaged(table.part)

    def verify(self) -> None:
        """Read everything; raises :class:`ArchiveDamaged` unless all is as the manifest says."""
        for table in self.manifest.tables:
            for _ in self.rows(table):
                pass
        for file in self.manifest.files:
            for _ in self.pieces(file):
                pass

    def _read_manifest(self) -> Manifest:
        if self._zip.getinfo(MANIFEST).file_size > LARGEST_MANIFEST:
            raise ArchiveDamaged(f"{self.file} has a manifest of more than {LARGEST_MANIFEST} bytes.")
        raw = self._zip.read(MANIFEST)
        try:
            told = msgspec.json.decode(raw, type=dict[str, object]).get("format")
            if isinstance(told, int) and told > FORMAT:
                raise ArchiveDamaged(f"{self.file} was made by a newer version. Restore it with that one.")
            manifest = msgspec.json.decode(raw, type=Manifest)
        except msgspec.DecodeError:  # a validation error is one too
            raise ArchiveDamaged(f"{self.file} has a manifest that cannot be read.") from None
        for part in manifest.files:
            if not _is_inside(part.path.removeprefix(FILES)):
                raise ArchiveDamaged(f"{self.file} holds a file outside of the data folder: {part.path!r}.")
        return manifest

    def _damaged(self, part: Part) -> ArchiveDamaged:
        return ArchiveDamaged(f"{self.file} is damaged: {part.path} is not what its manifest says.")


def _is_inside(path: str) -> bool:
    """Whether a path stays within the folder that it is put into, on any system."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and not set(path) & set("\\:\0")
