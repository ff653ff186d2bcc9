"""Classifies the links of an article by their place: at an announcing verb, in the opening, or later.

A link on *announced* or 公告 leads to the announcement. A link on another word of a later paragraph leads to
background.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from lxml import html as lxml_html

OPENING_CHARS = 1_000
"""Characters of an article, from its beginning, that count as its opening."""
ANNOUNCING_CHARS = 2_500
"""Characters within which an announcing verb tells the news; later ones tell background."""
CONTEXT_CHARS = 240
"""Characters before a link that are kept, because they name the party whose words it leads to."""
NEAR_WORDS = 2
"""Words before and behind a link that are searched for an announcing verb."""
_BLOCKS = frozenset({
    "article", "blockquote", "br", "dd", "div", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "p",
    "section", "table", "td", "tr", "ul",
})  # fmt: skip
_START, _NUMBER_END, _END = "\ue000", "\ue001", "\ue002"
_MARK = re.compile(f"{_START}\\d+{_NUMBER_END}|{_END}")
_SENTENCE_END = re.compile(r"[.!?。！？][”\"』」’')）]*(?:\s|$)|[。！？\n]")
_ANNOUNCING = re.compile(
    r"\b(?:sa(?:id|ys)|announc\w+|confirm(?:s|ed|ing)?|disclos\w+|fil(?:ed|es|ing)|publish\w*|releas\w+|reveal\w*"
    r"|stat(?:ed|es|ement)|notice|unveil\w*|launch\w*|introduc\w+|approv\w+|clear(?:s|ed)|grant(?:s|ed)|charg\w+"
    r"|sued|sues|complaint|indictment|order(?:s|ed)?|rul(?:ing|ed)|letter|proposal|press release|blog post"
    r"|according to|told|wrote|post(?:s|ed)?|acquir\w+|agree(?:s|d|ment)|sign(?:s|ed)|rais(?:es|ed)"
    r"|warn(?:s|ed))\b"
    r"|発表|公表|開示|リリース|声明|告知|届け?出|明らかに|公開|プレス|宣布|公告|声明|披露|发布|發布|公布|提交|新闻稿|新聞稿",
    re.IGNORECASE,
)


class LinkRole(IntEnum):
    """What a link of an article leads to, by its place; a higher one is nearer to the news."""

    BACKGROUND = 0
    OPENING = 1
    ANNOUNCEMENT = 2


@dataclass(frozen=True, slots=True)
class LinkPlace:
    """``context`` is the text before a link and the rest of its sentence, on one line."""

    role: LinkRole
    context: str


def locate_links(tree: lxml_html.HtmlElement, links: Sequence[lxml_html.HtmlElement]) -> Iterator[LinkPlace]:
    """Generate the place of each of ``links`` in ``tree``, which is changed."""
    for element in tree.iter():
        if element.tag in _BLOCKS:
            element.text = f"\n{element.text or ''}"
            element.tail = f"\n{element.tail or ''}"
    for number, link in enumerate(links):
        link.text = f"{_START}{number}{_NUMBER_END}{link.text or ''}"
        link.tail = f"{_END}{link.tail or ''}"
    text = str(tree.text_content())
    for number, _ in enumerate(links):
        before, mark, behind = text.partition(f"{_START}{number}{_NUMBER_END}")
        anchor, _, rest = behind.partition(_END)
        yield (
            _classify_link(_clean(before), _clean(anchor), _clean(rest))
            if mark
            else LinkPlace(LinkRole.BACKGROUND, "")
        )


def classify_plain_url(at: int) -> LinkRole:
    """Return the role of a URL in a plain text, ``at`` characters from its beginning."""
    return LinkRole.OPENING if at < OPENING_CHARS else LinkRole.BACKGROUND


def _classify_link(before: str, anchor: str, rest: str) -> LinkPlace:
    sentence_start = max((match.end() for match in _SENTENCE_END.finditer(before)), default=0)
    end = _SENTENCE_END.search(rest)
    rest = rest[: end.end()] if end else rest[:CONTEXT_CHARS]
    near_words = [*before[sentence_start:].split()[-NEAR_WORDS:], anchor, *rest.split()[:NEAR_WORDS]]
    near = " ".join(word[-40:] if at < NEAR_WORDS else word[:40] for at, word in enumerate(near_words))
    is_announcing = _ANNOUNCING.search(anchor) or _ANNOUNCING.search(near)
    at = len(" ".join(before.split()))
    if is_announcing and at < ANNOUNCING_CHARS:
        role = LinkRole.ANNOUNCEMENT
    else:
        role = LinkRole.OPENING if is_announcing or at < OPENING_CHARS else LinkRole.BACKGROUND
    context = f"{before[-CONTEXT_CHARS:]}{anchor}{rest[:CONTEXT_CHARS]}"
    return LinkPlace(role, " ".join(context.split()))


def _clean(text: str) -> str:
    return _MARK.sub("", text)
