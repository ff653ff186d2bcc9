"""Articles out of files and into files. Pure.

A text file is one article whose content is the whole file, byte for byte. JSON holds an article, an
array of them or ``{"articles": […]}``, JSON Lines one a line.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import orjson
from pydantic import ValidationError

from backend.articles.schemas import Article as SentArticle
from dashboard.client.article_schemas import Article, build_blank_article

TEXT_KINDS = ("md", "markdown", "html", "htm", "txt")
KINDS = (*TEXT_KINDS, "json", "jsonl")
MOST_BYTES = 32 * 1024 * 1024
"""What a browser hands over in one message; the command line takes archives of any size."""
FIELDS = ("id", "title", "summary", "content", "tags", "source", "language")
TEXTS = ("title", "summary", "content", "tags")
_STYLES: tuple[dict[str, Any], ...] = tuple(
    {"separators": separators, "ensure_ascii": ascii_only}
    for separators in ((", ", ": "), (",", ":"))
    for ascii_only in (False, True)
)
_MARKS = {
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe\0\0": "utf-32-le",  # before the mark that it begins with
    b"\0\0\xfe\xff": "utf-32-be",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}


class FileRefused(Exception):
    """``code`` names the reason; ``values`` are what its sentence is made with."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


@dataclass(frozen=True, slots=True)
class Opened:
    """What a file holds. ``sent`` are the objects as they stand in it, with fields unknown here."""

    name: str
    kind: str
    articles: tuple[Article, ...]
    sent: tuple[Mapping[str, Any], ...] = ()
    lines: tuple[str, ...] = ()
    """Of JSON Lines: each object as it is written."""
    encoding: str = "utf-8"
    mark: bytes = b""
    """The byte order mark that the file began with."""


def opened(name: str, data: bytes) -> Opened:
    """The articles of a file; raises :class:`FileRefused`."""
    kind = PurePath(name).suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise FileRefused("kind", name=name, kinds=" ".join(f".{one}" for one in KINDS))
    if len(data) > MOST_BYTES:
        raise FileRefused("large", name=name, most=MOST_BYTES // 1024 // 1024)
    mark = next((one for one in _MARKS if data.startswith(one)), b"")
    encoding = _MARKS.get(mark, "utf-8")
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as fault:
        told = encoding.upper().removesuffix("-LE").removesuffix("-BE")
        byte = f"{len(mark) + fault.start:,}"
        raise FileRefused("encoding", name=name, encoding=told, byte=byte) from fault
    if "\0" in text:
        raise FileRefused("binary", name=name)
    if kind in TEXT_KINDS:
        stem = PurePath(name).stem
        article: Article = {**build_blank_article(), "id": stem, "content": text}
        return Opened(name, kind, (article,), encoding=encoding, mark=mark)
    sent = tuple(json_lines(text) if kind == "jsonl" else json_objects(text))
    lines = lines_of(text) if kind == "jsonl" else ()
    return Opened(name, kind, tuple(article_of(one, n) for n, one in enumerate(sent, 1)), sent, lines)


def pasted(text: str) -> Opened:
    """Articles as JSON or as JSON Lines, whichever it is."""
    whole = text.strip()
    lines: tuple[str, ...] = ()
    try:
        sent = tuple(json_objects(whole))
    except FileRefused:
        sent, lines = tuple(json_lines(whole)), lines_of(whole)
    return Opened("", "jsonl", tuple(article_of(one, n) for n, one in enumerate(sent, 1)), sent, lines)


def lines_of(text: str) -> tuple[str, ...]:
    return tuple(line for line in text.split("\n") if line.strip())


def json_lines(text: str) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                value = orjson.loads(line)
            except orjson.JSONDecodeError as fault:
                raise FileRefused("line", line=number, why=fault.msg) from fault
            if not isinstance(value, dict):
                raise FileRefused("not_object", n=number)
            yield value


def json_objects(text: str) -> Sequence[Mapping[str, Any]]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as fault:
        raise FileRefused("json", line=fault.lineno, column=fault.colno, why=fault.msg) from fault
    if isinstance(value, dict) and isinstance(value.get("articles"), list):
        value = value["articles"]
    values = value if isinstance(value, list) else [value]
    for number, one in enumerate(values, 1):
        if not isinstance(one, dict):
            raise FileRefused("not_object", n=number)
    return values


def article_of(sent: Mapping[str, Any], number: int) -> Article:
    """The article that an object describes; what the service would refuse is refused here too."""
    given = {name: sent[name] for name in FIELDS if name in sent}
    if given.get("language") == "":
        given["language"] = None
    if given.get("tags") is None:
        given.pop("tags", None)
    try:
        read = SentArticle.model_validate(given, strict=True)
    except ValidationError as refused:
        fault = refused.errors()[0]
        field = ".".join(map(str, fault["loc"])) or "–"
        raise FileRefused("field", n=number, field=field, why=fault["msg"]) from refused
    return {
        "id": read.id,
        "title": read.title,
        "summary": read.summary,
        "content": read.content,
        "tags": list(read.tags),
        "source": read.source,
        "language": read.language,
    }


def as_markdown(article: Article, opened: Opened | None = None) -> bytes:
    """The content alone where there is nothing else, in the encoding of the file it came from.

    Otherwise title, summary, tags, source and language go before it as YAML front matter (whose values
    are written as JSON, a part of YAML).
    """
    content = article["content"] or ""
    have: Mapping[str, Any] = article
    facts = {name: have[name] for name in FIELDS[1:] if name != "content" and have[name]}
    from_text = opened is not None and opened.kind in TEXT_KINDS
    if facts and not from_text:
        lines = "".join(f"{name}: {json.dumps(fact, ensure_ascii=False)}\n" for name, fact in facts.items())
        content = f"---\n{lines}---\n\n{content}"
    if opened is None:
        return content.encode()
    return opened.mark + content.encode(opened.encoding)


def as_json(article: Article, sent: Mapping[str, Any] | None = None) -> bytes:
    return json.dumps(_merged(article, sent), ensure_ascii=False, indent=2).encode() + b"\n"


def as_json_lines(articles: Sequence[Article], opened: Opened | None = None) -> bytes:
    """One article a line, in the order given.

    A line of ``opened`` that needed no correction is passed on as it stands; in one that did only the
    texts change, and keys, their order and the way it is written stay.
    """
    if opened is None or not opened.sent:
        return "".join(f"{json.dumps(article, ensure_ascii=False)}\n" for article in articles).encode()
    lines = opened.lines or ("",) * len(opened.sent)
    return "".join(
        f"{_line(article, sent, line)}\n"
        for article, sent, line in zip(articles, opened.sent, lines, strict=True)
    ).encode()


def _line(article: Article, sent: Mapping[str, Any], line: str) -> str:
    texts: Mapping[str, Any] = {name: value for name, value in article.items() if name in TEXTS}
    changed = {name: texts.get(name) or value for name, value in sent.items()}
    if line and changed == sent:
        return line
    style = next((one for one in _STYLES if json.dumps(sent, **one) == line.strip()), _STYLES[0])
    return json.dumps(changed, **style)


def name_for(article: Article, opened: Opened | None, kind: str) -> str:
    """A file name for the corrected article: that of the file it came from, or its id."""
    stem = PurePath(opened.name).stem if opened is not None and opened.name else article["id"] or "article"
    safe = "".join(char if char.isalnum() or char in "-_. " else "-" for char in stem).strip(" .")[:80]
    if opened is not None and opened.kind in TEXT_KINDS and kind == "md":
        kind = opened.kind
    return f"{safe or 'article'}-corrected.{kind}"


def _merged(article: Article, sent: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if sent is None:
        return article
    known = {name: value for name, value in article.items() if name in sent or value}
    return {**sent, **known}
