"""Imports topics from JSON Lines files. Each line holds one topic in the shape of ``POST /topics``."""

import codecs
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import orjson
from pydantic import ValidationError

from backend.articles.engine import RuleSet
from backend.formats.file_errors import WHOLE_FILE, FileError, ImportErrors
from backend.store.database import Database
from backend.topics import entity_tagging, request_bodies
from backend.topics.model import Topic
from backend.topics.schemas import TOPIC_VALIDATOR
from backend.topics.store import topic_store

BATCH_SIZE = 500
"""Topics stored in one transaction."""
MAX_LINE_BYTES = 8 * 1024 * 1024
OnProgress = Callable[[Path, int], None]


@dataclass
class ImportResult(ImportErrors):
    """The result of an import. ``updated`` counts topics that were stored before, even if nothing changed."""

    added: int = 0
    updated: int = 0


def import_files(
    database: Database,
    rules: RuleSet,
    paths: Sequence[Path],
    *,
    partial: bool,
    now: datetime,
    on_progress: OnProgress = lambda _path, _bytes: None,
) -> ImportResult:
    """Store the topics of ``paths``. Importing a file twice adds nothing.

    A single invalid line rejects the whole import, unless ``partial`` keeps the valid lines. Files are read
    twice, once to validate and once to store, so that imports of any size fit into memory. ``rules`` find the
    entities of topics that name none. ``on_progress`` receives the bytes of each stored line. A line without
    an ``external_id`` is identified by its content.
    """
    result = ImportResult()
    if not partial:
        for _ in _parse_files(paths, result):
            pass
        if result.errors:
            return result
    batch: list[Topic] = []
    for path, topic, size in _parse_files(paths, result):
        batch.append(topic)
        if len(batch) == BATCH_SIZE:
            _store(database, rules, batch, result, now)
            batch = []
        on_progress(path, size)
    _store(database, rules, batch, result, now)
    return result


def _store(
    database: Database, rules: RuleSet, batch: Sequence[Topic], result: ImportResult, now: datetime
) -> None:
    with database.read() as connection:
        stored = entity_tagging.load_stored(connection, batch)
    tagged = entity_tagging.tag_entities(rules, batch, stored)
    with database.write() as connection:
        stored_batch = topic_store.store_topics_counted(connection, tagged, now=now)
    result.added += stored_batch.added
    result.updated += len(stored_batch.ids) - stored_batch.added


def _parse_files(paths: Sequence[Path], result: ImportResult) -> Iterator[tuple[Path, Topic, int]]:
    """Yield the valid topics with their size in bytes; errors go to ``result``."""
    for path in paths:
        try:
            for number, line in _read_lines(path):
                parsed = _parse_line(line)
                if isinstance(parsed, Topic):
                    yield path, parsed, len(line) + 1
                elif parsed:
                    result.add_error(FileError(path, number, parsed))
        except OSError as error:
            reason = f"cannot be read: {error.strerror or type(error).__name__}"
            result.add_error(FileError(path, WHOLE_FILE, reason))


def _read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Generate the lines with their numbers. A line that is too long is cut, so that memory stays bounded."""
    with path.open("rb") as file:
        if file.peek(len(codecs.BOM_UTF8)).startswith(codecs.BOM_UTF8):
            file.read(len(codecs.BOM_UTF8))
        number = 0
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            yield number, line.rstrip(b"\r\n")
            while len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):  # skip the rest of the line
                line = file.readline(MAX_LINE_BYTES + 1)


def _parse_line(line: bytes) -> Topic | str:
    """Return the topic of a line, or an error message; an empty string for a blank line."""
    if len(line) > MAX_LINE_BYTES:
        return f"must not be longer than {MAX_LINE_BYTES // 1024**2} MiB"
    if not line.strip():
        return ""
    try:
        body = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return f"must be valid JSON: {error.msg}"
    if not isinstance(body, dict):
        return "must be a JSON object with category, published_at, url and texts"
    try:
        topic = request_bodies.build_topic(TOPIC_VALIDATOR.validate_python(body))
    except ValidationError as error:
        return _describe_error(error)
    if topic.external_id is None:
        canonical = orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
        topic = replace(topic, external_id=f"line:{hashlib.sha256(canonical).hexdigest()}")
    return topic


def _describe_error(error: ValidationError) -> str:
    errors = error.errors(include_url=False, include_input=False)
    location = ".".join(str(part) for part in errors[0]["loc"])
    message = str(errors[0]["msg"]).removeprefix("Value error, ")
    note = f"; {len(errors) - 1} more" if len(errors) > 1 else ""
    if errors[0]["type"] == "missing":
        return f"{location} is missing{note}"
    return f"{location}: {message[:1].lower()}{message[1:]}{note}"
