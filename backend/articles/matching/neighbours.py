"""What stands directly beside a name and changes how it should be written."""

import re

_LATIN_BEFORE, _LATIN_AFTER = re.compile(r"[A-Za-z] \Z"), re.compile(r" [A-Za-z]")
_JOINED_BEFORE, _JOINED_AFTER = re.compile(r"[A-Za-z0-9][-/]\Z"), re.compile(r"[-/][A-Za-z0-9]")
_COMPOUND = re.compile(
    r"-(?:based|backed|native|compatible|like|focused|linked|powered|denominated|related|style|only)\b",
    re.IGNORECASE,
)
_LONGEST = 14


def among_latin(text: str, start: int, end: int) -> bool:
    """Whether a Latin word stands beside ``text[start:end]`` ("The Etherium Handbook" in Japanese)."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return _LATIN_BEFORE.match(before) is not None or _LATIN_AFTER.match(after) is not None


def in_identifier(text: str, start: int, end: int) -> bool:
    """Whether a name in small letters is part of a package's or a repository's (go-ethereum, ethereum/EIPs).

    In a compound of the language (ethereum-based) it is not.
    """
    if not text[start:end].islower():
        return False
    before, after = text[max(0, start - 2) : start], text[end : end + _LONGEST]
    if _JOINED_BEFORE.match(before):
        return True
    return _JOINED_AFTER.match(after) is not None and _COMPOUND.match(after) is None
