"""Renders a feed as Atom (RFC 4287)."""

import re

from lxml import etree

from backend.formats.timestamps import write_instant
from backend.web_feeds.entry_html import build_html
from backend.web_feeds.model import Entry, Feed

CONTENT_TYPE = "application/atom+xml"
NAMESPACE = "http://www.w3.org/2005/Atom"
LANGUAGE_ATTRIBUTE = "{http://www.w3.org/XML/1998/namespace}lang"
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 forbids."""


def render_atom(feed: Feed) -> bytes:
    root = etree.Element(f"{{{NAMESPACE}}}feed", {LANGUAGE_ATTRIBUTE: feed.language}, nsmap={None: NAMESPACE})
    _add(root, "id", feed.url)
    _add(root, "title", feed.title)
    _add(root, "updated", write_instant(feed.updated_at))
    _add(root, "link", rel="self", type=CONTENT_TYPE, href=feed.url)
    _add(root, "link", rel="alternate", type="text/html", href=feed.home_url)
    _add(root, "generator", "Chainproof")
    _add(_add(root, "author"), "name", "Chainproof")
    for entry in feed.entries:
        _add_entry(root, entry)
    rendered: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return rendered


def _add_entry(root: etree._Element, entry: Entry) -> None:
    element = _add(root, "entry")
    _add(element, "id", entry.id)
    _add(element, "title", entry.title)
    _add(element, "published", write_instant(entry.published_at))
    _add(element, "updated", write_instant(entry.updated_at))
    _add(element, "link", rel="alternate", type="text/html", href=entry.page_url)
    if entry.source_url is not None:
        _add(element, "link", rel="related", href=entry.source_url)
    for tag in entry.tags:
        _add(element, "category", term=tag)
    if entry.summary:
        _add(element, "summary", entry.summary, type="text")
    _add(element, "content", build_html(entry), type="html")


def _add(parent: etree._Element, name: str, text: str | None = None, **attributes: str) -> etree._Element:
    element = etree.SubElement(parent, f"{{{NAMESPACE}}}{name}")
    for attribute, value in attributes.items():
        element.set(attribute, NOT_XML.sub("", value))
    if text is not None:
        element.text = NOT_XML.sub("", text)
    return element
