"""Defines the syntax tree of a regular expression that matches few texts, and its expansion."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

MAX_EXPANSIONS = 200
"""Surfaces that one expression may stand for."""
MAX_EXPANSION_CHARS = 100
"""Characters of one of them."""


class UnsupportedRegexError(ValueError):
    """The expression cannot be carried over; the message says why."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """One text that the expression matches."""

    text: str = ""
    groups: Mapping[int, str] = field(default_factory=dict)
    """What each capturing group matched; absent groups matched nothing."""
    not_before: tuple[str, ...] = ()
    not_after: tuple[str, ...] = ()
    word_start: bool = False
    word_end: bool = False


class Node(Protocol):
    """Part of an expression."""

    def walk(self, before: Expansion) -> Iterator[Expansion]:
        """Every way in which the part can go on from ``before``."""


@dataclass(slots=True)
class CharSet:
    choices: str

    def walk(self, before: Expansion) -> Iterator[Expansion]:
        if before.not_before or before.word_end:
            raise UnsupportedRegexError("it looks ahead, or asks for a boundary, in its middle")
        for character in self.choices:
            yield replace(before, text=before.text + character)


@dataclass(slots=True)
class Concatenation:
    parts: list[Node]

    def walk(self, before: Expansion) -> Iterator[Expansion]:
        yield from self._from(0, before)

    def _from(self, number: int, before: Expansion) -> Iterator[Expansion]:
        if number == len(self.parts):
            yield before
            return
        for step in self.parts[number].walk(before):
            yield from self._from(number + 1, step)


@dataclass(slots=True)
class Alternation:
    branches: list[Node]

    def walk(self, before: Expansion) -> Iterator[Expansion]:
        for branch in self.branches:
            yield from branch.walk(before)


@dataclass(slots=True)
class Repeat:
    part: Node
    least: int
    most: int
    lazy: bool

    def walk(self, before: Expansion) -> Iterator[Expansion]:
        counts = range(self.least, self.most + 1)
        for count in counts if self.lazy else reversed(counts):
            yield from Concatenation([self.part] * count).walk(before)


@dataclass(slots=True)
class Group:
    number: int
    part: Node

    def walk(self, before: Expansion) -> Iterator[Expansion]:
        for after in self.part.walk(before):
            yield replace(after, groups={**after.groups, self.number: after.text[len(before.text) :]})


@dataclass(slots=True)
class Boundary:
    def walk(self, before: Expansion) -> Iterator[Expansion]:
        yield replace(before, word_end=True) if before.text else replace(before, word_start=True)


@dataclass(slots=True)
class NegativeLookaround:
    """A negative look-around."""

    part: Node
    ahead: bool

    def walk(self, before: Expansion) -> Iterator[Expansion]:
        beside = []
        for number, expansion in enumerate(self.part.walk(Expansion())):
            if number >= MAX_EXPANSIONS:
                raise UnsupportedRegexError(
                    f"a look-around in it stands for more than {MAX_EXPANSIONS} texts"
                )
            if not expansion.text or expansion.not_before or expansion.not_after or expansion.word_end:
                raise UnsupportedRegexError("it contains a look-around that does not list texts")
            if expansion.word_start:
                raise UnsupportedRegexError("it contains a look-around that does not list texts")
            beside.append(expansion.text)
        if self.ahead:
            yield replace(before, not_before=(*before.not_before, *beside))
        elif before.text:
            raise UnsupportedRegexError("it looks behind in its middle")
        else:
            yield replace(before, not_after=(*before.not_after, *beside))
