"""Assigns ids to regrouped topics: an id stays with the largest part of its former members.

If several ids belong to one group, the one with the most members there stays, and the others are merged into
it. A group without a former id is new, as is a part that splits off.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AssignedIds:
    """The ids of groups. ``kept`` holds the id of each group, None for a new one. ``merged`` maps each
    removed id to the index of its group."""

    kept: tuple[int | None, ...]
    merged: dict[int, int]


def assign_ids(groups: Sequence[Sequence[int | None]]) -> AssignedIds:
    """Assign ids. ``groups`` holds for each group the former ids of its members, None for new members."""
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
    return AssignedIds(tuple(kept), merged)
