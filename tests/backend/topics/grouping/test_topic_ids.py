"""Ids of regrouped topics."""

from hypothesis import given
from hypothesis import strategies as st

from backend.topics.grouping.topic_ids import assign_ids

GROUPS = st.lists(st.lists(st.none() | st.integers(1, 6), min_size=1, max_size=6), max_size=6)


def test_an_id_stays_with_the_largest_part_of_its_members() -> None:
    found = assign_ids([[7, None], [7, 7]])
    assert found.group_ids == (None, 7)
    assert found.merged == {}


def test_of_two_ids_in_one_group_the_one_with_more_members_stays() -> None:
    found = assign_ids([[3, 9, 9]])
    assert found.group_ids == (9,)
    assert found.merged == {3: 0}


def test_of_two_ids_with_equally_many_members_the_older_stays() -> None:
    assert assign_ids([[9, 3]]).group_ids == (3,)


def test_an_id_follows_the_majority_of_its_members() -> None:
    found = assign_ids([[1, 1, 1, 2, 2], [2]])
    assert found.group_ids == (1, None)
    assert found.merged == {2: 0}


@given(GROUPS)
def test_every_known_id_is_kept_once_or_merged(groups: list[list[int | None]]) -> None:
    found = assign_ids(groups)
    known_ids = {topic_id for group in groups for topic_id in group if topic_id is not None}
    kept_ids = [topic_id for topic_id in found.group_ids if topic_id is not None]
    assert sorted([*kept_ids, *found.merged]) == sorted(known_ids)
    assert all(found.group_ids[index] is not None for index in found.merged.values())


@given(GROUPS)
def test_ids_stay_where_nothing_changed(groups: list[list[int | None]]) -> None:
    first = assign_ids(groups)
    ids = [100 + index if topic_id is None else topic_id for index, topic_id in enumerate(first.group_ids)]
    repeated = assign_ids([[ids[index]] * len(group) for index, group in enumerate(groups)])
    assert list(repeated.group_ids) == ids
    assert repeated.merged == {}
