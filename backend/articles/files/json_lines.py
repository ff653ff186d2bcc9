"""Articles in JSON Lines: one object a line, in the interface's shape, with whatever else it holds.

A line that needs no correction is passed on byte for byte. In one that does, only the corrected fields
change; keys, their order and the way the line is written (spaces, escapes) stay.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from backend.articles.engine import apply_and_scan, scan
from backend.articles.files import findings
from backend.articles.files.file_io import BYTE_ORDER_MARK
from backend.articles.files.findings import Finding
from backend.articles.matching.rule_set import RuleSet
from backend.articles.schemas import Article

TEXTS = ("title", "summary", "content", "tags")
STYLES: tuple[dict[str, Any], ...] = tuple(
    {"separators": separators, "ensure_ascii": ascii_only}
    for separators in ((", ", ": "), (",", ":"))
    for ascii_only in (False, True)
)
PIECE = 256 * 1024
"""Bytes of lines that are worked on at once."""


@dataclass(slots=True)
class LineResult:
    """What became of one line: its new bytes, what is (or is left to be) found, and what was wrong."""

    line: bytes
    corrections: int = 0
    findings: list[Finding] = field(default_factory=list)
    mistake: str | None = None


def pieces(lines: Iterable[bytes]) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    """``lines`` in pieces of about :data:`PIECE` bytes, each with the number of its first line."""
    first, piece, size = 1, [], 0
    for number, line in enumerate(lines, start=1):
        piece.append(line)
        size += len(line)
        if size >= PIECE:
            yield first, tuple(piece)
            first, piece, size = number + 1, [], 0
    if piece:
        yield first, tuple(piece)


def work(
    rules: RuleSet, file: str, first: int, lines: Iterable[bytes], *, fix: bool, language: str | None
) -> list[LineResult]:
    """Scans the articles in ``lines``, of which the first has the number ``first``; corrects if ``fix``."""
    return [
        _line(rules, file, number, line, fix, language) if line.strip() else LineResult(line)
        for number, line in enumerate(lines, start=first)
    ]


def _line(rules: RuleSet, file: str, number: int, line: bytes, fix: bool, language: str | None) -> LineResult:
    body = line.rstrip(b"\r\n")
    try:
        raw = json.loads(body.decode().removeprefix(BYTE_ORDER_MARK))
        article = _article(raw, language)
    except (ValueError, RecursionError) as fault:
        return LineResult(line, mistake=f"{file}:{number}: {_in_words(fault)}")
    count = 0
    if fix:
        applied, left = apply_and_scan(rules, article)
        count = applied["applied_count"]
        if count:
            texts: Mapping[str, Any] = applied["corrected_article"]
            corrected = {name: texts[name] for name in TEXTS}
            line = _written_as(body.decode(), raw, corrected) + line[len(body) :]
    else:
        left = scan(rules, article)
    found = list(findings.in_archive(file, number, left, findings.by_id(rules)))
    return LineResult(line, count, found)


def _article(raw: Any, language: str | None) -> Article:
    if not isinstance(raw, dict):
        raise ValueError('the line holds no object; an article is {"title": …, "content": …}')
    if language:
        raw = {**raw, "language": language}
    article = Article.model_validate(raw)
    for name, text in _texts(article):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{name} holds half of a surrogate pair, which is no text") from None
    return article


def _texts(article: Article) -> Iterator[tuple[str, str]]:
    for name in ("id", "title", "summary", "content", "source"):
        text = getattr(article, name)
        if text:
            yield name, text
    for k, tag in enumerate(article.tags or []):
        yield f"tags[{k}]", tag


def _written_as(original: str, raw: dict[str, Any], corrected: dict[str, Any]) -> bytes:
    """The article with its ``corrected`` texts, written as ``original`` is."""
    mark = BYTE_ORDER_MARK if original.startswith(BYTE_ORDER_MARK) else ""
    body = original.removeprefix(mark).strip()
    style = next((style for style in STYLES if json.dumps(raw, **style) == body), STYLES[0])
    changed = {name: corrected.get(name, value) for name, value in raw.items()}
    return (mark + json.dumps(changed, **style)).encode()


def _in_words(fault: ValueError | RecursionError) -> str:
    if isinstance(fault, RecursionError):
        return "nested too deeply"
    if isinstance(fault, UnicodeDecodeError):
        return f"not UTF-8 at byte {fault.start}"
    if isinstance(fault, json.JSONDecodeError):
        return f"no valid JSON at column {fault.colno}: {fault.msg}"
    if isinstance(fault, ValidationError):
        first = fault.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(fault)
