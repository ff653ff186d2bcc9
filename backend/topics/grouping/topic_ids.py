"""Assigns ids to regrouped topics: an id stays with the largest part of its former members.

If several ids belong to one group, the one with the most members there stays, and the others are merged into
it. A group without a former id is new, as is a part that splits off.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AssignedIds:
    """The ids of groups. ``group_ids`` holds the id of each group, None for a new one. ``merged`` maps each
    removed id to the index of its group."""

    group_ids: tuple[int | None, ...]
    merged: dict[int, int]


def assign_ids(groups: Sequence[Sequence[int | None]]) -> AssignedIds:
    """Assign ids. ``groups`` holds for each group the former ids of its members, None for new members."""
    counts_by_id: dict[int, Counter[int]] = {}
    for index, group in enumerate(groups):
        for topic_id in group:
            if topic_id is not None:
                counts_by_id.setdefault(topic_id, Counter())[index] += 1
    largest = {
        topic_id: min(counts, key=lambda index: (-counts[index], index))
        for topic_id, counts in counts_by_id.items()
    }
    group_ids: list[int | None] = [None] * len(groups)
    merged: dict[int, int] = {}
    for topic_id in sorted(largest, key=lambda number: (-counts_by_id[number][largest[number]], number)):
        group_index = largest[topic_id]
        if group_ids[group_index] is None:
            group_ids[group_index] = topic_id
        else:
            merged[topic_id] = group_index
    return AssignedIds(tuple(group_ids), merged)
