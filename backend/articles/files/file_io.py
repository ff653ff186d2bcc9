"""Finds, reads and atomically replaces files of articles, in UTF-8."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

TEXT_SUFFIXES = frozenset({".md", ".markdown", ".mdx", ".html", ".htm", ".txt", ".text", ".rst", ".adoc"})
ARCHIVE_SUFFIXES = frozenset({".jsonl", ".ndjson"})
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages"})
BYTE_ORDER_MARK = "\ufeff"
STANDARD_INPUT = Path("-")


class UnreadableFileError(ValueError):
    """A file that is not readable text. The message contains its name and the reason."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file to scan, or standard input (``path`` null)."""

    name: str
    path: Path | None
    is_archive: bool
    size: int
    """Size in bytes; 0 if unknown."""

    def open(self) -> AbstractContextManager[IO[bytes]]:
        return nullcontext(sys.stdin.buffer) if self.path is None else self.path.open("rb")


def list_sources(paths: Iterable[Path], stdin_name: str) -> list[Source]:
    """List the files of ``paths``, each once.

    Folders give their texts and archives, without hidden files. ``-`` is standard input, named
    ``stdin_name``.
    """
    found: dict[Path, Source] = {}
    for path in paths:
        if path == STANDARD_INPUT:
            is_archive = Path(stdin_name).suffix.lower() in ARCHIVE_SUFFIXES
            found[path] = Source(stdin_name, None, is_archive, 0)
            continue
        for file in _walk(path):
            is_archive = file.suffix.lower() in ARCHIVE_SUFFIXES
            size = file.stat().st_size if file.is_file() else 0
            found.setdefault(file.resolve(), Source(str(file), file, is_archive, size))
    return list(found.values())


def _walk(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(
            name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith(".")
        )
        for name in sorted(names):
            if Path(name).suffix.lower() in TEXT_SUFFIXES | ARCHIVE_SUFFIXES and not name.startswith("."):
                yield Path(folder) / name


def decode(data: bytes, name: str) -> tuple[str, str]:
    """Decode ``data`` and return the text and its byte order mark, if any. Line ends are kept.

    Raises :class:`UnreadableFileError` if it is not UTF-8.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableFileError(
            f"{name}:{line}: not UTF-8 at byte {error.start}. Convert the file and try again."
        ) from None
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    return text[len(mark) :], mark


class Writer:
    """Writes corrected texts in the order of their files, and replaces each file atomically.

    ``out`` is written instead of a single input file; standard input goes to standard output. If the work
    ends before a file does, the file does not change.
    """

    def __init__(self, out: Path | None = None) -> None:
        self._out = out
        self._source: Source | None = None
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._replace_file()
        elif self._source is not None:
            self.discard(self._source)

    def write(self, source: Source, chunks: Iterable[bytes]) -> None:
        """Write the next part of ``source``."""
        if source is not self._source:
            self._replace_file()
            self._source = source
        for chunk in chunks:
            if self._file is None:
                self._file = self._open_target(source)
            self._file.write(chunk)

    def discard(self, source: Source) -> None:
        """Discard the written parts and leave ``source`` unchanged."""
        if source is self._source and self._file is not None and self._target(source) is not None:
            self._file.close()
            Path(self._file.name).unlink(missing_ok=True)
        self._source = self._file = None

    def _open_target(self, source: Source) -> IO[bytes]:
        target = self._target(source)
        if target is None:
            return sys.stdout.buffer
        # In the same folder, so that replacing the file is atomic.
        return tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False)

    def _replace_file(self) -> None:
        if self._source is None or self._file is None:
            self._source = None
            return
        file, target = self._file, self._target(self._source)
        self._source = self._file = None
        file.flush()
        if target is None:
            return
        os.fsync(file.fileno())
        file.close()
        target.touch()  # a new file gets the default mode, not that of a temporary file
        shutil.copymode(target, file.name)
        os.replace(file.name, target)

    def _target(self, source: Source) -> Path | None:
        """Return the target path; None for standard output. For a link, its target is replaced."""
        path = self._out or source.path
        return None if path is None else path.resolve()
