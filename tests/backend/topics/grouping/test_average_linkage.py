"""Average linkage by chains of nearest neighbours."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from backend.topics.grouping.average_linkage import Edges, average_linkage
from backend.topics.grouping.headline_vectors import Floats

LEAST = 0.55


@st.composite
def similarities(draw: st.DrawFn) -> Floats:
    count = draw(st.integers(1, 9))
    # All different, and roots so that means are different too: the closest pair is one pair alone.
    values = draw(st.permutations(range(count * count)))
    roots = np.sqrt(np.array(values, dtype=float).reshape(count, count) / (count * count))
    upper = np.triu(roots, 1)
    return upper + upper.T


def list_edges(similarity: Floats) -> Edges:
    first, second = np.nonzero(np.triu(similarity, 1))
    return first.astype(np.int64), second.astype(np.int64), similarity[first, second]


def closest_pair_first(similarity: Floats, least: float) -> list[set[int]]:
    """Average linkage as it is defined."""
    parts = [{place} for place in range(len(similarity))]
    while len(parts) > 1:
        means = [
            (float(np.mean([similarity[a, b] for a in first for b in second])), i, j)
            for i, first in enumerate(parts)
            for j, second in enumerate(parts)
            if i < j
        ]
        mean, i, j = max(means)
        if mean < least:
            break
        parts[i] |= parts.pop(j)
    return parts


@given(similarities())
def test_the_result_equals_joining_the_closest_pair_first(similarity: Floats) -> None:
    roots = average_linkage(list_edges(similarity), len(similarity), LEAST)
    found = {
        frozenset(place for place, root in enumerate(roots) if root == cluster_root) for cluster_root in roots
    }
    assert found == {frozenset(part) for part in closest_pair_first(similarity, LEAST)}


@given(similarities())
def test_each_cluster_has_the_lowest_number_of_its_members(similarity: Floats) -> None:
    roots = average_linkage(list_edges(similarity), len(similarity), LEAST)
    assert all(roots[root] == root <= place for place, root in enumerate(roots))


def test_identical_items_are_joined() -> None:
    similarity = np.full((6, 6), 0.6)
    np.fill_diagonal(similarity, 0)
    assert average_linkage(list_edges(similarity), 6, LEAST) == [0] * 6


def test_a_pair_that_is_not_listed_counts_as_different() -> None:
    similarity = np.array([[0, 0.9, 0.0], [0.9, 0, 0.9], [0.0, 0.9, 0]])
    assert average_linkage(list_edges(similarity), 3, LEAST) == [0, 0, 2]
    assert average_linkage(list_edges(similarity), 3, 0.45) == [0, 0, 0]


def test_no_pairs_give_a_cluster_for_each_item() -> None:
    assert average_linkage(list_edges(np.zeros((3, 3))), 3, LEAST) == [0, 1, 2]
    assert average_linkage(list_edges(np.zeros((0, 0))), 0, LEAST) == []
