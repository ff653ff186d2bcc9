"""What a reader sees of an entry: plain text out of HTML, titles, and the address of a picture.

No markup, script, style, tracker or invisible character gets through.
"""

import html
import re

from lxml import html as lxml_html

from backend.sources.retrieval import content_sanitizer
from backend.topics import canonical_urls

LONGEST_TITLE = 300
LONGEST_TEXT = 8_000
"""Characters that are kept."""
_LONGEST_SOURCE = 200_000
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption", "figure",
    "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section",
    "table", "td", "th", "tr", "ul",
})  # fmt: skip
_TAG = re.compile(r"<[A-Za-z/!?][^<>]*>?")
_WITH_CONTENT = re.compile(
    r"<(script|style|template|iframe)\b[^<>]*>.*?(?:</\1\s*>|$)", re.DOTALL | re.IGNORECASE
)
_SOURCE_LINE = re.compile(
    r"(?:the|this) (?:post|article|story)\b.{0,400}\b(?:appeared first|(?:first|originally) appeared) on\b"
    r"|投稿.{1,300}は.{1,100}に最初に表示されました"
    r"|.{0,300}(?:最先出[现現]在|最早[发發][布佈][于於]|首[发發][于於]).{0,100}$",
    re.IGNORECASE,
)
_MORE_LINE = re.compile(
    r"(?:continue reading|read more|read the full (?:story|article)|続きを読む|もっと読む"
    r"|(?:阅读|閱讀|查看)(?:全文|原文))\W*",
    re.IGNORECASE,
)
_SMALL = re.compile(r"\s*0*[0-2](?:px)?\s*")
_SENTENCE_END = re.compile(r"(?<=[。！？])|(?<=[.!?])\s")


def title_of(source: str, text: str = "") -> str:
    """One line of plain text; the first sentence of ``text`` where the title is empty."""
    bare = _WITH_CONTENT.sub(" ", source[: LONGEST_TITLE * 10])
    bare = _TAG.sub("", html.unescape(_TAG.sub("", bare)))
    line = " ".join(content_sanitizer.clean_text(bare).split())
    if not line:
        line = _SENTENCE_END.split(text.split("\n", 1)[0], maxsplit=1)[0].strip()
    return _cut(line, LONGEST_TITLE)


def text_of(source: str, *, without: tuple[str, ...] = ()) -> str:
    """The visible text of a piece of HTML, a line for each block, of at most :data:`LONGEST_TEXT` characters.

    Lines that only say where else the entry stands are left out, as are those in ``without`` (its title, the
    name of its outlet) before the text begins.
    """
    tree = _tree(source)
    if tree is None:
        return ""
    for element in tree.iter():
        if element.tag in _BLOCKS:
            element.text = "\n" + (element.text or "")
            element.tail = "\n" + (element.tail or "")
    spoken = content_sanitizer.clean_text(str(tree.text_content()))
    lines = [
        line
        for line in spoken.split("\n")
        if line and not _SOURCE_LINE.match(line) and not _MORE_LINE.fullmatch(line)
    ]
    skipped = {one.casefold() for one in without}
    while lines and lines[0].casefold() in skipped:
        del lines[0]
    return _cut("\n".join(lines), LONGEST_TEXT)


def picture_of(source: str, base: str) -> str | None:
    """The address of the first picture in a piece of HTML that is not there to be counted."""
    tree = _tree(source)
    for element in tree.iter("img") if tree is not None else ():
        if any(_SMALL.fullmatch(element.get(side, "")) for side in ("width", "height")):
            continue
        if found := canonical_urls.canonicalize_image(element.get("src", ""), base):
            return found
    return None


def _tree(source: str) -> lxml_html.HtmlElement | None:
    if not source.strip():
        return None
    piece = f"<div>{source[:_LONGEST_SOURCE]}</div>"
    return content_sanitizer.parse_visible_html(piece.encode("utf-8", "replace"), "utf-8")


def _cut(text: str, longest: int) -> str:
    """At a word's end where there is one near, with an ellipsis."""
    if len(text) <= longest:
        return text
    head = text[: longest - 1]
    space = max(head.rfind(" "), head.rfind("\n"))
    return (head[:space] if space > longest * 0.8 else head).rstrip() + "…"
