"""Checks the text directly next to a name that changes how the name should be written."""

import re

_JOINED_BEFORE, _JOINED_AFTER = re.compile(r"[A-Za-z0-9][-/]\Z"), re.compile(r"[-/][A-Za-z0-9]")
_COMPOUND = re.compile(
    r"-(?:based|backed|native|compatible|like|focused|linked|powered|denominated|related|style|only)\b",
    re.IGNORECASE,
)
_PREFIXED = re.compile(
    r"(?:non|anti|pro|post|pre|ex|multi|cross|inter|ultra|mid|de|re|like|top|all|big|pseudo|quasi)-\Z",
    re.IGNORECASE,
)
_MAX_AFFIX_CHARS = 14


def is_in_identifier(text: str, start: int, end: int) -> bool:
    """Whether a name in small letters is part of a package's or a repository's (go-ethereum, ethereum/EIPs).

    In a compound of the language (ethereum-based) it is not.
    """
    if not text[start:end].islower():
        return False
    if _PREFIXED.search(text, max(0, start - _MAX_AFFIX_CHARS), start):
        return False
    before, after = text[max(0, start - 2) : start], text[end : end + _MAX_AFFIX_CHARS]
    if _JOINED_BEFORE.match(before):
        return True
    return _JOINED_AFTER.match(after) is not None and _COMPOUND.match(after) is None


def is_in_hyphenated_identifier(text: str, start: int, end: int) -> bool:
    """Whether a name in small letters follows a hyphen in a package's name (web3-etherium)."""
    return text[max(0, start - 1) : start] == "-" and is_in_identifier(text, start, end)
