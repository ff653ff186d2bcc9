"""What finds all surfaces in one pass over a text."""

from collections.abc import Sequence
from typing import Self

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind


class Automaton:
    """Over ``forms``: surfaces as they look in marked texts. Pickled, it is its forms, of which it is soon
    made again."""

    def __init__(self, forms: Sequence[str]) -> None:
        self._forms = tuple(forms)
        self._built = AhoCorasick(self._forms, MatchKind.Standard, False, Implementation.ContiguousNFA)

    def find(self, text: str) -> list[tuple[int, int, int]]:
        """Number of the form, start and end of all that occur, overlapping ones too, by where they end."""
        return self._built.find_matches_as_indexes(text, overlapping=True)

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[str, ...]]]:
        return type(self), (self._forms,)
