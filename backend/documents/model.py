"""Defines a document and a search hit."""

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
    """A citable document. Every URL in it comes from a retrieval or a user's file.

    ``url`` is the first of ``urls``, which are all sources of the text. ``general_urls`` are those of them
    that are general references, such as a section of a site. Documents about the same event in several
    languages share ``event``. ``facts`` are figures by name, as decimal strings. ``id`` is None until stored.
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
    general_urls: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    event: str | None = None
    stored_at: datetime | None = None
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A search hit. ``score`` is the BM25 score: larger is better, at least 0."""

    document: Document
    score: float
