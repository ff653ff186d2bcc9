"""Parses a feed's bytes into an XML tree that contains only elements and text.

Feeds come in undeclared encodings, after a byte order mark or a blank line, with bare ampersands, undeclared
prefixes and unclosed tags, and some are hostile. Everything before the root element is removed, including any
document type, so that no entity is ever declared. The encoding is found by trying, and a recovering parser
reads the rest.
"""

import codecs
import html
import re
from collections.abc import Mapping
from types import MappingProxyType

from lxml import etree

from backend.entities.model import Language

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UTF16_STARTS = ((b"<\0?\0", "utf-16-le"), (b"\0<\0?", "utf-16-be"), (b"<\0r\0", "utf-16-le"))
_ENCODING_DECLARATION = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']")
_LIKELY_ENCODINGS: Mapping[Language, tuple[str, ...]] = MappingProxyType(
    {"en": ("cp1252",), "ja": ("cp932", "euc_jp"), "zh": ("gb18030", "big5")}
)
_SUPERSETS = {
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
}
"""Encodings that feeds declare, and the supersets that they nearly always use."""
_MAX_DAMAGED_SHARE = 0.02
"""Share of damaged non-ASCII characters up to which a text still counts as UTF-8."""
_ROOT = re.compile(r"<(?:[A-Za-z][\w.-]{0,20}:)?(rss|rdf|feed)\b[^<>]*>", re.IGNORECASE)
_CDATA_START = "<![CDATA["
_REFERENCE = re.compile(r"&(?:#(?:\d{1,7}|[xX][0-9A-Fa-f]{1,6});|([A-Za-z][A-Za-z0-9]{0,31});)?")
_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_PREFIX = re.compile(
    r"<([A-Za-z_][\w.-]{0,30}):[A-Za-z_]|\s([A-Za-z_][\w.-]{0,30}):[A-Za-z_][\w.-]{0,60}\s*="
)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_HUGE_TAG = re.compile(r"<[A-Za-z_][^<>]{4000,}>")
"""A tag with thousands of attributes takes quadratic time: a parser compares each with all others."""
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
_MAX_PREFIXES = 40


class NotAFeedError(ValueError):
    """The response contains no feed. The message continues a sentence that begins with the feed's name."""


def parse_tree(
    body: bytes, language: Language, charset: str | None = None, *, url: str = ""
) -> etree._Element:
    """Parse ``body``, fetched from ``url``; returns the feed's root element.

    ``charset`` is the one in the server's headers. Raises :class:`NotAFeedError`.
    """
    text = _HUGE_TAG.sub("", _FORBIDDEN.sub("", decode(body, language, charset)))
    root = _ROOT.search(text)
    if root is None:
        page = re.search(r"<!doctype html|<html\b", text[:5_000], re.IGNORECASE)
        raise NotAFeedError("sent a web page and no feed" if page else "sent nothing that is a feed")
    return _parse_recovering(_declare_prefixes(_replace_references(text[root.start() :])), url)


def decode(body: bytes, language: Language, charset: str | None = None) -> str:
    """Decode ``body``: by its byte order mark, as UTF-8 if valid, as declared, or by trying encodings."""
    for mark, name in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    for start, name in _UTF16_STARTS:
        if body.lstrip(b" \r\n").startswith(start):
            return body.decode(name, "replace")
    declared = _ENCODING_DECLARATION.match(body)
    declared_encodings = [charset, declared[1].decode("ascii") if declared else None]
    if b"\x1b$" in body and (decoded := _decode_strictly(body, "iso2022_jp")) is not None:
        return decoded
    if (decoded := _decode_strictly(body, "utf-8")) is not None:
        return decoded
    if (decoded := _decode_damaged_utf8(body)) is not None:
        return decoded
    for guess in (*declared_encodings, *_LIKELY_ENCODINGS[language]):
        if guess and (decoded := _decode_strictly(body, _find_superset(guess))) is not None:
            return decoded
    return body.decode("utf-8", "replace")


def _decode_strictly(body: bytes, name: str) -> str | None:
    try:
        return body.decode(name)
    except (LookupError, ValueError, AssertionError):
        return None


def _find_superset(name: str) -> str:
    try:
        usual = codecs.lookup(name).name
    except (LookupError, ValueError):
        return name
    return _SUPERSETS.get(usual, usual)


def _decode_damaged_utf8(body: bytes) -> str | None:
    """Decode UTF-8 that is damaged in few places; None if the text has another encoding."""
    text = body.decode("utf-8", "replace")
    non_ascii = sum(1 for letter in text if letter > "\x7f")
    return (
        text
        if non_ascii and text.count("\ufffd") <= max(1, non_ascii * _MAX_DAMAGED_SHARE) < non_ascii
        else None
    )


def _replace_references(text: str) -> str:
    """Replace references that XML does not define, outside of CDATA sections."""
    pieces, at = [], 0
    while (start := text.find(_CDATA_START, at)) >= 0 and (end := text.find("]]>", start)) >= 0:
        pieces += [_REFERENCE.sub(_replace_reference, text[at:start]), text[start : end + 3]]
        at = end + 3
    return "".join((*pieces, _REFERENCE.sub(_replace_reference, text[at:])))


def _replace_reference(match: re.Match[str]) -> str:
    if match[0] == "&":
        return "&amp;"
    if match[1] in _XML_ENTITIES:
        return match[0]
    unescaped = html.unescape(match[0])
    # HTML's meaning counts: &#146; is an apostrophe. Entities declared above the root are removed.
    return "" if unescaped == match[0] else html.escape(unescaped)


def _declare_prefixes(text: str) -> str:
    """Declare the prefixes that ``text`` uses without a declaration."""
    used = {first_prefix or second_prefix for first_prefix, second_prefix in _PREFIX.findall(text)} - {
        "xml",
        "xmlns",
    }
    missing = [name for name in sorted(used)[:_MAX_PREFIXES] if f"xmlns:{name}" not in text]
    if not missing:
        return text
    declared = "".join(
        f' xmlns:{name}="{_NAMESPACES.get(name, f"urn:undeclared:{name}")}"' for name in missing
    )
    name_ends = re.match(r"<[\w.:-]+", text)
    at = name_ends.end() if name_ends else 0
    return text[:at] + declared + text[at:]


def _parse_recovering(text: str, url: str) -> etree._Element:
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
        raise NotAFeedError(f"sent a feed that is beyond mending ({type(error).__name__})") from None
    if tree is None:
        raise NotAFeedError("sent a feed that is beyond mending")
    return tree
