"""Average linkage by chains of nearest neighbours."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from backend.topics.grouping.average_linkage import Neighbours, average_linkage
from backend.topics.grouping.sparse_vectors import Floats

LEAST = 0.55


@st.composite
def similarities(draw: st.DrawFn) -> Floats:
    count = draw(st.integers(1, 9))
    # All different, and roots so that means are different too: the closest pair is one pair alone.
    values = draw(st.permutations(range(count * count)))
    roots = np.sqrt(np.array(values, dtype=float).reshape(count, count) / (count * count))
    upper = np.triu(roots, 1)
    return upper + upper.T


def neighbours(alike: Floats) -> Neighbours:
    return [(np.flatnonzero(row > 0), row[row > 0]) for row in alike]


def closest_pair_first(alike: Floats, least: float) -> list[set[int]]:
    """Average linkage as it is defined."""
    parts = [{place} for place in range(len(alike))]
    while len(parts) > 1:
        means = [
            (float(np.mean([alike[a, b] for a in one for b in other])), i, j)
            for i, one in enumerate(parts)
            for j, other in enumerate(parts)
            if i < j
        ]
        mean, i, j = max(means)
        if mean < least:
            break
        parts[i] |= parts.pop(j)
    return parts


@given(similarities())
def test_the_result_equals_joining_the_closest_pair_first(alike: Floats) -> None:
    roots = average_linkage(neighbours(alike), [1] * len(alike), LEAST)
    found = {frozenset(place for place, root in enumerate(roots) if root == one) for one in roots}
    assert found == {frozenset(part) for part in closest_pair_first(alike, LEAST)}


@given(similarities())
def test_each_cluster_has_the_lowest_number_of_its_members(alike: Floats) -> None:
    roots = average_linkage(neighbours(alike), [1] * len(alike), LEAST)
    assert all(roots[root] == root <= place for place, root in enumerate(roots))


def test_identical_items_are_joined() -> None:
    alike = np.full((6, 6), 0.6)
    np.fill_diagonal(alike, 0)
    assert average_linkage(neighbours(alike), [1] * 6, LEAST) == [0] * 6


def test_an_asymmetric_similarity_terminates() -> None:
    alike = np.array([[0, 0.6, 0.6], [0.6, 0, 0.6], [0.6, 0.6, 0]]) + np.triu(np.full((3, 3), 1e-16), 1)
    assert average_linkage(neighbours(alike), [1, 1, 1], LEAST) == [0, 0, 0]


def test_a_large_cluster_outweighs_a_small_one_in_the_mean() -> None:
    # 0 and 1 join first; what 2 is like counts nine tenths by 0.
    alike = np.array([[0, 0.9, 0.2], [0.9, 0, 0.8], [0.2, 0.8, 0]])
    assert average_linkage(neighbours(alike), [9, 1, 1], LEAST) == [0, 0, 2]
    assert average_linkage(neighbours(alike), [1, 9, 1], LEAST) == [0, 0, 0]


def test_an_empty_input_has_no_clusters() -> None:
    assert average_linkage([], [], LEAST) == []
