"""Loads the words of ordinary sentences, which tell names made of them from names that mean nothing else."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml

from backend.formats.yaml_loader import SafeLoader

_DATA = Path(__file__).parents[1] / "data"
COMMON_WORDS = _DATA / "common_words.yaml"
DESCRIPTIVE_WORDS = _DATA / "descriptive_words.yaml"

MIN_UNCONDITIONAL_CHARS = 3
"""Shorter patterns should not be corrected without a condition."""


@cache
def load_common_words() -> Mapping[str, frozenset[str]]:
    """Load the words of ordinary sentences, in lower case, by language."""
    return _load(COMMON_WORDS)


@cache
def load_descriptive_words() -> frozenset[str]:
    """Load the English words, in lower case, that say what something is rather than which one."""
    return _load(DESCRIPTIVE_WORDS)["en"] | load_common_words()["en"]


def _load(path: Path) -> Mapping[str, frozenset[str]]:
    data = yaml.load(path.read_text(encoding="utf-8"), SafeLoader)  # noqa: S506 - libyaml's safe one
    return {language: frozenset(words.split()) for language, words in data.items()}
