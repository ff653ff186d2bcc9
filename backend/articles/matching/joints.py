"""The few characters that a surface has around each of its places: to tell that none can lie over a place."""

from collections.abc import Iterable
from typing import NamedTuple

WIDTH = 3
"""How many characters to either side of a place are looked at."""
_NONE = "\0"
"""Stands where a surface has begun or ended."""


class Joints(NamedTuple):
    """Every place within some surfaces, but for those inside words of ASCII."""

    before: frozenset[str]
    """What stands before places: three characters, or fewer behind the beginning of the surface."""
    around: frozenset[str]
    """The same with what stands behind them."""


def joints_of(surfaces: Iterable[str]) -> Joints:
    befores: set[str] = set()
    around: set[str] = set()
    for surface in surfaces:
        if surface.isalnum() and surface.isascii():
            continue
        ended = f"{_NONE}{surface}{_NONE}"
        for place in range(2, len(ended) - 1):
            beside = ended[place - 1 : place + 1]
            if not (beside.isalnum() and beside.isascii()):
                before = ended[place - WIDTH if place > WIDTH else 0 : place]
                befores.add(before)
                around.add(before + ended[place : place + WIDTH])
    return Joints(frozenset(befores), frozenset(around))


def may_go_on(joints: Joints, before: str) -> bool:
    """Whether some surface goes on behind the three characters ``before`` a place, unless inside a word."""
    return any(part in joints.before for part in (before, _NONE + before[1:], _NONE + before[2:]))


def may_join(joints: Joints, before: str, behind: str) -> bool:
    """Whether a surface might lie over the place between ``before`` and ``behind``, three characters each."""
    left, right = before[-1], behind[0]
    if left.isalnum() and right.isalnum() and left.isascii() and right.isascii():  # inside a word
        return True
    begun, around = joints
    for part in (before, _NONE + before[1:], _NONE + left):
        if part in begun and (
            part + behind in around or part + behind[:2] + _NONE in around or part + right + _NONE in around
        ):
            return True
    return False
