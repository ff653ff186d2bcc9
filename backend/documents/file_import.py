"""A user's own documents brought into the store: all of them, or none where one has a mistake."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from backend.documents import file_readers
from backend.documents.document_writer import Stored
from backend.documents.file_readers import Options
from backend.documents.model import Document
from backend.documents.store import DocumentStore
from backend.formats.file_errors import FileMistake, ImportErrors

BATCH = 200
"""Documents stored in one transaction."""


@dataclass
class Imported(ImportErrors):
    """What came of an import."""

    stored: Stored = field(default_factory=Stored)


def files(paths: Iterable[Path]) -> list[Path]:
    """The files that ``paths`` name, each once; of a folder those that can be read, in all its folders
    but hidden ones."""
    found: dict[Path, Path] = {}
    for path in paths:
        for file in _below(path) if path.is_dir() else [path]:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        known = file_readers.LINES | file_readers.HTML | file_readers.TEXTS
        yield from (
            Path(place) / name
            for name in sorted(names)
            if Path(name).suffix.lower() in known and not name.startswith(".")
        )


def import_files(
    store: DocumentStore,
    paths: Sequence[Path],
    options: Options,
    *,
    partial: bool,
    now: datetime,
    advance: Callable[[Path, int], None] = lambda _path, _bytes: None,
) -> Imported:
    """Store the documents of ``paths`` under their addresses, in place of what is known by them.

    Where anything is wrong nothing is stored, unless ``partial`` keeps what is right. The files are read
    once to judge them and once more to store them, so that no import is too large for the memory.
    ``advance`` is told the bytes as they are stored, or judged in vain. Raises ``ValueError`` where
    ``options.url`` is given for more than one document.
    """
    if options.url and (len(paths) != 1 or paths[0].suffix.lower() in file_readers.LINES):
        raise ValueError("--url is the address of exactly one Markdown, HTML or text file.")
    imported = Imported()
    if not partial:
        for _ in _documents(paths, options, imported, lambda _path, _bytes: None):
            pass
        if imported.mistakes:
            return imported
    batch: list[Document] = []
    for document in _documents(paths, options, imported, advance):
        batch.append(document)
        if len(batch) == BATCH:
            imported.stored += store.store(batch, now=now)
            batch = []
    if batch:
        imported.stored += store.store(batch, now=now)
    return imported


def _documents(
    paths: Sequence[Path], options: Options, imported: Imported, advance: Callable[[Path, int], None]
) -> Iterator[Document]:
    """The documents that are right; what is wrong is noted."""
    first: dict[str, str] = {}
    for path in paths:
        for one in file_readers.read(path, options):
            if isinstance(one.what, FileMistake):
                imported.add_mistake(one.what)
            elif (known := first.get(one.what.external_id)) is not None:
                imported.add_mistake(FileMistake(path, one.line, f"has the same address as {known}"))
            else:
                first[one.what.external_id] = f"{path}:{one.line}" if one.line else str(path)
                yield one.what
            advance(path, one.size)
