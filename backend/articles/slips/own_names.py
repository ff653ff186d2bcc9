"""Tells whether a weak candidate has what it needs: another name of its entity, capitals, or evidence."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from backend.articles.slips.targets import Name
from backend.articles.text.common_words import load_common_words

if TYPE_CHECKING:
    from backend.articles.matching.matched_field import FoundName, MatchedField

REACH = 160
"""Characters on either side of a word that its sentence is looked for in."""
_STRETCH = 128
"""Characters whose names are found at once."""
_SENTENCE_END = re.compile(r"[。！？!?;；\n]|(?<![A-Z])\.(?=\s)")
_SMALL_BEFORE = re.compile(r"(?:\A|[\s(（\"“‘])[a-z][\w'’-]*,? \Z|[^\x00-\x7f]\s?\Z")
_CAPITAL_BEFORE = re.compile(r"(?<![\w-])[A-Z][a-z'’-]+ \Z")
_CAPITAL_AFTER = re.compile(r" [A-Z][a-z]")
_SMALL_AFTER = re.compile(r"(?:['’]s)?(?:[^\w\s]|\s?\Z| [a-z]|\s?[^\x00-\x7f])")
_TITLE = re.compile(
    r"\b(?:The|Mr|Ms|Mrs|Dr|Chair|Chairman|Chairwoman|Commissioner|Senator|Representative|President|Secretary|"
    r"Judge|Justice|Governor|Professor|Founder|Director|Chief|Attorney|And|But|When|While|As|If|Both|Like|For|"
    r"Said|Says) \Z"
)


class OwnNames:
    """The other names of entities in the sentences of one field. No stretch is read twice."""

    def __init__(self, matched_field: "MatchedField") -> None:
        self._matched_field = matched_field
        self._names_by_stretch: dict[int, dict[str, list[FoundName]]] = {}

    def has_other_name(self, start: int, end: int, name: Name) -> bool:
        """Whether another name of the entity stands in the sentence, and ``name`` itself does not."""
        text = self._matched_field.visible_text
        first, last = _find_sentence(text, start, end)
        has_other = False
        for found in self._find_names(first, last, name.entity):
            if found.start < end and start < found.end:
                continue
            other = text[found.start : found.end]
            if name.folded in other.lower():
                return False
            has_other = has_other or other.isupper() or other.lower() not in name.folded
        return has_other

    def _find_names(self, first: int, last: int, entity_id: str) -> Iterator["FoundName"]:
        """Generate the names of an entity that begin in ``[first:last]``."""
        for stretch in range(first // _STRETCH, (last - 1) // _STRETCH + 1):
            names = self._names_by_stretch.get(stretch)
            if names is None:
                names = self._names_by_stretch[stretch] = self._read_stretch(stretch)
            for found in names.get(entity_id, ()):
                if first <= found.start < last:
                    yield found

    def _read_stretch(self, stretch: int) -> "dict[str, list[FoundName]]":
        start = stretch * _STRETCH
        end = min(len(self._matched_field.visible_text), start + _STRETCH)
        names: defaultdict[str, list[FoundName]] = defaultdict(list)
        for found in self._matched_field.find_names(start, end):
            names[found.entity_id].append(found)
        return dict(names)

    def is_capitalised(self, start: int, end: int) -> bool:
        """Whether only its first letter is a capital, and it is no part of a longer capitalised name."""
        text = self._matched_field.visible_text
        if not text[start:end].istitle() or _CAPITAL_AFTER.match(text, end):
            return False
        before = _CAPITAL_BEFORE.search(text, max(0, start - REACH), start)
        return before is None or before.group().strip().lower() in load_common_words()["en"]

    def is_capital_unexplained(self, start: int, end: int) -> bool:
        """Whether no start of a sentence and no title explains the capital of an ordinary word."""
        text = self._matched_field.visible_text
        return (
            self.is_capitalised(start, end)
            and not self._matched_field.capitalization.opens_sentence(start)
            and _SMALL_BEFORE.search(text, max(0, start - REACH), start) is not None
            and _SMALL_AFTER.match(text, end) is not None
        )


def follows_given_name(text: str, start: int) -> bool:
    """Whether a capitalised word before a surname may be another person's given name."""
    first = max(0, start - REACH)
    return _CAPITAL_BEFORE.search(text, first, start) is not None and not _TITLE.search(text, first, start)


def _find_sentence(text: str, start: int, end: int) -> tuple[int, int]:
    first = max(0, start - REACH)
    for match in _SENTENCE_END.finditer(text, first, start):
        first = match.end()
    stop = _SENTENCE_END.search(text, end, min(len(text), end + REACH))
    return first, stop.start() if stop else min(len(text), end + REACH)
