"""The few characters that a surface has around each of its places: to tell that none can lie over a place."""

from collections.abc import Iterable

_NONE = "\0"
"""Stands where a surface has begun or ended."""


def joints_of(surfaces: Iterable[str]) -> frozenset[str]:
    """Two characters before and two behind every place within ``surfaces``, but for those inside words."""
    found: set[str] = set()
    for surface in surfaces:
        if surface.isalnum() and surface.isascii():
            continue
        ended = f"{_NONE}{surface}{_NONE}"
        for k in range(len(surface) - 1):
            place = ended[k + 1 : k + 3]
            if not (place.isalnum() and place.isascii()):
                found.add(ended[k : k + 4])
    return frozenset(found)


def may_join(joints: frozenset[str], before: str, behind: str) -> bool:
    """Whether a surface might lie over the place between ``before`` and ``behind``, two characters each."""
    if _inside_word(before[1], behind[0]):
        return True
    return (
        before + behind in joints
        or before + behind[0] + _NONE in joints
        or _NONE + before[1] + behind in joints
        or _NONE + before[1] + behind[0] + _NONE in joints
    )


def _inside_word(before: str, behind: str) -> bool:
    return before.isascii() and behind.isascii() and before.isalnum() and behind.isalnum()
