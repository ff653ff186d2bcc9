"""Removes invisible content from untrusted pages and detects prompt injections.

Hidden elements, comments, and invisible or direction-changing characters are dropped, because a visitor
does not see them. A text with instructions to an automatic reader is no evidence for or against a claim.
"""

import re
import unicodedata

from lxml import etree, html

_DROPPED_XPATH = "//script|//style|//template|//noscript|//iframe|//object|//svg|//form|//*[@hidden]"
_ARIA_HIDDEN_XPATH = '//*[@aria-hidden="true"]'
_DROPPED_TAG = "unseen"
_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)"
    r"|font-size\s*:\s*0(?:px|em|rem|%|pt)?\s*(?:;|$)|(?:left|top|text-indent)\s*:\s*-\d{4,}",
    re.IGNORECASE,
)
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SPACES = re.compile(r"[ \t\u00a0\u3000]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_NEAR = r"[^.!?。！？\n]{0,60}"
_INSTRUCTIONS = re.compile(
    rf"(?:ignore|disregard|forget|override){_NEAR}(?:instruction|prompt|rule|guideline|context|above|previous)"
    rf"|(?:you are|act as|pretend to be){_NEAR}(?:\bai\b|assistant|language model|\bllm\b|chatbot|\bgpt)"
    r"|system prompt|developer message|<\|?(?:system|im_start|assistant)\|?>|\[/?INST\]"
    rf"|(?:as an? )(?:ai|language) model|(?:\bai\b|assistant|model|llm)s?{_NEAR}(?:must|should|please)"
    rf"{_NEAR}(?:answer|say|rate|mark|report|output|conclude|respond|cite)"
    rf"|(?:指示|命令|プロンプト|ルール){_NEAR}(?:無視|忘れ|従わ)|(?:あなたは|君は){_NEAR}(?:AI|アシスタント|言語モデル)"
    rf"|(?:忽略|无视|忘记|無視){_NEAR}(?:指令|指示|提示|规则|規則|上文|以上)|(?:你是|您是|作为){_NEAR}(?:AI|助手|语言模型)",
    re.IGNORECASE,
)


def parse_visible_html(source: bytes, encoding: str | None = None) -> html.HtmlElement | None:
    """Parse HTML without its invisible elements; None if it is not HTML.

    ``encoding`` is the server's; without it the page's own declaration counts.
    """
    parser = html.HTMLParser(encoding=encoding, remove_comments=True, remove_pis=True, huge_tree=False)
    try:
        tree = html.document_fromstring(source, parser=parser)
    except (etree.LxmlError, ValueError, LookupError):
        return None
    unseen = tree.xpath(f"{_DROPPED_XPATH}|{_ARIA_HIDDEN_XPATH}")
    unseen += [
        element for element in tree.xpath("//*[@style]") if _HIDING_STYLE.search(element.get("style", ""))
    ]
    for element in unseen:
        element.tag = _DROPPED_TAG
    # One call: dropping elements one by one would join the text between them again each time.
    etree.strip_elements(tree, _DROPPED_TAG, with_tail=False)
    return tree


def clean_text(text: str) -> str:
    """Return ``text`` in NFC without invisible, direction-changing and control characters.

    Runs of spaces become one space, and more than two line breaks become two.
    """
    visible = _CONTROL.sub("", _INVISIBLE.sub("", unicodedata.normalize("NFC", text)))
    return _BLANK_LINES.sub(
        "\n\n", "\n".join(_SPACES.sub(" ", line).strip() for line in visible.split("\n"))
    ).strip()


def has_instructions(text: str) -> bool:
    """Whether ``text`` contains instructions to an automatic reader."""
    return _INSTRUCTIONS.search(text) is not None
