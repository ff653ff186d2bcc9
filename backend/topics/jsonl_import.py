"""Topics out of JSON Lines files, each line one topic as ``POST /topics`` takes it: all of them, or none
where one line has a mistake."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import orjson
from pydantic import ValidationError

from backend.articles.engine import RuleSet
from backend.formats.file_errors import FileMistake, Refusals
from backend.store.database import Database
from backend.topics import entity_tagging, request_bodies
from backend.topics.model import Topic
from backend.topics.schemas import ONE_TOPIC
from backend.topics.store import topic_store

BATCH = 500
"""Topics stored in one transaction."""
LONGEST_LINE = 8 * 1024 * 1024
Advance = Callable[[Path, int], None]


@dataclass
class Imported(Refusals):
    """What came of an import. ``updated``: topics that were known, changed or not."""

    added: int = 0
    updated: int = 0


def import_files(
    database: Database,
    rules: RuleSet,
    paths: Sequence[Path],
    *,
    partial: bool,
    now: datetime,
    advance: Advance = lambda _path, _bytes: None,
) -> Imported:
    """Store the topics of ``paths``; importing a file again adds nothing.

    Where anything is wrong nothing is stored, unless ``partial`` keeps what is right. The files are read
    once to judge them and once more to store them, so that no import is too large for the memory.
    ``rules`` tell whom the topics name where they do not. ``advance`` is told the bytes of what is stored.
    A line without an ``external_id`` is known by its content.
    """
    imported = Imported()
    if not partial:
        for _ in _topics(paths, imported):
            pass
        if imported.mistakes:
            return imported
    batch: list[Topic] = []
    for path, topic, size in _topics(paths, imported):
        batch.append(topic)
        if len(batch) == BATCH:
            _store(database, rules, batch, imported, now)
            batch = []
        advance(path, size)
    _store(database, rules, batch, imported, now)
    return imported


def _store(
    database: Database, rules: RuleSet, batch: Sequence[Topic], imported: Imported, now: datetime
) -> None:
    with database.read() as connection:
        before = entity_tagging.known(connection, batch)
    named = entity_tagging.named(rules, batch, before)
    with database.write() as connection:
        put = topic_store.put_telling(connection, named, now=now)
    imported.added += put.added
    imported.updated += len(put.ids) - put.added


def _topics(paths: Sequence[Path], imported: Imported) -> Iterator[tuple[Path, Topic, int]]:
    """The topics of the lines that are right, and the bytes of each; what is wrong is noted."""
    for path in paths:
        try:
            for number, line in _lines(path):
                read = _topic(line)
                if isinstance(read, Topic):
                    yield path, read, len(line) + 1
                elif read:
                    imported.refuse(FileMistake(path, number, read))
        except OSError as error:
            reason = f"cannot be read: {error.strerror or type(error).__name__}"
            imported.refuse(FileMistake(path, 0, reason))


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            yield number, line.rstrip(b"\r\n")
            while len(line) > LONGEST_LINE and not line.endswith(b"\n"):  # its rest belongs to it
                line = file.readline(LONGEST_LINE + 1)


def _topic(line: bytes) -> Topic | str:
    """The topic that a line tells, or what is wrong with it; empty for a line of nothing."""
    if len(line) > LONGEST_LINE:
        return f"is longer than {LONGEST_LINE // 1024**2} MiB"
    if not line.strip():
        return ""
    try:
        given = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return f"is no valid JSON: {error.msg}"
    if not isinstance(given, dict):
        return "must be a JSON object with category, published_at, url and texts"
    try:
        topic = request_bodies.topic(ONE_TOPIC.validate_python(given))
    except ValidationError as error:
        return _reason(error)
    if topic.external_id is None:
        canonical = orjson.dumps(given, option=orjson.OPT_SORT_KEYS)
        topic = replace(topic, external_id=f"line:{hashlib.sha256(canonical).hexdigest()}")
    return topic


def _reason(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False)
    where = ".".join(str(part) for part in faults[0]["loc"])
    message = str(faults[0]["msg"]).removeprefix("Value error, ")
    more = f"; {len(faults) - 1} more" if len(faults) > 1 else ""
    if faults[0]["type"] == "missing":
        return f"has no {where}{more}"
    return f"{where}: {message[:1].lower()}{message[1:]}{more}"
