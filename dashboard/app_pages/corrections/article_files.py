"""Parses articles from files and writes them to files. Pure.

A text file is one article whose content is the whole file, byte for byte. JSON holds one article, an array of
articles or ``{"articles": […]}``; JSON Lines holds one article per line.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import orjson
from pydantic import ValidationError

from backend.articles.schemas import DATE_FIELDS
from backend.articles.schemas import Article as ArticleModel
from dashboard.client.article_schemas import Article, build_blank_article

TEXT_FORMATS = ("md", "markdown", "html", "htm", "txt")
FORMATS = (*TEXT_FORMATS, "json", "jsonl")
MAX_FILE_BYTES = 32 * 1024 * 1024
"""Limit of a browser's message to the dashboard; the command line accepts archives of any size."""
FIELDS = ("id", "title", "summary", "content", "tags", "source", "language", "date", "accept")
FRONT_MATTER_FIELDS = ("title", "summary", "tags", "source", "language", "date")
TEXT_FIELDS = ("title", "summary", "content", "tags")
_JSON_STYLES: tuple[dict[str, Any], ...] = tuple(
    {"separators": separators, "ensure_ascii": ascii_only}
    for separators in ((", ", ": "), (",", ":"))
    for ascii_only in (False, True)
)
_BYTE_ORDER_MARKS = {
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe\0\0": "utf-32-le",  # before UTF-16 LE, whose mark is its prefix
    b"\0\0\xfe\xff": "utf-32-be",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}


class InvalidFileError(Exception):
    """``code`` is the reason; ``values`` fill the placeholders of its message."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


@dataclass(frozen=True, slots=True)
class ArticleFile:
    """The content of a file. ``objects`` are its JSON objects with all fields, also unknown ones."""

    name: str
    kind: str
    articles: tuple[Article, ...]
    objects: tuple[Mapping[str, Any], ...] = ()
    lines: tuple[str, ...] = ()
    """The unparsed lines of JSON Lines."""
    encoding: str = "utf-8"
    byte_order_mark: bytes = b""
    """The byte order mark at the start of the file; empty for none."""


def parse_file(name: str, data: bytes) -> ArticleFile:
    """Parse a file; raises :class:`InvalidFileError`."""
    kind = PurePath(name).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise InvalidFileError("kind", name=name, kinds=" ".join(f".{suffix}" for suffix in FORMATS))
    if len(data) > MAX_FILE_BYTES:
        raise InvalidFileError("large", name=name, most=MAX_FILE_BYTES // 1024 // 1024)
    mark = next(
        (byte_order_mark for byte_order_mark in _BYTE_ORDER_MARKS if data.startswith(byte_order_mark)), b""
    )
    encoding = _BYTE_ORDER_MARKS.get(mark, "utf-8")
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        encoding_name = encoding.upper().removesuffix("-LE").removesuffix("-BE")
        byte = f"{len(mark) + error.start:,}"
        raise InvalidFileError("encoding", name=name, encoding=encoding_name, byte=byte) from error
    if "\0" in text:
        raise InvalidFileError("binary", name=name)
    if kind in TEXT_FORMATS:
        stem = PurePath(name).stem
        article: Article = {**build_blank_article(), "id": stem, "content": text}
        return ArticleFile(name, kind, (article,), encoding=encoding, byte_order_mark=mark)
    objects = tuple(parse_json_lines(text) if kind == "jsonl" else parse_json_objects(text))
    lines = split_lines(text) if kind == "jsonl" else ()
    return ArticleFile(
        name,
        kind,
        tuple(parse_article(json_object, n) for n, json_object in enumerate(objects, 1)),
        objects,
        lines,
    )


def parse_pasted(text: str) -> ArticleFile:
    """Parse pasted JSON or JSON Lines; raises :class:`InvalidFileError`."""
    stripped = text.strip()
    lines: tuple[str, ...] = ()
    try:
        objects = tuple(parse_json_objects(stripped))
    except InvalidFileError:
        objects, lines = tuple(parse_json_lines(stripped)), split_lines(stripped)
    return ArticleFile(
        "",
        "jsonl",
        tuple(parse_article(json_object, n) for n, json_object in enumerate(objects, 1)),
        objects,
        lines,
    )


def split_lines(text: str) -> tuple[str, ...]:
    return tuple(line for line in text.split("\n") if line.strip())


def parse_json_lines(text: str) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                value = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise InvalidFileError("line", line=number, why=error.msg) from error
            if not isinstance(value, dict):
                raise InvalidFileError("not_object", n=number)
            yield value


def parse_json_objects(text: str) -> Sequence[Mapping[str, Any]]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidFileError("json", line=error.lineno, column=error.colno, why=error.msg) from error
    if isinstance(value, dict) and isinstance(value.get("articles"), list):
        value = value["articles"]
    values = value if isinstance(value, list) else [value]
    for number, article in enumerate(values, 1):
        if not isinstance(article, dict):
            raise InvalidFileError("not_object", n=number)
    return values


def parse_article(json_object: Mapping[str, Any], number: int) -> Article:
    """Parse an object as an article; objects that the service would reject raise the error, too."""
    values = {name: json_object[name] for name in FIELDS if name in json_object}
    if values.get("language") == "":
        values["language"] = None
    values["date"] = _read_date(json_object)
    if values.get("tags") is None:
        values.pop("tags", None)
    try:
        parsed = ArticleModel.model_validate(values, strict=True)
    except ValidationError as invalid:
        error = invalid.errors()[0]
        field = ".".join(map(str, error["loc"])) or "–"
        raise InvalidFileError("field", n=number, field=field, why=error["msg"]) from invalid
    return {
        "id": parsed.id,
        "title": parsed.title,
        "summary": parsed.summary,
        "content": parsed.content,
        "tags": list(parsed.tags),
        "source": parsed.source,
        "language": parsed.language,
        "date": parsed.date,
        "accept": list(parsed.accept),
    }


def _read_date(json_object: Mapping[str, Any]) -> str | None:
    return next((json_object[name] for name in DATE_FIELDS if isinstance(json_object.get(name), str)), None)


def to_markdown(article: Article, file: ArticleFile | None = None) -> bytes:
    """Write the article as Markdown, in the encoding of its file.

    Title, summary, tags, source, language and date precede the content as YAML front matter, with values in
    JSON (a subset of YAML). An article without these, or from a text file, is only its content.
    """
    content = article["content"] or ""
    have: Mapping[str, Any] = article
    facts = {name: have[name] for name in FRONT_MATTER_FIELDS if have[name]}
    from_text = file is not None and file.kind in TEXT_FORMATS
    if facts and not from_text:
        lines = "".join(f"{name}: {json.dumps(fact, ensure_ascii=False)}\n" for name, fact in facts.items())
        content = f"---\n{lines}---\n\n{content}"
    if file is None:
        return content.encode()
    return file.byte_order_mark + content.encode(file.encoding)


def to_json(article: Article, json_object: Mapping[str, Any] | None = None) -> bytes:
    return json.dumps(_merge_fields(article, json_object), ensure_ascii=False, indent=2).encode() + b"\n"


def to_json_lines(articles: Sequence[Article], file: ArticleFile | None = None) -> bytes:
    """Write one article per line, in order.

    Lines of ``file`` without a change are copied unchanged. In changed lines only the texts and the date
    change; keys, their order and the JSON style stay.
    """
    if file is None or not file.objects:
        return "".join(f"{json.dumps(article, ensure_ascii=False)}\n" for article in articles).encode()
    lines = file.lines or ("",) * len(file.objects)
    return "".join(
        f"{_format_line(article, json_object, line)}\n"
        for article, json_object, line in zip(articles, file.objects, lines, strict=True)
    ).encode()


def _format_line(article: Article, json_object: Mapping[str, Any], line: str) -> str:
    texts: Mapping[str, Any] = {name: value for name, value in article.items() if name in TEXT_FIELDS}
    changed = {name: texts.get(name) or value for name, value in json_object.items()}
    if article["date"] is not None and article["date"] != _read_date(json_object):
        changed["date"] = article["date"]
    if line and changed == json_object:
        return line
    style = next(
        (options for options in _JSON_STYLES if json.dumps(json_object, **options) == line.strip()),
        _JSON_STYLES[0],
    )
    return json.dumps(changed, **style)


def build_file_name(article: Article, file: ArticleFile | None, kind: str) -> str:
    """Build the name of the corrected file from the name of the original file or the article's id."""
    stem = PurePath(file.name).stem if file is not None and file.name else article["id"] or "article"
    safe = "".join(char if char.isalnum() or char in "-_. " else "-" for char in stem).strip(" .")[:80]
    if file is not None and file.kind in TEXT_FORMATS and kind == "md":
        kind = file.kind
    return f"{safe or 'article'}-corrected.{kind}"


def _merge_fields(article: Article, json_object: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if json_object is None:
        return article
    article_fields = {name: value for name, value in article.items() if name in json_object or value}
    if article["date"] in (None, *(json_object.get(name) for name in DATE_FIELDS)):
        article_fields.pop("date", None)  # the object has it already, maybe under another name
    return {**json_object, **article_fields}
