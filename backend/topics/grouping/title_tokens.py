"""The words by which titles of one language are compared, weighted by how rare they are in the window.

Latin words are lightly stemmed, and runs of CJK characters are taken as pairs, as the index of documents
does it; words that are grammar alone are left out.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from backend.documents.tokenizer import fold, stem, terms

CACHE_SIZE = 20_000
"""Titles of which the words are kept: a window is read again at each regrouping."""

_POSSESSIVE = re.compile(r"(?<=\w)['’]s?(?!\w)")
_HIRAGANA_ONLY = re.compile("[ぁ-ゖゝ-ゟ]+")
_GRAMMAR_OF_ENGLISH = """
a about after all amid an and any are as at be been before but by can could did do does for from had
has have he her his how i in into is it its may more new no not of off on one or our out over says
said say she so than that the their them they this to up us via was we were what when where which
who why will with would you your
"""
_GRAMMAR = frozenset(stem(word) for word in _GRAMMAR_OF_ENGLISH.split())


@lru_cache(maxsize=CACHE_SIZE)
def words(title: str) -> tuple[str, ...]:
    """The terms by which ``title`` is compared, in order, each as often as it occurs."""
    found = terms(_POSSESSIVE.sub("", fold(title)))
    return tuple(one for one in found if one not in _GRAMMAR and not _HIRAGANA_ONLY.fullmatch(one))


def weighted(titles: Sequence[Sequence[str]]) -> list[Mapping[str, float]]:
    """For each title, given as its :func:`words`, a vector of length 1; empty where it has no word.

    A weight is (1 + ln tf) · ln(1 + N / df) before it is brought to length (Salton and Buckley, 1988).
    """
    held = Counter(word for title in titles for word in set(title))
    rarity = {word: math.log1p(len(titles) / times) for word, times in held.items()}
    found: list[Mapping[str, float]] = []
    for title in titles:
        vector = {word: (1 + math.log(times)) * rarity[word] for word, times in Counter(title).items()}
        length = math.sqrt(math.fsum(weight * weight for weight in vector.values()))
        found.append({word: weight / length for word, weight in vector.items()})
    return found
