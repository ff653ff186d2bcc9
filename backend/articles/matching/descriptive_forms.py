"""Lists the forms in which an English name may be ordinary words instead of a name in wrong case."""

import re
from itertools import product

from backend.articles.text.common_words import load_descriptive_words

MAX_FREE_WORDS = 2
"""In a name of up to this many words, each ordinary word may be in lower case: Liana wallet, Stratum v2."""

_PARTS = re.compile(r"([ -])")
_VERSION = re.compile(r"v\d+")
_ARTICLE = "The "


def list_descriptive_forms(name: str) -> set[str]:
    """List the forms of an English ``name`` in other case that may be ordinary words instead.

    A "Bitcoin foundation" need not be the Bitcoin Foundation, nor "the usual protocol" the Usual Protocol.
    The article that begins a name is such a word too: "the Linux Foundation" is right within a sentence.
    """
    if not name.isascii() or name == name.lower():
        return set()
    if name.startswith(_ARTICLE):
        rest = name.removeprefix(_ARTICLE)
        forms = {rest, *list_descriptive_forms(rest)}
        return {f"the {form}" for form in forms} | {f"The {form}" for form in forms} - {name}
    words = _PARTS.split(name)
    ordinary = [_is_ordinary(word) for word in words]
    forms = set()
    if (len(words) + 1) // 2 <= MAX_FREE_WORDS:
        choices = [
            (word, word.lower()) if free else (word,) for word, free in zip(words, ordinary, strict=True)
        ]
        forms = {"".join(chosen) for chosen in product(*choices)}
    if all(ordinary):
        forms |= {name.lower(), name.capitalize()}
    return forms - {name}


def _is_ordinary(word: str) -> bool:
    """Whether a word, or what stands between two, is ordinary. OpenSea is not: it has an inner capital."""
    lower = word.lower()
    if word not in (lower, lower.capitalize()):
        return False
    if len(word) < 2 or lower in load_descriptive_words():
        return True
    return _VERSION.fullmatch(lower) is not None
