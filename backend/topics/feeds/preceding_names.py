"""Finds names in a sentence that a reader understands only because earlier sentences introduced them."""

import re

from backend.entities.model import Language
from backend.sources.claims.lexical_features import find_names

_CAPITALISED_WORD = (
    r"(?:[A-Z][A-Za-z]{2,}|(?!(?:An|As|At|Be|By|Do|Dr|Go|He|If|In|Is|It|Jr|Me|Mr|Ms|My|No|Of|On|Or|So|Sr|St|To|Up|Us"
    r"|We)\b)[A-Z][a-z])"
)
_LONE_CAPITALISED_WORD = re.compile(rf"(?<![A-Za-z.-])(?<![A-Z][a-z]\. ){_CAPITALISED_WORD}(?![A-Za-z-])")
_CAPITALISED_RUN = re.compile(r"[A-Z][\w.'’-]*")
_FOLLOWING_CAPITAL = re.compile(r"[ -][A-Z]")
_ORGANISATION = re.compile(
    r"[\u3400-\u9fff]{2,6}?(?:银行|銀行|公司|集团|集團|交易所|取引所|基金会|基金會|财团|財団|协会|協会|協會)"
)
_NO_PARTIES = frozenset({"What", "How", "Why", "When", "Where", "Who", "Which"})
_DIGIT = re.compile(r"\d")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9]{2,}")


def find_name_words(text: str, language: Language) -> frozenset[str]:
    """Find the single words of ``text`` that belong to names."""
    names = {word for name in find_names(text, ()) for word in name.split()}
    if language != "en":
        names.update(_ORGANISATION.findall(text), _LATIN.findall(text))
    return frozenset(names)


class PrecedingNames:
    """Collects the names in the sentences of an article, added in order."""

    def __init__(self, language: Language) -> None:
        self._language: Language = language
        self._names: set[str] = set()
        self._last_words: set[str] = set()
        self._lone_words: set[str] = set()

    def add(self, sentence: str) -> None:
        """Add the next sentence."""
        self._names |= find_name_words(sentence, self._language)
        for name, is_alone in _list_last_words_of_runs(sentence):
            if name not in self._lone_words and name not in self._last_words:
                (self._lone_words if is_alone else self._last_words).add(name)

    def list_all(self) -> frozenset[str]:
        """Return all names so far. A later definite noun (*the bank*) may refer to any of them.

        Codes with a digit, names of two letters and words of questions are no parties."""
        return frozenset(
            name for name in self._names - _NO_PARTIES if len(name) > 2 and not _DIGIT.search(name)
        )

    def find_shortened_names(self, sentence: str) -> frozenset[str]:
        """Find last words of longer names (*French Hill*) that stand alone in ``sentence`` (*Hill said*)."""
        return frozenset(
            name
            for name, is_alone in _list_last_words_of_runs(sentence)
            if is_alone and name in self._last_words
        )


def _list_last_words_of_runs(sentence: str) -> list[tuple[str, bool]]:
    """Return the last word of each run of capitalised words, and whether it is the only one.

    All capitalised words are found in one pass, so that the time grows with the length of the sentence.
    """
    ends = {match.end() for match in _CAPITALISED_RUN.finditer(sentence)}
    return [
        (match.group(), not (match.start() - 1 in ends and sentence[match.start() - 1].isspace()))
        for match in _LONE_CAPITALISED_WORD.finditer(sentence)
        if not _FOLLOWING_CAPITAL.match(sentence, match.end())
    ]
