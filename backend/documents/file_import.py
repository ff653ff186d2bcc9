"""Imports a user's own documents into the store: all of them, or none if one has an error."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from backend.documents import file_readers
from backend.documents.document_writer import StoreCounts
from backend.documents.file_readers import ReadOptions
from backend.documents.model import Document
from backend.documents.store import DocumentStore
from backend.formats.file_errors import FileError, ImportErrors

DOCUMENTS_PER_TRANSACTION = 200
"""Documents per transaction."""


@dataclass
class ImportResult(ImportErrors):
    """The result of an import."""

    stored: StoreCounts = field(default_factory=StoreCounts)


def list_files(paths: Iterable[Path]) -> list[Path]:
    """List the files of ``paths``, each once. Folders give their readable files, without hidden ones."""
    files_by_path: dict[Path, Path] = {}
    for path in paths:
        for file in _walk_folder(path) if path.is_dir() else [path]:
            files_by_path.setdefault(file.resolve(), file)
    return list(files_by_path.values())


def _walk_folder(folder: Path) -> Iterator[Path]:
    for folder_path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        suffixes = file_readers.JSON_LINES_SUFFIXES | file_readers.HTML_SUFFIXES | file_readers.TEXT_SUFFIXES
        yield from (
            Path(folder_path) / name
            for name in sorted(names)
            if Path(name).suffix.lower() in suffixes and not name.startswith(".")
        )


def import_files(
    store: DocumentStore,
    paths: Sequence[Path],
    options: ReadOptions,
    *,
    partial: bool,
    now: datetime,
    advance: Callable[[Path, int], None] = lambda _path, _bytes: None,
) -> ImportResult:
    """Store the documents of ``paths`` under their URLs, replacing those with the same URLs.

    If a document has an error, nothing is stored, unless ``partial`` is set, which stores the valid ones. The
    files are read once for validation and once for storing, so that an import of any size fits the memory.
    ``advance`` gets the bytes of each document stored or rejected. Raises ``ValueError`` if ``options.url``
    is given for more than one document.
    """
    if options.url and (len(paths) != 1 or paths[0].suffix.lower() in file_readers.JSON_LINES_SUFFIXES):
        raise ValueError("--url is the address of exactly one Markdown, HTML or text file.")
    result = ImportResult()
    if not partial:
        for _ in _read_valid_documents(paths, options, result, lambda _path, _bytes: None):
            pass
        if result.errors:
            return result
    batch: list[Document] = []
    for document in _read_valid_documents(paths, options, result, advance):
        batch.append(document)
        if len(batch) == DOCUMENTS_PER_TRANSACTION:
            result.stored += store.store(batch, now=now)
            batch = []
    if batch:
        result.stored += store.store(batch, now=now)
    return result


def _read_valid_documents(
    paths: Sequence[Path], options: ReadOptions, result: ImportResult, advance: Callable[[Path, int], None]
) -> Iterator[Document]:
    """Yield the valid documents and record the errors of the others."""
    first: dict[str, str] = {}
    for path in paths:
        for entry in file_readers.read_documents(path, options):
            if isinstance(entry.result, FileError):
                result.add_error(entry.result)
            elif (earlier := first.get(entry.result.external_id)) is not None:
                result.add_error(FileError(path, entry.line, f"has the same address as {earlier}"))
            else:
                first[entry.result.external_id] = f"{path}:{entry.line}" if entry.line else str(path)
                yield entry.result
            advance(path, entry.size)
