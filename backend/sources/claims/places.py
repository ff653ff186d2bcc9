"""Finds the countries and cities that a text names, in any of the three languages."""

import re
from functools import cache
from pathlib import Path

import ahocorasick_rs
import yaml

DATA = Path(__file__).parent / "data"
_WORD = re.compile(r"[A-Za-z]")
_KATAKANA = re.compile(r"[\u30a1-\u30fc]")


Places = tuple[ahocorasick_rs.AhoCorasick, tuple[str, ...]]


@cache
def _build_automaton(file: str) -> Places:
    name_lists = yaml.load((DATA / file).read_text("utf-8"), Loader=yaml.CSafeLoader)
    places = {name: names[0] for names in name_lists for name in names}
    kind = ahocorasick_rs.MatchKind.LeftmostLongest
    return ahocorasick_rs.AhoCorasick(list(places), matchkind=kind), tuple(places.values())


def find_countries(text: str) -> dict[str, str]:
    """Find the countries of ``text`` by their English names, each with its first wording."""
    return {name: text[start:end] for name, (start, end) in _find_places(text, "places.yaml").items()}


def find_cities(text: str) -> dict[str, tuple[int, int]]:
    """Find the cities and states of ``text`` by their English names, each with its first span."""
    return _find_places(text, "cities.yaml")


@cache
def load_homes() -> dict[str, str]:
    """Map entity ids to the countries of their seats."""
    entities_by_country = yaml.load((DATA / "homes.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader)
    return {entity: country for country, entities in entities_by_country.items() for entity in entities}


def _find_places(text: str, file: str) -> dict[str, tuple[int, int]]:
    automaton, places = _build_automaton(file)
    spans_by_name: dict[str, tuple[int, int]] = {}
    for index, start, end in automaton.find_matches_as_indexes(text):
        if _is_whole_word(text, start, end):
            spans_by_name.setdefault(places[index], (start, end))
    return spans_by_name


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """True if the name is not part of a longer word (タイ in タイトル, Chile in Chilean)."""
    letter_pattern = next((pattern for pattern in (_WORD, _KATAKANA) if pattern.match(text[start])), None)
    if letter_pattern is None:
        return True
    return not any(0 <= index < len(text) and letter_pattern.match(text[index]) for index in (start - 1, end))
