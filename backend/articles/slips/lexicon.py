"""Looks words up in sorted word lists, one per language, to tell ordinary words from slips.

A list stays one string of bytes: as a set of strings it would take ten times the memory, and few words are
looked up.
"""

from functools import cache
from pathlib import Path
from typing import Literal

Script = Literal["latin", "katakana", "han"]

_FILES: dict[Script, str] = {"latin": "en.txt", "katakana": "ja.txt", "han": "zh.txt"}
FOLDER = Path(__file__).parents[1] / "data" / "lexicon"


class Lexicon:
    """A word list: ``content`` has one word a line in UTF-8, sorted by bytes."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __contains__(self, word: str) -> bool:
        encoded, content = word.encode(), self._content
        lower, upper = 0, len(content)
        while lower < upper:
            start = content.rfind(b"\n", 0, (lower + upper) // 2) + 1
            end = content.find(b"\n", start)
            line = content[start:end]
            if line == encoded:
                return True
            if line < encoded:
                lower = end + 1
            else:
                upper = start
        return False


@cache
def load_lexicon(script: Script) -> Lexicon:
    """Load the word list of a script: English, Japanese (katakana only) or Chinese (two to four Han).

    English words are in lower case and have five letters or more.
    """
    return Lexicon((FOLDER / _FILES[script]).read_bytes())
