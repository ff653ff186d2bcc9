"""Reading a feed: RSS 2.0 and its forerunners, RSS 1.0 (RDF) and Atom become plain entries. Pure.

feedparser knows the formats; what it is given was made harmless, and what it gives is taken as hostile.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import feedparser  # type: ignore[import-untyped]  # it has no types

from backend.entities.model import Language
from backend.topics import addresses, feed_dates, feed_pace, feed_text, feed_xml
from backend.topics.feed_pace import Pace
from backend.topics.feed_xml import NotAFeed

__all__ = ["Entry", "NotAFeed", "ParsedFeed", "parse"]

_NO_ARTICLE = frozenset(
    {"self", "enclosure", "replies", "edit", "hub", "license", "payment", "via", "related"}
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as plain text. ``url`` is canonical; ``guid`` is what the publisher knows it by.

    ``published_at`` is as the entry says (it may lie ahead); None where it says nothing that can be read.
    ``dated`` tells an instant of publication from one of the last change.
    """

    guid: str
    url: str
    title: str
    text: str
    image: str | None
    published_at: datetime | None
    dated: bool


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """``updated_at`` is when the feed says it last changed. ``left_out`` counts entries that cannot be
    used: without an address of the open web, or without any text."""

    title: str
    updated_at: datetime | None
    entries: tuple[Entry, ...]
    left_out: int
    pace: Pace


def parse(body: bytes, *, url: str, language: Language, charset: str | None = None) -> ParsedFeed:
    """The feed found at ``url``; relative addresses are relative to its own base or to that.

    Raises :class:`NotAFeed`.
    """
    well_formed = feed_xml.well_formed(body, language, charset)
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": url}
    # A stream: of a string feedparser would fetch the address or open the file that it names.
    found = feedparser.parse(
        io.BytesIO(well_formed), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
    )
    if not found.version and not found.entries:
        raise NotAFeed("sent nothing that is a feed")
    name = feed_text.title_of(_text(found.feed, "title"))
    entries, left_out = [], 0
    for raw in found.entries[: feed_xml.MOST_ENTRIES]:
        entry = _entry(raw, url, name, language)
        if entry is None:
            left_out += 1
        else:
            entries.append(entry)
    updated = _dated(found.feed, ("updated", "published"), language)
    return ParsedFeed(name, updated, tuple(entries), left_out, feed_pace.pace_of(well_formed))


def _entry(raw: Any, base: str, feed_name: str, language: Language) -> Entry | None:
    url = next((found for link in _links(raw) if (found := addresses.canonical(link, base))), None)
    if url is None:
        return None
    bodies = _bodies(raw)
    named = feed_text.title_of(_text(raw, "title"))
    texts = (feed_text.text_of(body, without=(named, feed_name)) for body in bodies)
    text = next((text for text in texts if text), "")
    title = named or feed_text.title_of("", text)
    if not title:
        return None
    published = _dated(raw, ("published",), language)
    guid = _text(raw, "id").strip() or url
    at = published or _dated(raw, ("updated", "created"), language)
    return Entry(guid, url, title, text, _picture(raw, bodies, base), at, published is not None)


def _text(raw: Any, name: str) -> str:
    """Not by ``raw.get``, which gives other fields in the place of missing ones."""
    value = dict.get(raw, name)
    return value if isinstance(value, str) else ""


def _dated(raw: Any, names: tuple[str, ...], language: Language) -> datetime | None:
    moments = (feed_dates.read(_text(raw, name), language) for name in names)
    return next((moment for moment in moments if moment is not None), None)


def _links(raw: Any) -> Iterator[str]:
    """Where the entry may stand, the likeliest first."""
    yield _text(raw, "feedburner_origlink")
    yield _text(raw, "link")
    for link in _mappings(raw, "links"):
        if _text(link, "rel") not in _NO_ARTICLE:
            yield _text(link, "href")
    guid = _text(raw, "id").strip()
    if guid.lower().startswith(("http://", "https://")):
        yield guid


def _bodies(raw: Any) -> list[str]:
    """The entry's texts as HTML, whole ones before summaries."""
    whole = [_text(content, "value") for content in _mappings(raw, "content")]
    return [body for body in (*whole, _text(raw, "summary")) if body.strip()]


def _picture(raw: Any, bodies: list[str], base: str) -> str | None:
    for item in (*_mappings(raw, "media_content"), *_mappings(raw, "links")):
        is_image = _text(item, "medium") == "image" or _text(item, "type").startswith("image/")
        if is_image and (found := addresses.image(_text(item, "url") or _text(item, "href"), base)):
            return found
    for item in _mappings(raw, "media_thumbnail"):
        if found := addresses.image(_text(item, "url"), base):
            return found
    return next((found for body in bodies if (found := feed_text.picture_of(body, base))), None)


def _mappings(raw: Any, name: str) -> list[Any]:
    value = dict.get(raw, name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
