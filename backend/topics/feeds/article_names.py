"""Finds the names that a sentence of an article takes for granted, because the text before it gives them."""

import re

from backend.entities.model import Language
from backend.sources.claims.lexical_features import find_names

_CAPITAL = r"[A-Z][A-Za-z]{2,}"
_SHORT = re.compile(rf"(?<![A-Za-z.-])(?<![A-Z][a-z]\. ){_CAPITAL}(?![A-Za-z-])")
_BEFORE = re.compile(r"[A-Z][\w.'’-]*\s$")
_BEHIND = re.compile(r"[ -][A-Z]")
_ORGANISATION = re.compile(
    r"[\u3400-\u9fff]{2,6}?(?:银行|銀行|公司|集团|集團|交易所|取引所|基金会|基金會|财团|財団|协会|協会|協會)"
)
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9]{2,}")


def list_names(text: str, language: Language) -> frozenset[str]:
    """List the words of ``text`` that look like names."""
    names = {word for name in find_names(text, ()) for word in name.split()}
    if language != "en":
        names.update(_ORGANISATION.findall(text), _LATIN.findall(text))
    return frozenset(names)


class NamesBefore:
    """The names in the sentences of an article up to a place."""

    def __init__(self, language: Language) -> None:
        self._language: Language = language
        self._names: set[str] = set()
        self._surnames: set[str] = set()
        self._alone: set[str] = set()

    def add(self, sentence: str) -> None:
        """Add the sentence behind the last one."""
        self._names |= list_names(sentence, self._language)
        for name, is_alone in _list_capitalised(sentence):
            if name not in self._alone and name not in self._surnames:
                (self._alone if is_alone else self._surnames).add(name)

    def list_all(self) -> frozenset[str]:
        """List the names so far, any of which a definite noun (*the bank*) may mean."""
        return frozenset(self._names)

    def find_shortened(self, sentence: str) -> frozenset[str]:
        """Find the words that were introduced as the end of a longer name (*French Hill*) and stand alone in
        ``sentence`` (*Hill said*)."""
        return frozenset(
            name for name, is_alone in _list_capitalised(sentence) if is_alone and name in self._surnames
        )


def _list_capitalised(sentence: str) -> list[tuple[str, bool]]:
    """List the last words of capitalised runs, and whether each run has no other word."""
    return [
        (match.group(), not _BEFORE.search(sentence[: match.start()]))
        for match in _SHORT.finditer(sentence)
        if not _BEHIND.match(sentence, match.end())
    ]
