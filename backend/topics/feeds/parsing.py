"""Parses a feed: RSS 2.0 and its forerunners, RSS 1.0 (RDF) and Atom become plain entries. Pure.

Elements are known by their lower-case names: those of RSS and Atom without a prefix, those of the modules in
:data:`_PREFIXES` with the usual one, whatever prefix the feed gives them.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from xml.sax.saxutils import escape

from lxml import etree

from backend.entities.model import Language
from backend.topics import canonical_urls
from backend.topics.feeds import entry_dates, entry_text, polling_interval, xml_tree
from backend.topics.feeds.polling_interval import Pace
from backend.topics.feeds.xml_tree import NotAFeed

__all__ = ["MAX_ENTRIES", "Entry", "NotAFeed", "ParsedFeed", "parse"]

MAX_ENTRIES = 200
"""Entries of one feed that are read: those that come first, which are the newest nearly everywhere."""
_PREFIXES = MappingProxyType({
    "http://www.w3.org/2005/atom": "",
    "http://purl.org/atom/ns#": "",
    "http://purl.org/rss/1.0/": "",
    "http://my.netscape.com/rdf/simple/0.9/": "",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://purl.org/rss/1.0/modules/content/": "content",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "http://search.yahoo.com/mrss/": "media",
    "http://search.yahoo.com/mrss": "media",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
})  # fmt: skip
_TITLES = ("title", "dc:title", "media:title")
_WHOLE_TEXTS = ("content:encoded", "content", "body")
_SUMMARIES = ("description", "summary", "abstract", "dc:description", "itunes:summary", "media:description")
_PUBLISHED = ("pubdate", "published", "issued", "dcterms:issued")
_UPDATED = ("updated", "modified", "lastbuilddate", "dc:date", "dcterms:modified")
_CREATED = ("created", "dcterms:created")
_TAG_PREFIX = re.compile(r"(</?)[A-Za-z][\w.-]*:")
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
    root = xml_tree.parse_tree(body, language, charset, url=url)
    items = [element for element in root.iter() if _name(element) in ("item", "entry")][:MAX_ENTRIES]
    channel = next((element for element in root if _name(element) == "channel"), None)
    if channel is None and not items and not _name(root).endswith(("rss", "feed")):
        raise NotAFeed("sent nothing that is a feed")
    head = _Fields(root if channel is None else channel)
    name = entry_text.title_of(head.markup(_TITLES))
    read = [_entry(_Fields(item), url, name, language) for item in items]
    entries = tuple(entry for entry in read if entry is not None)
    updated = head.instant(_UPDATED, language) or head.instant(_PUBLISHED, language)
    return ParsedFeed(name, updated, entries, len(read) - len(entries), polling_interval.pace_of(root))


class _Fields:
    """The children of an entry or of a feed's head, by name."""

    def __init__(self, element: etree._Element) -> None:
        self.element = element
        self._by_name: dict[str, list[etree._Element]] = {}
        for child in element:
            self._by_name.setdefault(_name(child), []).append(child)

    def all(self, *names: str) -> Iterator[etree._Element]:
        for name in names:
            yield from self._by_name.get(name, ())

    def text(self, *names: str) -> str:
        """The text of the first element that has any; empty where none has."""
        return next((text for element in self.all(*names) if (text := _text(element))), "")

    def markups(self, names: tuple[str, ...]) -> Iterator[str]:
        """What elements hold as HTML, where they hold anything."""
        return (markup for element in self.all(*names) if (markup := _markup(element)))

    def markup(self, names: tuple[str, ...]) -> str:
        return next(self.markups(names), "")

    def instant(self, names: tuple[str, ...], language: Language) -> datetime | None:
        """The first that can be read."""
        moments = (entry_dates.read(_text(element), language) for element in self.all(*names))
        return next((moment for moment in moments if moment is not None), None)


def _entry(fields: _Fields, feed_url: str, feed_name: str, language: Language) -> Entry | None:
    base = fields.element.base or feed_url
    guid = fields.text("guid", "id") or _attribute(fields.element, "about")
    links = (found for link in _links(fields, guid) if (found := canonical_urls.canonicalize(link, base)))
    url = next(links, None)
    if url is None:
        return None
    bodies = [*fields.markups(_WHOLE_TEXTS), *fields.markups(_SUMMARIES)]
    named = entry_text.title_of(fields.markup(_TITLES))
    texts = (entry_text.text_of(body, without=(named, feed_name)) for body in bodies)
    text = next((text for text in texts if text), "")
    title = named or entry_text.title_of("", text)
    if not title:
        return None
    published = fields.instant(_PUBLISHED, language)
    at = published or fields.instant(_UPDATED, language) or fields.instant(_CREATED, language)
    picture = _picture(fields, bodies, base)
    return Entry(guid or url, url, title, text, picture, at, published is not None)


def _links(fields: _Fields, guid: str) -> Iterator[str]:
    """Where the entry may stand, the likeliest first."""
    yield fields.text("feedburner:origlink")
    links = [(_attribute(link, "rel") or "alternate", link) for link in fields.all("link")]
    links.sort(key=lambda one: one[0] != "alternate")
    for rel, link in links:
        if rel not in _NO_ARTICLE:
            yield _attribute(link, "href") or _text(link).replace("&amp;", "&")
    if guid.lower().startswith(("http://", "https://")):
        yield guid


def _picture(fields: _Fields, bodies: list[str], base: str) -> str | None:
    media = [element for element in fields.element.iter() if _name(element).startswith("media:")]
    contents = [element for element in media if _name(element) == "media:content"]
    for element in (*contents, *fields.all("enclosure", "link")):
        is_image = _attribute(element, "medium") == "image" or _attribute(element, "type").startswith(
            "image/"
        )
        address = _attribute(element, "url") or _attribute(element, "href")
        if is_image and (found := canonical_urls.canonicalize_image(address, base)):
            return found
    for element in media:
        if _name(element) == "media:thumbnail" and (
            found := canonical_urls.canonicalize_image(_attribute(element, "url") or _text(element), base)
        ):
            return found
    return next((found for body in bodies if (found := entry_text.picture_of(body, base))), None)


def _name(element: etree._Element) -> str:
    namespace, _, local = element.tag.rpartition("}")
    prefix = _PREFIXES.get(namespace[1:].lower(), element.prefix or "")
    return f"{prefix}:{local}".lower().removeprefix(":")


def _attribute(element: etree._Element, name: str) -> str:
    """The attribute of this local name, in whatever namespace; empty where there is none."""
    found = (value for key, value in element.items() if key.rpartition("}")[2].lower() == name)
    return next(found, "").strip()


def _text(element: etree._Element) -> str:
    """Its text before any other element: what a missing end tag would put into it is not its own."""
    return (element.text or "").strip()


def _markup(element: etree._Element) -> str:
    """What ``element`` holds as HTML: its text is HTML that was escaped, its elements are XHTML."""
    text = element.text or ""
    if len(element) or _attribute(element, "type").endswith("xhtml"):
        inside = (etree.tostring(child, encoding="unicode") for child in element)
        text = _TAG_PREFIX.sub(r"\1", "".join((escape(text), *inside)))
    with suppress(UnicodeError):  # UTF-8 that somebody took for Latin-1 and encoded again
        text = text.encode("latin-1").decode()
    return text.strip()
