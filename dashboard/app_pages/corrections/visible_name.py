"""Strips markup and line breaks from a name as it stands in an article. Pure."""

import re

_REFERENCE = re.compile(r"&(?:nbsp|ensp|emsp|thinsp|#160|#[xX][aA]0);")
_HIDDEN = re.compile(
    r"</?[A-Za-z][^<>]*>|\]\([^()\s]*\)|\]\[[^\[\]]*\]|[\[\]*]|(?<![^\W_])_+|_+(?![^\W_])"
    r"|&(?:shy|ZeroWidthSpace|NoBreak|#173|#8203|#[xX][aA][dD]|#[xX]200[bB]);|[\u200b\u00ad\u2060\ufeff]"
)
_BREAK = re.compile(r"\s*\n[\s>]*|\s+")


def build_visible_name(text: str) -> str:
    """Build the name as a reader sees it, such as ``Ethereum`` for ``**Ether**eum``."""
    visible = _HIDDEN.sub("", _REFERENCE.sub(" ", text))
    return _BREAK.sub(" ", visible).strip()
