"""Finds the countries that a text names, in any of the three languages."""

import re
from functools import cache
from pathlib import Path

import ahocorasick_rs
import yaml

DATA = Path(__file__).parent / "data" / "places.yaml"
_WORD = re.compile(r"[A-Za-z]")
_KATAKANA = re.compile(r"[\u30a1-\u30fc]")


@cache
def _automaton() -> tuple[ahocorasick_rs.AhoCorasick, tuple[str, ...]]:
    listed = yaml.load(DATA.read_text("utf-8"), Loader=yaml.CSafeLoader)
    countries = {name: names[0] for names in listed for name in names}
    kind = ahocorasick_rs.MatchKind.LeftmostLongest
    return ahocorasick_rs.AhoCorasick(list(countries), matchkind=kind), tuple(countries.values())


def find(text: str) -> dict[str, str]:
    """Find the countries of ``text`` by their English names, each with its first wording."""
    automaton, countries = _automaton()
    found: dict[str, str] = {}
    for index, start, end in automaton.find_matches_as_indexes(text):
        if _stands_alone(text, start, end):
            found.setdefault(countries[index], text[start:end])
    return found


def _stands_alone(text: str, start: int, end: int) -> bool:
    """True if the name is not part of a longer word (タイ in タイトル, Chile in Chilean)."""
    inside = next((one for one in (_WORD, _KATAKANA) if one.match(text[start])), None)
    if inside is None:
        return True
    return not any(0 <= at < len(text) and inside.match(text[at]) for at in (start - 1, end))
