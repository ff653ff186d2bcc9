"""Converts Traditional Chinese characters to Simplified ones, so that texts in both scripts compare."""

from collections.abc import Mapping
from functools import cache

import opencc

_HAN_RANGES = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF))


def to_simplified(text: str) -> str:
    """Convert each character of ``text`` by itself, so that offsets stay the same.

    Characters that only a phrase decides (著 in 看著) stay as they are.
    """
    return text if text.isascii() else text.translate(_load_table())


@cache
def _load_table() -> Mapping[int, str]:
    """Load the table of single characters from OpenCC, once per process."""
    characters = [chr(code) for first, last in _HAN_RANGES for code in range(first, last + 1)]
    converted = opencc.OpenCC("t2s").convert("\n".join(characters)).split("\n")
    pairs = zip(characters, converted, strict=True)
    return {
        ord(traditional): simplified
        for traditional, simplified in pairs
        if traditional != simplified and len(simplified) == 1
    }
