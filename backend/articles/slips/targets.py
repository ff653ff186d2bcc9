"""Lists the names that slips are looked for, and what matching them needs."""

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import NamedTuple, Self

from backend.articles.matching.derived_rules import right_names
from backend.articles.slips.edits import Edit
from backend.articles.text.folding import fold
from backend.entities.model import Entity, EntityType, Language

MIN_LATIN_CHARS, MIN_KATAKANA_CHARS, MIN_HAN_CHARS = 6, 4, 3
"""Shorter names are one edit from too many other words."""

LATIN_WORD = re.compile("[a-z0-9\u00df-\u024f]+")
_LATIN_NAME = re.compile("[a-z0-9\u00df-\u024f .&'/-]+")
_KATAKANA_NAME = re.compile("[\u30a1-\u30fc＝]+")
_HAN_NAME = re.compile("[\u4e00-\u9fff]+")


class Name(NamedTuple):
    """A right name of an entity."""

    text: str
    folded: str
    entity: str
    type: EntityType
    is_former: bool
    is_canonical: bool
    """Whether it is the name that is suggested, and not one that is right too."""
    languages: frozenset[Language]
    """The languages that have the name."""

    @property
    def is_latin(self) -> bool:
        return _LATIN_NAME.fullmatch(self.folded) is not None

    @property
    def is_katakana(self) -> bool:
        return _KATAKANA_NAME.fullmatch(self.folded) is not None

    @property
    def is_han(self) -> bool:
        return _HAN_NAME.fullmatch(self.folded) is not None


class Word(NamedTuple):
    """A word of a name, with what stands before and after it in the name's folded text."""

    name: Name
    text: str
    before: str = ""
    after: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the name is this one word."""
        return not self.before and not self.after


class Need(Enum):
    """What a weak candidate needs besides its edit. All but ``NOTHING`` ask before they are corrected."""

    NOTHING = "nothing"
    QUESTION = "question"
    EVIDENCE = "evidence"
    """Evidence of the field near by."""
    OWN_NAME = "own name"
    """Another name of the same entity in the sentence, such as its ticker."""


class Candidate(NamedTuple):
    """What ``[start:end]`` of a token may be a slip of."""

    start: int
    end: int
    word: Word
    edit: Edit
    need: Need = Need.NOTHING

    def reduce_likelihood(self, by: float) -> Self:
        return self._replace(edit=Edit(self.edit.kind, self.edit.likelihood - by))


def list_names(entities: Mapping[str, Entity]) -> Iterator[Name]:
    """Generate the names of all entities, each form once for each entity."""
    for entity in entities.values():
        languages: dict[str, set[Language]] = {}
        for language, name in entity.names.items():
            languages.setdefault(name, set()).add(language)
        for language, names in entity.also.items():
            for name in names:
                languages.setdefault(name, set()).add(language)
        for right in right_names(entity):
            yield _build_name(entity, right.text, frozenset(languages[right.text]), is_former=False)
        for former in entity.former:
            yield _build_name(entity, former.name, frozenset(), is_former=True)


def _build_name(entity: Entity, text: str, languages: frozenset[Language], *, is_former: bool) -> Name:
    is_canonical = text in entity.names.values()
    return Name(text, fold(text).text, entity.id, entity.type, is_former, is_canonical, languages)
