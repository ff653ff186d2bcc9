"""A document as everything reads it, and a hit of a search."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

SourceType = Literal[
    "regulator",
    "court",
    "government",
    "onchain",
    "official",
    "exchange",
    "data_provider",
    "press",
    "trade_press",
    "social",
    "blog",
    "unknown",
]

DocumentKind = Literal["landmark", "page", "article", "topic", "user"]
DatePrecision = Literal["year", "month", "day", "second"]


@dataclass(frozen=True, slots=True)
class Document:
    """Something that can be cited: every address in it came from a retrieval or an editor's file.

    ``url`` is the first of ``urls``, all of which are sources of what the text says. ``event`` is one
    name for documents that tell the same event in several languages. ``facts`` are figures by name,
    as decimal strings. ``id`` is None until stored.
    """

    kind: DocumentKind
    external_id: str
    url: str
    title: str
    text: str
    language: str | None = None
    published_at: datetime | None = None
    date_precision: DatePrecision | None = None
    source_type: SourceType = "unknown"
    urls: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    event: str | None = None
    stored_at: datetime | None = None
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that a search found. ``score`` is its BM25, larger is better, 0 at the least."""

    document: Document
    score: float
