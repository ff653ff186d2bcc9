"""Corrections of one text: what they are, and the text with them made."""

from collections.abc import Sequence
from typing import NamedTuple

from backend.articles.matching.meanings import CompiledRule


class Fix(NamedTuple):
    """What should stand at ``[start:end]`` of a field, by which rule, and whether nobody needs to look."""

    start: int
    end: int
    text: str
    rule: CompiledRule
    auto: bool


def fixed(text: str, fixes: Sequence[Fix]) -> str:
    """``text`` with ``fixes`` made, which are sorted and disjoint."""
    parts: list[str] = []
    done = 0
    for fix in fixes:
        parts.append(text[done : fix.start])
        parts.append(fix.text)
        done = fix.end
    parts.append(text[done:])
    return "".join(parts)
