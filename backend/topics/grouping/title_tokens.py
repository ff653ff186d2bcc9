"""Splits titles into the terms by which they are compared.

Latin words are stemmed, and runs of CJK characters are split into pairs, as in the document index. Grammar
words are left out.
"""

import re
from functools import lru_cache

from backend.documents.tokenizer import fold, stem, terms

CACHE_SIZE = 20_000
"""Maximum number of titles whose words are cached: a window is read again at each regrouping."""

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
    all_terms = terms(_POSSESSIVE.sub("", fold(title)))
    return tuple(term for term in all_terms if term not in _GRAMMAR and not _HIRAGANA_ONLY.fullmatch(term))
