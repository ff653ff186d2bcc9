"""Finds all surfaces in one pass over a text."""

from collections.abc import Sequence
from typing import Self

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind


class Automaton:
    """An automaton over ``forms``: surfaces as they look in marked texts.

    Its pickle contains only the forms, because building it again is fast.
    """

    def __init__(self, forms: Sequence[str]) -> None:
        self._forms = tuple(forms)
        self._built = AhoCorasick(self._forms, MatchKind.Standard, False, Implementation.ContiguousNFA)

    def find(self, text: str) -> list[tuple[int, int, int]]:
        """List number of the form, start and end of each match, overlapping ones too, sorted by end."""
        return self._built.find_matches_as_indexes(text, overlapping=True)

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[str, ...]]]:
        return type(self), (self._forms,)
