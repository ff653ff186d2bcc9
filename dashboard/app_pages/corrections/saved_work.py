"""Encodes an editor's work as text for the browser's storage, and decodes it. Pure.

The texts of steps are built from the original and their pieces, so that a step needs little space. If the
work is still too large, older steps are left out.
"""

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import orjson
from pydantic import TypeAdapter, ValidationError

from dashboard.app_pages.corrections import text_diff
from dashboard.app_pages.corrections.article_edits import list_texts, replace_texts
from dashboard.app_pages.corrections.article_files import ArticleFile, InvalidFileError, parse_article
from dashboard.app_pages.corrections.edit_history import EditHistory, Step, StepKind
from dashboard.app_pages.corrections.findings import Decision, Finding
from dashboard.app_pages.corrections.inconsistent_names import InconsistentName
from dashboard.app_pages.corrections.text_diff import TextPieces
from dashboard.client.article_schemas import Article

MAX_SAVED_CHARS = 1_500_000
"""Limit of an encoded record: browsers store about five million characters for a site."""
MAX_DECODED_BYTES = 64 * 1024 * 1024
_FORMAT_VERSION = 1
"""Increment it when a record of an older version can no longer be read."""

Record = TypeVar("Record")


class InvalidRecordError(Exception):
    """The text is no record of this version."""


@dataclass(frozen=True, slots=True)
class _SavedFile:
    name: str
    kind: str
    encoding: str
    byte_order_mark: str
    """As hexadecimal digits."""
    articles: list[Article]
    """The article of a text file; those of JSON are built from the lines or the objects."""
    lines: list[str]
    objects: list[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class _SavedStep:
    """``frame`` is the article without its texts; ``original`` is an index of the originals."""

    number: int
    kind: StepKind
    frame: Article
    original: int
    pieces: dict[str, TextPieces]
    findings: tuple[Finding, ...]
    rules_version: str
    inconsistent_names: tuple[InconsistentName, ...]
    judging_date: str | None
    decisions: list[tuple[int, Decision]]
    carried_count: int
    edit_count: int
    source: int | None
    row: int | None


@dataclass(frozen=True, slots=True)
class _SavedArticle:
    format: int
    draft: Article
    source: int | None
    editing: bool
    numbers: int
    position: int
    steps: list[_SavedStep]
    originals: list[Article]
    files: list[_SavedFile | None]
    """Files of the sources; null is the file of the batch."""


@dataclass(frozen=True, slots=True)
class _SavedBatch:
    format: int
    batch_id: str
    store: bool
    file: _SavedFile
    reviewed: dict[int, Article]


@dataclass(frozen=True, slots=True)
class ArticleWork:
    """The article in the form and the history of the review."""

    history: EditHistory
    draft: Article
    source: ArticleFile | None = None
    editing: bool = True


@dataclass(frozen=True, slots=True)
class BatchWork:
    """The articles of a batch and those that were reviewed, by their index."""

    batch_id: str
    file: ArticleFile
    store: bool = False
    reviewed: dict[int, Article] = field(default_factory=dict)


_ARTICLE_ADAPTER = TypeAdapter(_SavedArticle)
_BATCH_ADAPTER = TypeAdapter(_SavedBatch)


def encode_article(work: ArticleWork, batch_file: ArticleFile | None = None) -> str:
    """Encode the work on an article; empty if even its current step is too large.

    Sources that are ``batch_file`` are only named, because the batch is a record of its own.
    """
    steps, position = work.history.steps, work.history.position
    for kept in (
        slice(None),
        slice(max(0, position - 5), position + 1),
        slice(max(0, position), position + 1),
    ):
        start, _, _ = kept.indices(len(steps))
        saved = _save_article(work, steps[kept], position - start, batch_file)
        text = _pack(_ARTICLE_ADAPTER.dump_json(saved))
        if len(text) <= MAX_SAVED_CHARS:
            return text
    return ""


def decode_article(text: str, batch_file: ArticleFile | None = None) -> ArticleWork:
    """Decode a record; raises :class:`InvalidRecordError`."""
    saved = _unpack(text, _ARTICLE_ADAPTER)
    if saved.format != _FORMAT_VERSION or not -1 <= saved.position < max(1, len(saved.steps)):
        raise InvalidRecordError
    try:
        files = [_load_file(file) if file else batch_file for file in saved.files]
        history = EditHistory()
        history.restore(
            [_load_step(step, saved.originals, files) for step in saved.steps], saved.position, saved.numbers
        )
        source = None if saved.source is None else files[saved.source]
    except (IndexError, KeyError, InvalidFileError, ValueError) as error:
        raise InvalidRecordError from error
    return ArticleWork(history, saved.draft, source, saved.editing or not history.steps)


def encode_batch(work: BatchWork) -> str:
    """Encode a batch; empty if it is too large."""
    saved = _SavedBatch(_FORMAT_VERSION, work.batch_id, work.store, _save_file(work.file), work.reviewed)
    text = _pack(_BATCH_ADAPTER.dump_json(saved))
    return text if len(text) <= MAX_SAVED_CHARS else ""


def decode_batch(text: str) -> BatchWork:
    """Decode a record; raises :class:`InvalidRecordError`."""
    saved = _unpack(text, _BATCH_ADAPTER)
    try:
        file = _load_file(saved.file)
    except (InvalidFileError, ValueError) as error:
        raise InvalidRecordError from error
    if saved.format != _FORMAT_VERSION or any(not 0 <= n < len(file.articles) for n in saved.reviewed):
        raise InvalidRecordError
    return BatchWork(saved.batch_id, file, saved.store, saved.reviewed)


def _save_article(
    work: ArticleWork, steps: Sequence[Step], position: int, batch_file: ArticleFile | None
) -> _SavedArticle:
    originals: list[Article] = []
    files: list[ArticleFile] = []

    def index_file(file: ArticleFile | None) -> int | None:
        if file is None:
            return None
        if all(file is not other for other in files):
            files.append(file)
        return next(n for n, other in enumerate(files) if other is file)

    saved_steps = []
    for step in steps:
        if step.original not in originals:
            originals.append(step.original)
        saved_steps.append(_save_step(step, originals.index(step.original), index_file(step.source)))
    source = index_file(work.source)
    saved_files = [None if file is batch_file else _save_file(file) for file in files]
    return _SavedArticle(
        _FORMAT_VERSION,
        work.draft,
        source,
        work.editing,
        work.history.number_count,
        position,
        saved_steps,
        originals,
        saved_files,
    )


def _save_step(step: Step, original: int, source: int | None) -> _SavedStep:
    empty = dict.fromkeys(list_texts(step.article), "")
    return _SavedStep(
        step.number,
        step.kind,
        replace_texts(step.article, empty),
        original,
        dict(step.pieces),
        step.findings,
        step.rules_version,
        step.inconsistent_names,
        step.judging_date,
        list(step.decisions.items()),
        step.carried_count,
        step.edit_count,
        source,
        step.row,
    )


def _load_step(saved: _SavedStep, originals: Sequence[Article], files: Sequence[ArticleFile | None]) -> Step:
    original = originals[saved.original]
    texts_before, names = list_texts(original), list_texts(saved.frame)
    texts = {
        name: text_diff.join_pieces(texts_before.get(name, ""), saved.pieces.get(name, ())) for name in names
    }
    if any(finding.end > len(texts[finding.field]) for finding in saved.findings):
        raise InvalidRecordError
    if any(not 0 <= number < len(saved.findings) for number, _ in saved.decisions):
        raise InvalidRecordError
    source = None if saved.source is None else files[saved.source]
    return Step(
        saved.number,
        saved.kind,
        replace_texts(saved.frame, texts),
        original,
        saved.pieces,
        saved.findings,
        saved.rules_version,
        saved.inconsistent_names,
        saved.judging_date,
        dict(saved.decisions),
        saved.carried_count,
        saved.edit_count,
        source,
        None if source is None else saved.row,
    )


def _save_file(file: ArticleFile) -> _SavedFile:
    objects = [] if file.lines else list(file.objects)
    articles = [] if file.objects else list(file.articles)
    return _SavedFile(
        file.name, file.kind, file.encoding, file.byte_order_mark.hex(), articles, list(file.lines), objects
    )


def _load_file(saved: _SavedFile) -> ArticleFile:
    objects = tuple(orjson.loads(line) for line in saved.lines) or tuple(saved.objects)
    articles = [parse_article(json_object, n) for n, json_object in enumerate(objects, 1)] or saved.articles
    file = ArticleFile(saved.name, saved.kind, tuple(articles), objects, tuple(saved.lines), saved.encoding)
    return replace(file, byte_order_mark=bytes.fromhex(saved.byte_order_mark))


def _pack(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, level=3)).decode("ascii")


def _unpack(text: str, adapter: TypeAdapter[Record]) -> Record:
    if len(text) > MAX_SAVED_CHARS:
        raise InvalidRecordError
    try:
        content = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), MAX_DECODED_BYTES)
        return adapter.validate_json(content)
    except (ValueError, zlib.error, ValidationError) as error:
        raise InvalidRecordError from error
