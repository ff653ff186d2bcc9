"""Builds HTML elements and escapes every text and attribute."""

import re
from html import escape

from dashboard.i18n import HTML_LANG, Language

VOID_ELEMENTS = frozenset({"img", "br", "input", "path", "rect"})


def tag(name: str, /, *content: str, **attributes: str | None) -> str:
    """Builds ``<name attributes>content</name>``; ``content`` is markup, attribute values are text.

    ``class_`` becomes ``class``; other underscores become hyphens; ``None`` omits the attribute.
    """
    markup = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{markup}>" if name in VOID_ELEMENTS else f"<{name}{markup}>{''.join(content)}</{name}>"


def text(value: str) -> str:
    """Escapes text for use as the content of an element."""
    return escape(value, quote=False)


def note(content: str) -> str:
    """Builds a line of small print."""
    return tag("p", text(content), class_="cp-small-note")


def detect_language(content: str) -> Language:
    """Detects the language by script: kana is Japanese, other Han characters are Chinese, else English."""
    if re.search("[ぁ-ヿ]", content):
        return "ja"
    return "zh" if re.search("[㐀-鿿]", content) else "en"


def detect_html_lang(content: str) -> str:
    """Returns the ``lang`` attribute for a text that the reader or a source wrote."""
    return HTML_LANG[detect_language(content)]
