"""Documents out of files: JSON Lines, Markdown, HTML and plain text.

Every document says where it is from: its address is in the file, or the caller gives it.
"""

import hashlib
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from backend.documents import partial_dates
from backend.documents.model import DatePrecision, Document, SourceType
from backend.errors import strip_library_prefix
from backend.formats import yaml_with_lines
from backend.formats.file_errors import FileMistake
from backend.formats.urls import has_valid_host

LINES = frozenset({".jsonl", ".ndjson"})
HTML = frozenset({".html", ".htm"})
TEXTS = frozenset({".md", ".markdown", ".txt", ".text"})
MAX_BYTES = 8 * 1024 * 1024
"""Of a file of one document, and of a line of JSON Lines."""

_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S[^\r\n]{0,500})", re.MULTILINE)
_HTML_LANGUAGE = re.compile(rb"<html\b[^>]{0,500}?\blang\s*=\s*[\"']?(en|ja|zh)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s/?#@]+(?:[/?#]\S*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Read:
    """A document or a mistake, its line (0 for a whole file), and how many bytes were read for it."""

    what: Document | FileMistake
    line: int
    size: int


@dataclass(frozen=True, slots=True)
class Options:
    """``url`` is the address of the one file that is read; ``language`` of all that name none, and
    ``language_of`` finds it out from a text otherwise."""

    url: str | None = None
    language: Literal["en", "ja", "zh"] | None = None
    language_of: Callable[[str], str | None] = lambda _text: None


def _address(value: str) -> str:
    if not _ADDRESS.fullmatch(value) or not has_valid_host(value):
        raise ValueError("must be an address that begins with https:// or http://")
    return value


def _published(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError("must be text such as 2024-04-20")
    return partial_dates.parse(value.strip())


class Entry(BaseModel):
    """One document as a line of JSON or a front matter writes it; other fields are let be."""

    model_config = ConfigDict(frozen=True)

    url: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000), AfterValidator(_address)]
    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_000)]
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_000_000)]
    language: Literal["en", "ja", "zh"] | None = None
    published: Annotated[tuple[datetime, DatePrecision] | None, BeforeValidator(_published)] = Field(
        default=None, validation_alias=AliasChoices("published", "published_at", "date")
    )
    source_type: SourceType = "unknown"


def read(path: Path, options: Options) -> Iterator[Read]:
    """The documents of ``path`` and the mistakes in it, in order."""
    suffix = path.suffix.lower()
    if suffix not in LINES | HTML | TEXTS:
        yield Read(FileMistake(path, 0, "must end in .jsonl, .md, .html or .txt"), 0, 0)
        return
    try:
        if suffix in LINES:
            yield from _lines(path, options)
            return
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        yield Read(FileMistake(path, 0, f"cannot be read: {error.strerror or type(error).__name__}"), 0, 0)
        return
    if len(data) > MAX_BYTES:
        yield Read(FileMistake(path, 0, f"is larger than {MAX_BYTES // 1024**2} MiB"), 0, len(data))
        return
    yield Read((_html if suffix in HTML else _text)(path, data, options), 0, len(data))


def _lines(path: Path, options: Options) -> Iterator[Read]:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_BYTES + 1):
            number += 1
            size = len(line)
            if size > MAX_BYTES:
                yield Read(
                    FileMistake(path, number, f"is longer than {MAX_BYTES // 1024**2} MiB"), number, size
                )
                return  # where the next one begins would have to be searched for
            line = line.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else line.strip()
            if line:
                yield Read(_line(path, number, line, options), number, size)


def _line(path: Path, number: int, line: bytes, options: Options) -> Document | FileMistake:
    try:
        given = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return FileMistake(path, number, f"is no valid JSON: {error.msg}")
    if not isinstance(given, dict):
        return FileMistake(path, number, "must be a JSON object with url, title and text")
    return _document(path, lambda _field: number, given, options)


def _text(path: Path, data: bytes, options: Options) -> Document | FileMistake:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return FileMistake(path, line, "is not UTF-8: save the file in that encoding")
    given: dict[str, Any] = {}
    lined: yaml_with_lines.LinedYaml | None = None
    if matter := _FRONT_MATTER.match(text):
        try:
            lined = yaml_with_lines.parse_yaml(matter[1])
        except yaml_with_lines.InvalidYamlError as mistake:
            return FileMistake(path, mistake.line + 1, f"its front matter {mistake.reason}")
        if isinstance(lined.data, dict):
            given = {**lined.data}
        text = text[matter.end() :]
    if not given.get("title"):
        heading = _HEADING.search(text) if path.suffix.lower().startswith(".m") else None
        given["title"] = heading[1].strip() if heading else _name(path)
    given["text"] = text
    return _document(path, lambda field: lined.line([field]) + 1 if lined else 0, given, options)


def _html(path: Path, data: bytes, options: Options) -> Document | FileMistake:
    from trafilatura import bare_extraction  # not at the top: it takes half a second

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # what it cannot read is told below
    found = bare_extraction(
        data,
        with_metadata=True,
        include_comments=False,
        # Only what the page itself says: an address or text that looks like a day is no date of it.
        date_extraction_params={"extensive_search": False, "original_date": True},
    )
    text = getattr(found, "text", None)
    if not text:
        return FileMistake(path, 0, "holds no article that could be told from its surroundings")
    named = _HTML_LANGUAGE.search(data)
    given = {
        "url": getattr(found, "url", None),
        "title": getattr(found, "title", None) or _name(path),
        "text": text,
        "published": getattr(found, "date", None),
        "language": named[1].decode().lower() if named else None,
    }
    return _document(path, lambda _field: 0, given, options)


def _document(
    path: Path, line_of: Callable[[str], int], given: dict[str, Any], options: Options
) -> Document | FileMistake:
    if options.url:
        given = {**given, "url": options.url}
    if not given.get("url"):
        where = "give it with --url" if path.suffix.lower() in HTML else "give it as url"
        also = ", in a front matter or with --url" if path.suffix.lower() in TEXTS else ""
        return FileMistake(path, line_of("url"), f"has no address: {where}{also}")
    try:
        entry = Entry.model_validate(
            {name: value for name, value in given.items() if value not in (None, "")}
        )
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        name = str(fault["loc"][0])
        if fault["type"] == "missing":
            return FileMistake(path, line_of(name), f"has no {name}")
        reason = strip_library_prefix(str(fault["msg"]))
        return FileMistake(path, line_of(name), f"{name}: {reason[:1].lower()}{reason[1:]}")
    moment, precision = entry.published or (None, None)
    return Document(
        kind="user",
        external_id=hashlib.sha256(entry.url.encode()).hexdigest(),
        url=entry.url,
        title=entry.title,
        text=entry.text,
        language=entry.language or options.language or options.language_of(f"{entry.title}\n{entry.text}"),
        published_at=moment,
        date_precision=precision,
        source_type=entry.source_type,
    )


def _name(path: Path) -> str:
    return re.sub(r"[-_]+", " ", path.stem).strip() or path.name
