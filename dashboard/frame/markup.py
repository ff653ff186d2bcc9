"""Small pieces of safe markup: every text and attribute is escaped."""

import re
from html import escape

from dashboard.i18n import HTML_LANG, Language

VOID = frozenset({"img", "br", "input", "path", "rect"})


def tag(name: str, /, *content: str, **attributes: str | None) -> str:
    """``<name attributes>content</name>``; ``content`` is markup, attribute values are text.

    ``class_`` is written ``class``; other underscores become hyphens; a null attribute is left out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>" if name in VOID else f"<{name}{written}>{''.join(content)}</{name}>"


def text(value: str) -> str:
    return escape(value, quote=False)


def note(said: str) -> str:
    """A line of small print."""
    return tag("p", text(said), class_="cp-small-note")


def language_of(said: str) -> Language:
    """The language a text is shown in, by its script: kana is Japanese, other Han characters Chinese."""
    if re.search("[ぁ-ヿ]", said):
        return "ja"
    return "zh" if re.search("[㐀-鿿]", said) else "en"


def lang_of(said: str) -> str:
    """The ``lang`` attribute of a text that the reader or a source wrote."""
    return HTML_LANG[language_of(said)]
