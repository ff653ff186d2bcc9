"""Compiles the units of figures in three languages to patterns for the text before and after a number."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import yaml

UNITS_FILE = Path(__file__).parent / "data" / "units.yaml"
EXACT_UNITS = frozenset({"block height", "epoch", "slot", "halving"})
"""Units of numbered things: any difference means another one."""
GENERIC_UNITS = frozenset({"item", "coin"})
"""Unspecific counters: they agree with any counted noun and contradict none."""

_NUMBERED = re.compile(r"(?: ?(?:height|number|no\.?|#|高度?|番号))?[ #:]{0,2}\d")

INEXACT_KINDS = ("about", "least", "most")


@dataclass(frozen=True, slots=True)
class Units:
    """Patterns anchored at the start or end of a number, and the unit of each of their words."""

    before: re.Pattern[str]
    after: re.Pattern[str]
    label: re.Pattern[str]
    about: re.Pattern[str]
    least: re.Pattern[str]
    most: re.Pattern[str]
    inexact_suffixes: Mapping[str, re.Pattern[str]]
    name: re.Pattern[str]
    meanings: Mapping[str, str]
    prefixes: Mapping[str, str]
    labels: Mapping[str, str]
    codes: frozenset[str]
    """Currencies and asset symbols, which the name of a fact may contain."""
    currencies: frozenset[str]
    nouns: frozenset[str]
    not_tickers: frozenset[str]
    phrase_ends: frozenset[str]


def _join_words(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(set(words), key=len, reverse=True))


def _build_bounded_pattern(words: Iterable[str]) -> str:
    """Build a pattern that matches Latin words as whole words and others anywhere."""
    lowered_words = [word.lower() for word in words]
    latin_words = [word for word in lowered_words if word[-1].isascii() and word[-1].isalnum()]
    other_words = [word for word in lowered_words if word not in latin_words]
    return f"(?:{_join_words(other_words)}|(?:{_join_words(latin_words)})(?![a-z0-9]))"


def _build_leading_pattern(words: Iterable[str]) -> str:
    """Build the same pattern for words before a number, which may follow without a space."""
    lowered_words = [word.lower() for word in words]
    latin_words = [word for word in lowered_words if word[0].isascii() and word[0].isalpha()]
    other_words = [word for word in lowered_words if word not in latin_words]
    return f"(?:{_join_words(other_words)}|(?<![a-z0-9])(?:{_join_words(latin_words)}))"


def _list_han_words(words: Iterable[str]) -> list[str]:
    return [word for word in words if not word.isascii()]


@cache
def load_units() -> Units:
    """Compile the shipped units, once. All patterns expect lower-case text."""
    data = yaml.load(UNITS_FILE.read_text("utf-8"), Loader=yaml.CSafeLoader)
    meanings: dict[str, str] = {}
    prefixes: dict[str, str] = {}
    for code, words in data["currencies"].items():
        meanings.update((word.lower(), code) for word in words["after"])
        prefixes.update((word.lower(), code) for word in words["before"])
    for symbol, names in data["assets"].items():
        meanings.update((word.lower(), symbol) for word in (symbol, *names))
        prefixes.update((word.lower(), symbol) for word in (symbol, *names))
    for noun, words in data["nouns"].items():
        meanings.update((word.lower(), noun) for word in words)
    labels = {word.lower(): label for label, words in data["labels"].items() for word in words}
    return Units(
        before=re.compile(rf"{_build_leading_pattern(prefixes)}[ ]?$"),
        after=re.compile(rf"[ -]?({_build_bounded_pattern(meanings)})"),
        label=re.compile(
            rf"({_build_leading_pattern(labels)})(?:で|の|は|が|为|是|at|of| is| was|[ #:,=（(]){{0,2}}$"
        ),
        about=re.compile(rf"{_build_leading_pattern(data['about'])}[ ]?$"),
        least=re.compile(rf"{_build_leading_pattern(data['least'])}[ ]?$"),
        most=re.compile(rf"{_build_leading_pattern(data['most'])}[ ]?$"),
        inexact_suffixes=MappingProxyType(
            {name: re.compile(f"(?:{_join_words(_list_han_words(data[name]))})") for name in INEXACT_KINDS}
        ),
        name=re.compile(rf"{_build_leading_pattern(data['names'])}[ .:#-]{{0,2}}$"),
        meanings=MappingProxyType(meanings),
        prefixes=MappingProxyType(prefixes),
        labels=MappingProxyType(labels),
        codes=frozenset((*data["currencies"], *data["assets"])),
        currencies=frozenset(data["currencies"]),
        nouns=frozenset(data["nouns"]),
        not_tickers=frozenset(data["not_tickers"]),
        phrase_ends=frozenset(data["phrase_ends"]),
    )


def is_label(text: str, start: int, end: int) -> bool:
    """True if a word is a label that precedes a number (Block 840,000, ブロック高84万)."""
    return text[start:end].lower() in load_units().labels and _NUMBERED.match(text, end) is not None
