"""Leaves alone what its author has decided: accepted words, marked spellings and switched-off rules."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate

from backend.articles.matching.former_names import Occurrence
from backend.articles.matching.meanings import CompiledRule
from backend.articles.text.author_marks import DisabledSpan, find_disabled_spans, has_author_mark


class AuthorIntent:
    """What the author of one text has decided. ``accepted`` lists words that stay as they are written."""

    def __init__(self, text: str, accepted: Sequence[str] = ()) -> None:
        self._text = text
        self._accepted = tuple(text.translate(_ONE_SPACE) for text in accepted)
        self._spaced = text.translate(_ONE_SPACE) if accepted else text
        self._disabled = _group_by_id(find_disabled_spans(text))

    def is_author_choice(self, start: int, end: int, rule: CompiledRule, entity: str | None) -> bool:
        """Whether the author has decided against a finding of ``rule`` at ``[start:end]``."""
        return (
            self.is_disabled(start, rule, entity)
            or has_author_mark(self._text, start, end)
            or self.accepts(start, end)
        )

    def is_disabled(self, start: int, rule: CompiledRule, entity: str | None) -> bool:
        """Whether a remark switches ``rule`` off at ``start``."""
        return bool(self._disabled) and any(
            self._is_disabled_at(rule_id, start) for rule_id in (_ALL, rule.id, entity)
        )

    def _is_disabled_at(self, rule_id: str | None, start: int) -> bool:
        if rule_id is None or rule_id not in self._disabled:
            return False
        starts, ends = self._disabled[rule_id]
        index = bisect_right(starts, start)
        return index > 0 and ends[index - 1] > start

    def accepts(self, start: int, end: int) -> bool:
        """Whether ``[start:end]`` is an accepted text or a part of one."""
        if not self._accepted:
            return False
        written = self._spaced[start:end]
        return any(
            self._spaced.startswith(text, start - offset) and offset <= start
            for text, offset in _list_covering(self._accepted, written)
        )


def leave_to_author(text: str, occurrences: list[Occurrence], accepted: Sequence[str]) -> AuthorIntent | None:
    """Turn findings that the author has decided into names that are right, and return what was decided.

    Returns None if ``occurrences`` contains no finding and nothing is accepted.
    """
    if not accepted and all(meaning.rule is None for _, _, meaning, _ in occurrences):
        return None
    intent = AuthorIntent(text, accepted)
    for index, (start, end, meaning, _) in enumerate(occurrences):
        if meaning.rule is not None and intent.is_author_choice(start, end, meaning.rule, meaning.entity):
            occurrences[index] = (start, end, meaning._replace(rule=None), None)
    return intent


_ONE_SPACE = str.maketrans("\n\r\t\u00a0", "    ")
"""An accepted text also counts where a line breaks in it."""

_ALL = ""
"""Stands for all rules where spans are kept by id."""


def _group_by_id(spans: Iterable[DisabledSpan]) -> dict[str, tuple[list[int], list[int]]]:
    """Sort ``spans`` by id: their starts, and for each the furthest end of those up to it."""
    spans_by_id: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for span in spans:
        for rule_id in span.ids or (_ALL,):
            spans_by_id[rule_id].append((span.start, span.end))
    return {
        rule_id: ([start for start, _ in id_spans], list(accumulate((end for _, end in id_spans), max)))
        for rule_id, id_spans in spans_by_id.items()
    }


@lru_cache(maxsize=4096)
def _list_covering(accepted: tuple[str, ...], written: str) -> tuple[tuple[str, int], ...]:
    """List the accepted texts that contain ``written``, each with the offset of every occurrence in it."""
    return tuple((text, offset) for text in accepted for offset in _find_all(text, written))


def _find_all(text: str, substring: str) -> Iterable[int]:
    position = text.find(substring)
    while position >= 0:
        yield position
        position = text.find(substring, position + 1)
