"""Extracts the plain text, the title and the image URL of an entry from its HTML.

The results contain no markup, script, style, tracking pixel or invisible character.
"""

import html
import re

from lxml import html as lxml_html

from backend.sources.retrieval import content_sanitizer
from backend.topics import canonical_urls

MAX_TITLE_CHARS = 300
MAX_TEXT_CHARS = 8_000
"""Longer texts are cut."""
_MAX_SOURCE_CHARS = 200_000
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption", "figure",
    "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section",
    "table", "td", "th", "tr", "ul",
})  # fmt: skip
_ASIDES = (
    './/figcaption|.//aside|.//nav|.//footer|.//blockquote[contains(@class, "twitter-tweet")'
    ' or contains(@class, "instagram-media")]|.//*[contains(@class, "wp-caption-text")]'
)
"""Parts beside the text of an article: captions, embedded posts, links to other pages."""
_TAG = re.compile(r"<[A-Za-z/!?][^<>]*>?")
_ELEMENT_WITH_CONTENT = re.compile(
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
_TRACKER_SIZE = re.compile(r"\s*0*[0-2](?:px)?\s*")
_SENTENCE_END = re.compile(r"(?<=[。！？])|(?<=[.!?])\s")


def extract_title(source: str, text: str = "") -> str:
    """Return a title as one line of plain text; the first sentence of ``text`` if the title is empty."""
    without_tags = _ELEMENT_WITH_CONTENT.sub(" ", source[: MAX_TITLE_CHARS * 10])
    without_tags = _TAG.sub("", html.unescape(_TAG.sub("", without_tags)))
    line = " ".join(content_sanitizer.clean_text(without_tags).split())
    if not line:
        line = _SENTENCE_END.split(text.split("\n", 1)[0], maxsplit=1)[0].strip()
    return _cut_text(line, MAX_TITLE_CHARS)


def extract_text(source: str, *, without: tuple[str, ...] = ()) -> str:
    """Return the visible text of HTML, one line for each block, up to :data:`MAX_TEXT_CHARS` characters.

    Lines that only name another place of the entry are removed. Lines in ``without`` (the title, the name of
    the outlet) are removed at the beginning of the text.
    """
    tree = parse_html(source)
    if tree is None:
        return ""
    for element in tree.iter():
        if element.tag in _BLOCKS:
            element.text = "\n" + (element.text or "")
            element.tail = "\n" + (element.tail or "")
    for element in tree.xpath(_ASIDES):
        element.drop_tree()
    visible_text = content_sanitizer.clean_text(str(tree.text_content()))
    lines = [
        line
        for line in visible_text.split("\n")
        if line and not _SOURCE_LINE.match(line) and not _MORE_LINE.fullmatch(line)
    ]
    skipped = {line.casefold() for line in without}
    while lines and lines[0].casefold() in skipped:
        del lines[0]
    return _cut_text("\n".join(lines), MAX_TEXT_CHARS)


def extract_image(source: str, base: str) -> str | None:
    """Return the URL of the first image in HTML that is not a tracking pixel."""
    tree = parse_html(source)
    for element in tree.iter("img") if tree is not None else ():
        if any(_TRACKER_SIZE.fullmatch(element.get(side, "")) for side in ("width", "height")):
            continue
        if image_url := canonical_urls.canonicalize_image(element.get("src", ""), base):
            return image_url
    return None


def parse_html(source: str) -> lxml_html.HtmlElement | None:
    """Parse the visible part of HTML; None without any."""
    if not source.strip():
        return None
    piece = f"<div>{source[:_MAX_SOURCE_CHARS]}</div>"
    return content_sanitizer.parse_visible_html(piece.encode("utf-8", "replace"), "utf-8")


def _cut_text(text: str, longest: int) -> str:
    """Cut a text and add an ellipsis, at the end of a word if one is near."""
    if len(text) <= longest:
        return text
    head = text[: longest - 1]
    space = max(head.rfind(" "), head.rfind("\n"))
    return (head[:space] if space > longest * 0.8 else head).rstrip() + "…"
