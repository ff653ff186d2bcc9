"""Scans articles in JSON Lines: one object per line, in the format of the API, other fields kept.

A line that needs no correction is passed on byte for byte. In one that does, only the corrected fields
change; keys, their order and the way the line is written (spaces, escapes) stay.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from backend.articles.engine import apply_and_scan, scan
from backend.articles.files import findings
from backend.articles.files.file_io import BYTE_ORDER_MARK
from backend.articles.files.findings import Finding
from backend.articles.matching.rule_set import RuleSet
from backend.articles.schemas import DATE_FIELDS, Article, accept_in_all

TEXT_FIELDS = ("title", "summary", "content", "tags")
JSON_STYLES: tuple[dict[str, Any], ...] = tuple(
    {"separators": separators, "ensure_ascii": ascii_only}
    for separators in ((", ", ": "), (",", ":"))
    for ascii_only in (False, True)
)
CHUNK_BYTES = 256 * 1024
"""Size of the chunk of lines that one task scans."""


@dataclass(slots=True)
class LineResult:
    """The result of one line: its new bytes, its (remaining) findings, and its error."""

    line: bytes
    corrections: int = 0
    findings: list[Finding] = field(default_factory=list)
    error: str | None = None


def split_chunks(lines: Iterable[bytes]) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    """Split ``lines`` into chunks of about :data:`CHUNK_BYTES` bytes, each with its first line number."""
    first, chunk, size = 1, [], 0
    for number, line in enumerate(lines, start=1):
        chunk.append(line)
        size += len(line)
        if size >= CHUNK_BYTES:
            yield first, tuple(chunk)
            first, chunk, size = number + 1, [], 0
    if chunk:
        yield first, tuple(chunk)


def scan_lines(
    rules: RuleSet,
    file: str,
    first: int,
    lines: Iterable[bytes],
    *,
    fix: bool,
    language: str | None,
    accept: Sequence[str] = (),
) -> list[LineResult]:
    """Scan the articles in ``lines``, numbered from ``first``; correct them if ``fix``.

    ``accept`` lists texts that stay as they are written, besides those of each article.
    """
    return [
        _scan_line(rules, file, number, line, fix, language, accept) if line.strip() else LineResult(line)
        for number, line in enumerate(lines, start=first)
    ]


def _scan_line(
    rules: RuleSet,
    file: str,
    number: int,
    line: bytes,
    fix: bool,
    language: str | None,
    accept: Sequence[str],
) -> LineResult:
    body = line.rstrip(b"\r\n")
    try:
        raw = json.loads(body.decode().removeprefix(BYTE_ORDER_MARK))
        [article] = accept_in_all([_parse_article(raw, language)], accept)
    except (ValueError, RecursionError) as error:
        return LineResult(line, error=f"{file}:{number}: {_format_error(error)}")
    count = 0
    if fix:
        applied, remaining = apply_and_scan(rules, article)
        count = applied["applied_count"]
        if count:
            texts: Mapping[str, Any] = applied["corrected_article"]
            corrected = {name: texts[name] for name in TEXT_FIELDS}
            line = _encode_like(body.decode(), raw, corrected) + line[len(body) :]
    else:
        remaining = scan(rules, article)
    found = list(findings.build_archive_findings(file, number, remaining, findings.get_rules_by_id(rules)))
    return LineResult(line, count, found)


def _parse_article(raw: Any, language: str | None) -> Article:
    if not isinstance(raw, dict):
        raise ValueError('must be a JSON object such as {"title": …, "content": …}')
    if language:
        raw = {**raw, "language": language}
    date = next((raw[name] for name in DATE_FIELDS if isinstance(raw.get(name), str)), None)
    if date is not None:
        raw = {**raw, "date": date}
    article = Article.model_validate(raw)
    for name, text in _list_texts(article):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{name} must not contain a lone surrogate") from None
    return article


def _list_texts(article: Article) -> Iterator[tuple[str, str]]:
    for name in ("id", "title", "summary", "content", "source"):
        text = getattr(article, name)
        if text:
            yield name, text
    for k, tag in enumerate(article.tags or []):
        yield f"tags[{k}]", tag


def _encode_like(original: str, raw: dict[str, Any], corrected: dict[str, Any]) -> bytes:
    """Encode the article with its ``corrected`` texts in the JSON style of ``original``."""
    mark = BYTE_ORDER_MARK if original.startswith(BYTE_ORDER_MARK) else ""
    body = original.removeprefix(mark).strip()
    style = next((style for style in JSON_STYLES if json.dumps(raw, **style) == body), JSON_STYLES[0])
    changed = {name: corrected.get(name, value) for name, value in raw.items()}
    return (mark + json.dumps(changed, **style)).encode()


def _format_error(error: ValueError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at byte {error.start}"
    if isinstance(error, json.JSONDecodeError):
        return f"invalid JSON at column {error.colno}: {error.msg}"
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error)
