"""Parses a feed's bytes into an XML tree of nothing but elements and text.

Feeds come in encodings that they do not name, behind a byte order mark or a blank line, with bare
ampersands, undeclared prefixes and unclosed tags; and some come to do harm. Whatever stands before the
root element goes (and with it every document type, so that no entity is ever declared), the encoding is
found by trying, and a parser that recovers from mistakes reads the rest.
"""

import codecs
import html
import re
from collections.abc import Mapping
from types import MappingProxyType

from lxml import etree

from backend.entities.model import Language

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNMARKED = ((b"<\0?\0", "utf-16-le"), (b"\0<\0?", "utf-16-be"), (b"<\0r\0", "utf-16-le"))
_DECLARED = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']")
_GUESSES: Mapping[Language, tuple[str, ...]] = MappingProxyType(
    {"en": ("cp1252",), "ja": ("cp932", "euc_jp"), "zh": ("gb18030", "big5")}
)
_SUPERSETS = {
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
}
"""What those who name the first nearly always mean."""
_FEW_DAMAGED = 0.02
"""Share of a text's letters beyond ASCII that may be damaged for it still to be UTF-8."""
_ROOT = re.compile(r"<(?:[A-Za-z][\w.-]{0,20}:)?(rss|rdf|feed)\b[^<>]*>", re.IGNORECASE)
_CDATA_START = "<![CDATA["
_REFERENCE = re.compile(r"&(?:#(?:\d{1,7}|[xX][0-9A-Fa-f]{1,6});|([A-Za-z][A-Za-z0-9]{0,31});)?")
_OF_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})
_PREFIX = re.compile(
    r"<([A-Za-z_][\w.-]{0,30}):[A-Za-z_]|\s([A-Za-z_][\w.-]{0,30}):[A-Za-z_][\w.-]{0,60}\s*="
)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ENDLESS_TAG = re.compile(r"<[A-Za-z_][^<>]{4000,}>")
"""With thousands of attributes, each of which a parser compares with all others."""
_NAMESPACES = {
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "media": "http://search.yahoo.com/mrss/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "slash": "http://purl.org/rss/1.0/modules/slash/",
    "sy": "http://purl.org/rss/1.0/modules/syndication/",
    "wfw": "http://wellformedweb.org/CommentAPI/",
}
_MOST_PREFIXES = 40


class NotAFeed(ValueError):
    """Bytes that hold no feed; the message is the rest of a sentence that begins with whose they are."""


def parse_tree(
    body: bytes, language: Language, charset: str | None = None, *, url: str = ""
) -> etree._Element:
    """The root element of the feed in ``body``, which was found at ``url``.

    ``charset`` is the one that the server names. Raises :class:`NotAFeed`.
    """
    text = _ENDLESS_TAG.sub("", _FORBIDDEN.sub("", decoded(body, language, charset)))
    root = _ROOT.search(text)
    if root is None:
        page = re.search(r"<!doctype html|<html\b", text[:5_000], re.IGNORECASE)
        raise NotAFeed("sent a web page and no feed" if page else "sent nothing that is a feed")
    return _recovered(_with_namespaces(_referring(text[root.start() :])), url)


def decoded(body: bytes, language: Language, charset: str | None = None) -> str:
    """The text of ``body``: by its mark, as UTF-8 where it is that, as it or its server says, by trying."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    for start, name in _UNMARKED:
        if body.lstrip(b" \r\n").startswith(start):
            return body.decode(name, "replace")
    declared = _DECLARED.match(body)
    named = [charset, declared[1].decode("ascii") if declared else None]
    if b"\x1b$" in body and (found := _strictly(body, "iso2022_jp")) is not None:
        return found
    if (found := _strictly(body, "utf-8")) is not None:
        return found
    if (found := _nearly_utf8(body)) is not None:
        return found
    for guess in (*named, *_GUESSES[language]):
        if guess and (found := _strictly(body, _superset(guess))) is not None:
            return found
    return body.decode("utf-8", "replace")


def _strictly(body: bytes, name: str) -> str | None:
    try:
        return body.decode(name)
    except (LookupError, ValueError, AssertionError):
        return None


def _superset(name: str) -> str:
    try:
        usual = codecs.lookup(name).name
    except (LookupError, ValueError):
        return name
    return _SUPERSETS.get(usual, usual)


def _nearly_utf8(body: bytes) -> str | None:
    """Text in UTF-8 that was cut or damaged in few places; None where it is of another encoding."""
    text = body.decode("utf-8", "replace")
    beyond = sum(1 for letter in text if letter > "\x7f")
    return text if beyond and text.count("\ufffd") <= max(1, beyond * _FEW_DAMAGED) < beyond else None


def _referring(text: str) -> str:
    """``text`` with the references that XML knows alone, outside of CDATA sections."""
    pieces, at = [], 0
    while (start := text.find(_CDATA_START, at)) >= 0 and (end := text.find("]]>", start)) >= 0:
        pieces += [_REFERENCE.sub(_reference, text[at:start]), text[start : end + 3]]
        at = end + 3
    return "".join((*pieces, _REFERENCE.sub(_reference, text[at:])))


def _reference(match: re.Match[str]) -> str:
    if match[0] == "&":
        return "&amp;"
    if match[1] in _OF_XML:
        return match[0]
    meant = html.unescape(match[0])
    # As HTML reads them: &#146; is an apostrophe. What was declared above the root is nothing.
    return "" if meant == match[0] else html.escape(meant)


def _with_namespaces(text: str) -> str:
    """``text`` with the prefixes declared that it uses and declares nowhere."""
    used = {one or other for one, other in _PREFIX.findall(text)} - {"xml", "xmlns"}
    missing = [name for name in sorted(used)[:_MOST_PREFIXES] if f"xmlns:{name}" not in text]
    if not missing:
        return text
    declared = "".join(
        f' xmlns:{name}="{_NAMESPACES.get(name, f"urn:undeclared:{name}")}"' for name in missing
    )
    name_ends = re.match(r"<[\w.:-]+", text)
    at = name_ends.end() if name_ends else 0
    return text[:at] + declared + text[at:]


def _recovered(text: str, url: str) -> etree._Element:
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        tree = etree.fromstring(text.encode("utf-8", "replace"), parser, base_url=url)
    except (etree.LxmlError, ValueError) as error:
        raise NotAFeed(f"sent a feed that is beyond mending ({type(error).__name__})") from None
    if tree is None:
        raise NotAFeed("sent a feed that is beyond mending")
    return tree
