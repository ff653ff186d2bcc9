"""Files of articles: which there are, read as UTF-8 and replaced whole or not at all."""

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

TEXTS = frozenset({".md", ".markdown", ".mdx", ".html", ".htm", ".txt", ".text", ".rst", ".adoc"})
ARCHIVES = frozenset({".jsonl", ".ndjson"})
SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})
BYTE_ORDER_MARK = "\ufeff"
STANDARD_INPUT = Path("-")


class UnreadableFile(ValueError):
    """A file that cannot be read as text; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file to scan, or standard input (``path`` null)."""

    name: str
    path: Path | None
    is_archive: bool
    size: int
    """Bytes; 0 where that cannot be told."""

    def open(self) -> AbstractContextManager[IO[bytes]]:
        return nullcontext(sys.stdin.buffer) if self.path is None else self.path.open("rb")


def sources(paths: Iterable[Path], stdin_name: str) -> list[Source]:
    """The files that ``paths`` name, each once: a folder's texts and archives in all its folders but
    hidden ones, and standard input for ``-``, which is called ``stdin_name``."""
    found: dict[Path, Source] = {}
    for path in paths:
        if path == STANDARD_INPUT:
            archive = Path(stdin_name).suffix.lower() in ARCHIVES
            found[path] = Source(stdin_name, None, archive, 0)
            continue
        for file in _files(path):
            archive = file.suffix.lower() in ARCHIVES
            size = file.stat().st_size if file.is_file() else 0
            found.setdefault(file.resolve(), Source(str(file), file, archive, size))
    return list(found.values())


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith("."))
        for name in sorted(names):
            if Path(name).suffix.lower() in TEXTS | ARCHIVES and not name.startswith("."):
                yield Path(folder) / name


def decode(data: bytes, name: str) -> tuple[str, str]:
    """The text of ``data`` and the byte order mark that it began with, if any; line ends are kept.

    Raises :class:`UnreadableFile` for what is not UTF-8.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise UnreadableFile(
            f"{name}:{line}: not UTF-8 at byte {fault.start}. Convert the file and try again."
        ) from None
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    return text[len(mark) :], mark


class Writer:
    """Takes corrected texts in the order of their files, and replaces each file in one step.

    ``out`` is written instead of the one file there is; standard input goes to standard output. Where
    the work ends before a file does, that file stays as it was.
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
            self._finish()
        elif self._source is not None:
            self.discard(self._source)

    def write(self, source: Source, chunks: Iterable[bytes]) -> None:
        """What comes next of ``source``."""
        if source is not self._source:
            self._finish()
            self._source = source
        for chunk in chunks:
            if self._file is None:
                self._file = self._begin(source)
            self._file.write(chunk)

    def discard(self, source: Source) -> None:
        """Leaves ``source`` as it was."""
        if source is self._source and self._file is not None and self._target(source) is not None:
            self._file.close()
            Path(self._file.name).unlink(missing_ok=True)
        self._source = self._file = None

    def _begin(self, source: Source) -> IO[bytes]:
        target = self._target(source)
        if target is None:
            return sys.stdout.buffer
        # Beside the file, so that putting it in place is one step of the file system.
        return tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False)

    def _finish(self) -> None:
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
        target.touch()  # a new file gets the mode that new files get, not that of a temporary one
        shutil.copymode(target, file.name)
        os.replace(file.name, target)

    def _target(self, source: Source) -> Path | None:
        """Where the text goes; null for standard output. A link's target is replaced, not the link."""
        path = self._out or source.path
        return None if path is None else path.resolve()
