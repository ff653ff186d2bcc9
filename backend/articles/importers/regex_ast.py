"""Defines the syntax tree of a regular expression, and expands it to the texts that it matches."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

MAX_EXPANSIONS = 200
"""Maximum number of texts that one expression may match."""
MAX_EXPANSION_CHARS = 100
"""Maximum length of such a text."""


class UnsupportedRegexError(ValueError):
    """The expression cannot be imported. The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """One text that the expression matches."""

    text: str = ""
    groups: Mapping[int, str] = field(default_factory=dict)
    """The text of each capturing group that matched."""
    not_before: tuple[str, ...] = ()
    not_after: tuple[str, ...] = ()
    word_start: bool = False
    word_end: bool = False


class Node(Protocol):
    """A node of the syntax tree."""

    def expand(self, before: Expansion) -> Iterator[Expansion]:
        """Generate every expansion of this node that continues ``before``."""


@dataclass(slots=True)
class CharSet:
    choices: str

    def expand(self, before: Expansion) -> Iterator[Expansion]:
        if before.not_before or before.word_end:
            raise UnsupportedRegexError("a look-ahead or a boundary is supported only at its end")
        for character in self.choices:
            yield replace(before, text=before.text + character)


@dataclass(slots=True)
class Concatenation:
    parts: list[Node]

    def expand(self, before: Expansion) -> Iterator[Expansion]:
        yield from self._from(0, before)

    def _from(self, number: int, before: Expansion) -> Iterator[Expansion]:
        if number == len(self.parts):
            yield before
            return
        for step in self.parts[number].expand(before):
            yield from self._from(number + 1, step)


@dataclass(slots=True)
class Alternation:
    branches: list[Node]

    def expand(self, before: Expansion) -> Iterator[Expansion]:
        for branch in self.branches:
            yield from branch.expand(before)


@dataclass(slots=True)
class Repeat:
    part: Node
    min_count: int
    max_count: int
    lazy: bool

    def expand(self, before: Expansion) -> Iterator[Expansion]:
        counts = range(self.min_count, self.max_count + 1)
        for count in counts if self.lazy else reversed(counts):
            yield from Concatenation([self.part] * count).expand(before)


@dataclass(slots=True)
class Group:
    number: int
    part: Node

    def expand(self, before: Expansion) -> Iterator[Expansion]:
        for after in self.part.expand(before):
            yield replace(after, groups={**after.groups, self.number: after.text[len(before.text) :]})


@dataclass(slots=True)
class Boundary:
    def expand(self, before: Expansion) -> Iterator[Expansion]:
        yield replace(before, word_end=True) if before.text else replace(before, word_start=True)


@dataclass(slots=True)
class NegativeLookaround:
    """A negative look-around."""

    part: Node
    ahead: bool

    def expand(self, before: Expansion) -> Iterator[Expansion]:
        neighbours = []
        for number, expansion in enumerate(self.part.expand(Expansion())):
            if number >= MAX_EXPANSIONS:
                raise UnsupportedRegexError(f"a look-around in it matches more than {MAX_EXPANSIONS} texts")
            if not expansion.text or expansion.not_before or expansion.not_after or expansion.word_end:
                raise UnsupportedRegexError("it contains a look-around that does not list texts")
            if expansion.word_start:
                raise UnsupportedRegexError("it contains a look-around that does not list texts")
            neighbours.append(expansion.text)
        if self.ahead:
            yield replace(before, not_before=(*before.not_before, *neighbours))
        elif before.text:
            raise UnsupportedRegexError("a look-behind is supported only at its start")
        else:
            yield replace(before, not_after=(*before.not_after, *neighbours))
