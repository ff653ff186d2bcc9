"""Reads documents from files: JSON Lines, Markdown, HTML and plain text.

Every document has a URL, from the file or from the caller.
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
from backend.formats.file_errors import FileError
from backend.formats.urls import require_web_url

JSON_LINES_SUFFIXES = frozenset({".jsonl", ".ndjson"})
HTML_SUFFIXES = frozenset({".html", ".htm"})
MAX_URL_CHARS = 2_000
TEXT_SUFFIXES = frozenset({".md", ".markdown", ".txt", ".text"})
MAX_FILE_BYTES = 8 * 1024 * 1024
"""Maximum size of a file with one document, and of a line of JSON Lines."""

_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S[^\r\n]{0,500})", re.MULTILINE)
_HTML_LANGUAGE = re.compile(rb"<html\b[^>]{0,500}?\blang\s*=\s*[\"']?(en|ja|zh)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReadItem:
    """A document or an error, its line (0 for a whole file), and the bytes read for it."""

    result: Document | FileError
    line: int
    size: int


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options of the import.

    ``url`` is the URL of a single file. ``language`` applies to documents without a language; otherwise
    ``language_of`` detects it from the text.
    """

    url: str | None = None
    language: Literal["en", "ja", "zh"] | None = None
    language_of: Callable[[str], str | None] = lambda _read_text: None


def _validate_url(value: str) -> str:
    return require_web_url(value, MAX_URL_CHARS)


def _parse_published(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError("must be text such as 2024-04-20")
    return partial_dates.parse_partial_date(value.strip())


class DocumentFields(BaseModel):
    """One document of a JSON line or a front matter; other fields are ignored."""

    model_config = ConfigDict(frozen=True)

    url: Annotated[
        str, StringConstraints(strip_whitespace=True, max_length=MAX_URL_CHARS), AfterValidator(_validate_url)
    ]
    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_000)]
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_000_000)]
    language: Literal["en", "ja", "zh"] | None = None
    published: Annotated[tuple[datetime, DatePrecision] | None, BeforeValidator(_parse_published)] = Field(
        default=None, validation_alias=AliasChoices("published", "published_at", "date")
    )
    source_type: SourceType = "unknown"


def read_documents(path: Path, options: ReadOptions) -> Iterator[ReadItem]:
    """Read the documents of ``path`` and the errors in it, in order."""
    suffix = path.suffix.lower()
    if suffix not in JSON_LINES_SUFFIXES | HTML_SUFFIXES | TEXT_SUFFIXES:
        yield ReadItem(FileError(path, 0, "must end in .jsonl, .md, .html or .txt"), 0, 0)
        return
    try:
        if suffix in JSON_LINES_SUFFIXES:
            yield from _read_json_lines(path, options)
            return
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        yield ReadItem(FileError(path, 0, f"cannot be read: {error.strerror or type(error).__name__}"), 0, 0)
        return
    if len(data) > MAX_FILE_BYTES:
        yield ReadItem(FileError(path, 0, f"is larger than {MAX_FILE_BYTES // 1024**2} MiB"), 0, len(data))
        return
    yield ReadItem((_read_html if suffix in HTML_SUFFIXES else _read_text)(path, data, options), 0, len(data))


def _read_json_lines(path: Path, options: ReadOptions) -> Iterator[ReadItem]:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_FILE_BYTES + 1):
            number += 1
            size = len(line)
            if size > MAX_FILE_BYTES:
                yield ReadItem(
                    FileError(path, number, f"is longer than {MAX_FILE_BYTES // 1024**2} MiB"), number, size
                )
                return  # the start of the next line is unknown
            line = line.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else line.strip()
            if line:
                yield ReadItem(_parse_json_line(path, number, line, options), number, size)


def _parse_json_line(path: Path, number: int, line: bytes, options: ReadOptions) -> Document | FileError:
    try:
        values = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return FileError(path, number, f"is no valid JSON: {error.msg}")
    if not isinstance(values, dict):
        return FileError(path, number, "must be a JSON object with url, title and text")
    return _build_document(path, lambda _field: number, values, options)


def _read_text(path: Path, data: bytes, options: ReadOptions) -> Document | FileError:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return FileError(path, line, "is not UTF-8: save the file in that encoding")
    values: dict[str, Any] = {}
    lined: yaml_with_lines.LinedYaml | None = None
    if front_matter := _FRONT_MATTER.match(text):
        try:
            lined = yaml_with_lines.parse_yaml(front_matter[1])
        except yaml_with_lines.InvalidYamlError as error:
            return FileError(path, error.line + 1, f"its front matter {error.reason}")
        if isinstance(lined.data, dict):
            values = {**lined.data}
        text = text[front_matter.end() :]
    if not values.get("title"):
        heading = _HEADING.search(text) if path.suffix.lower().startswith(".m") else None
        values["title"] = heading[1].strip() if heading else _build_title_from_name(path)
    values["text"] = text
    return _build_document(path, lambda field: lined.line([field]) + 1 if lined else 0, values, options)


def _read_html(path: Path, data: bytes, options: ReadOptions) -> Document | FileError:
    from trafilatura import bare_extraction  # not at the top: importing it takes half a second

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # its errors are reported below
    extracted = bare_extraction(
        data,
        with_metadata=True,
        include_comments=False,
        # Use only dates that the page declares, not URLs or text that look like dates.
        date_extraction_params={"extensive_search": False, "original_date": True},
    )
    text = getattr(extracted, "text", None)
    if not text:
        return FileError(path, 0, "holds no article that could be told from its surroundings")
    language_match = _HTML_LANGUAGE.search(data)
    values = {
        "url": getattr(extracted, "url", None),
        "title": getattr(extracted, "title", None) or _build_title_from_name(path),
        "text": text,
        "published": getattr(extracted, "date", None),
        "language": language_match[1].decode().lower() if language_match else None,
    }
    return _build_document(path, lambda _field: 0, values, options)


def _build_document(
    path: Path, line_of: Callable[[str], int], values: dict[str, Any], options: ReadOptions
) -> Document | FileError:
    if options.url:
        values = {**values, "url": options.url}
    if not values.get("url"):
        advice = "give it with --url" if path.suffix.lower() in HTML_SUFFIXES else "give it as url"
        also = ", in a front matter or with --url" if path.suffix.lower() in TEXT_SUFFIXES else ""
        return FileError(path, line_of("url"), f"has no address: {advice}{also}")
    try:
        entry = DocumentFields.model_validate(
            {name: value for name, value in values.items() if value not in (None, "")}
        )
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        name = str(detail["loc"][0])
        if detail["type"] == "missing":
            return FileError(path, line_of(name), f"has no {name}")
        reason = strip_library_prefix(str(detail["msg"]))
        return FileError(path, line_of(name), f"{name}: {reason[:1].lower()}{reason[1:]}")
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


def _build_title_from_name(path: Path) -> str:
    return re.sub(r"[-_]+", " ", path.stem).strip() or path.name
