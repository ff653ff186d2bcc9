"""Which id a regrouped topic has: an id stays with the largest part of the members that it had.

Of several ids that come to one group, the one with most members there stays, and the others are merged into
it. A group to which none comes is new, and so is what splits off.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Identities:
    """``kept`` has the id of each group, None for a new one; ``merged`` tells the group, by its index, of
    each id that stays no longer."""

    kept: tuple[int | None, ...]
    merged: dict[int, int]


def identities(groups: Sequence[Sequence[int | None]]) -> Identities:
    """``groups`` has for each group the ids that its members had, None where one is new."""
    parts: dict[int, Counter[int]] = {}
    for index, group in enumerate(groups):
        for topic_id in group:
            if topic_id is not None:
                parts.setdefault(topic_id, Counter())[index] += 1
    largest = {
        topic_id: min(part, key=lambda index: (-part[index], index)) for topic_id, part in parts.items()
    }
    kept: list[int | None] = [None] * len(groups)
    merged: dict[int, int] = {}
    for topic_id in sorted(largest, key=lambda number: (-parts[number][largest[number]], number)):
        group_index = largest[topic_id]
        if kept[group_index] is None:
            kept[group_index] = topic_id
        else:
            merged[topic_id] = group_index
    return Identities(tuple(kept), merged)
