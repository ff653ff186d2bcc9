"""Parses feeds in RSS 2.0 and earlier, RSS 1.0 (RDF) and Atom into plain entries. No I/O.

Elements are identified by their lower-case names: those of RSS and Atom without a prefix, those of the
modules in :data:`_PREFIXES` with the usual prefix, independent of the prefix in the feed."""

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
from backend.topics.feeds import entry_dates, entry_links, entry_text, polling_interval, xml_tree
from backend.topics.feeds.entry_links import Link
from backend.topics.feeds.polling_interval import PollingHints
from backend.topics.feeds.xml_tree import NotAFeedError

__all__ = ["MAX_ENTRIES", "Entry", "NotAFeedError", "ParsedFeed", "parse"]

MAX_ENTRIES = 200
"""Only the first entries of a feed are read; in nearly all feeds they are the newest."""
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
_FULL_TEXTS = ("content:encoded", "content", "body")
_SUMMARIES = ("description", "summary", "abstract", "dc:description", "itunes:summary", "media:description")
_PUBLISHED = ("pubdate", "published", "issued", "dcterms:issued")
_UPDATED = ("updated", "modified", "lastbuilddate", "dc:date", "dcterms:modified")
_CREATED = ("created", "dcterms:created")
_TAG_PREFIX = re.compile(r"(</?)[A-Za-z][\w.-]*:")
_NON_ARTICLE_LINKS = frozenset(
    {"self", "enclosure", "replies", "edit", "hub", "license", "payment", "via", "related"}
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as plain text. ``url`` is canonical; ``guid`` is the publisher's identifier.

    ``published_at`` is the date in the entry, possibly in the future; None without a readable date. ``dated``
    is True for a date of publication and False for one of the last change. ``links`` are those of its bodies.
    """

    guid: str
    url: str
    title: str
    text: str
    image: str | None
    published_at: datetime | None
    dated: bool
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """A parsed feed. ``updated_at`` is the feed's own date of its last change. ``left_out`` counts unusable
    entries: without a public URL, or without any text."""

    title: str
    updated_at: datetime | None
    entries: tuple[Entry, ...]
    left_out: int
    pace: PollingHints


def parse(body: bytes, *, url: str, language: Language, charset: str | None = None) -> ParsedFeed:
    """Parse the feed at ``url``. Relative URLs are relative to the feed's own base or to ``url``.

    Raises :class:`NotAFeedError`.
    """
    root = xml_tree.parse_tree(body, language, charset, url=url)
    items = [element for element in root.iter() if _name(element) in ("item", "entry")][:MAX_ENTRIES]
    channel = next((element for element in root if _name(element) == "channel"), None)
    if channel is None and not items and not _name(root).endswith(("rss", "feed")):
        raise NotAFeedError("sent nothing that is a feed")
    head = _Fields(root if channel is None else channel)
    name = entry_text.extract_title(head.markup(_TITLES))
    parsed = [_parse_entry(_Fields(item), url, name, language) for item in items]
    entries = tuple(entry for entry in parsed if entry is not None)
    updated = head.parse_date(_UPDATED, language) or head.parse_date(_PUBLISHED, language)
    return ParsedFeed(
        name, updated, entries, len(parsed) - len(entries), polling_interval.parse_polling_hints(root)
    )


class _Fields:
    """Looks up the children of an entry or of a feed's head by name."""

    def __init__(self, element: etree._Element) -> None:
        self.element = element
        self._by_name: dict[str, list[etree._Element]] = {}
        for child in element:
            self._by_name.setdefault(_name(child), []).append(child)

    def find_all(self, *names: str) -> Iterator[etree._Element]:
        for name in names:
            yield from self._by_name.get(name, ())

    def text(self, *names: str) -> str:
        """Return the text of the first element with any text; empty if there is none."""
        return next((text for element in self.find_all(*names) if (text := _get_text(element))), "")

    def markups(self, names: tuple[str, ...]) -> Iterator[str]:
        """Generate the HTML content of the elements that are not empty."""
        return (markup for element in self.find_all(*names) if (markup := _get_markup(element)))

    def markup(self, names: tuple[str, ...]) -> str:
        return next(self.markups(names), "")

    def parse_date(self, names: tuple[str, ...], language: Language) -> datetime | None:
        """Return the first readable date."""
        moments = (entry_dates.parse_date(_get_text(element), language) for element in self.find_all(*names))
        return next((moment for moment in moments if moment is not None), None)


def _parse_entry(fields: _Fields, feed_url: str, feed_name: str, language: Language) -> Entry | None:
    base = fields.element.base or feed_url
    guid = fields.text("guid", "id") or _get_attribute(fields.element, "about")
    addresses = (
        canonical_url
        for link in _list_link_candidates(fields, guid)
        if (canonical_url := canonical_urls.canonicalize(link, base))
    )
    url = next(addresses, None)
    if url is None:
        return None
    bodies = [*fields.markups(_FULL_TEXTS), *fields.markups(_SUMMARIES)]
    own_title = entry_text.extract_title(fields.markup(_TITLES))
    texts = (entry_text.extract_text(body, without=(own_title, feed_name)) for body in bodies)
    text = next((text for text in texts if text), "")
    title = own_title or entry_text.extract_title("", text)
    if not title:
        return None
    published = fields.parse_date(_PUBLISHED, language)
    at = published or fields.parse_date(_UPDATED, language) or fields.parse_date(_CREATED, language)
    picture = _find_image(fields, bodies, base)
    links = tuple(dict.fromkeys(link for body in bodies for link in entry_links.extract_links(body, base)))
    return Entry(guid or url, url, title, text, picture, at, published is not None, links)


def _list_link_candidates(fields: _Fields, guid: str) -> Iterator[str]:
    """Generate candidates for the URL of the entry, the most likely first."""
    yield fields.text("feedburner:origlink")
    links = [(_get_attribute(link, "rel") or "alternate", link) for link in fields.find_all("link")]
    links.sort(key=lambda link: link[0] != "alternate")
    for rel, link in links:
        if rel not in _NON_ARTICLE_LINKS:
            yield _get_attribute(link, "href") or _get_text(link).replace("&amp;", "&")
    if guid.lower().startswith(("http://", "https://")):
        yield guid


def _find_image(fields: _Fields, bodies: list[str], base: str) -> str | None:
    media = [element for element in fields.element.iter() if _name(element).startswith("media:")]
    contents = [element for element in media if _name(element) == "media:content"]
    for element in (*contents, *fields.find_all("enclosure", "link")):
        is_image = _get_attribute(element, "medium") == "image" or _get_attribute(element, "type").startswith(
            "image/"
        )
        address = _get_attribute(element, "url") or _get_attribute(element, "href")
        if is_image and (image_url := canonical_urls.canonicalize_image(address, base)):
            return image_url
    for element in media:
        if _name(element) == "media:thumbnail" and (
            image_url := canonical_urls.canonicalize_image(
                _get_attribute(element, "url") or _get_text(element), base
            )
        ):
            return image_url
    return next((image_url for body in bodies if (image_url := entry_text.extract_image(body, base))), None)


def _name(element: etree._Element) -> str:
    namespace, _, local = element.tag.rpartition("}")
    prefix = _PREFIXES.get(namespace[1:].lower(), element.prefix or "")
    return f"{prefix}:{local}".lower().removeprefix(":")


def _get_attribute(element: etree._Element, name: str) -> str:
    """Return the attribute with this local name in any namespace; empty if there is none."""
    matching_values = (value for key, value in element.items() if key.rpartition("}")[2].lower() == name)
    return next(matching_values, "").strip()


def _get_text(element: etree._Element) -> str:
    """Return the text before the first child: a missing end tag would add text of other elements."""
    return (element.text or "").strip()


def _get_markup(element: etree._Element) -> str:
    """Return the content of ``element`` as HTML: its text is escaped HTML, its elements are XHTML."""
    text = element.text or ""
    if len(element) or _get_attribute(element, "type").endswith("xhtml"):
        child_markup = (etree.tostring(child, encoding="unicode") for child in element)
        text = _TAG_PREFIX.sub(r"\1", "".join((escape(text), *child_markup)))
    with suppress(UnicodeError):  # UTF-8 that was decoded as Latin-1 and encoded again
        text = text.encode("latin-1").decode()
    return text.strip()
