"""Clusters items by average linkage (UPGMA: Sokal and Michener, 1958) over a sparse similarity.

Two clusters merge while the mean similarity of their members is at least a bound. Nearest-neighbour chains
find the same clusters as repeatedly merging the closest pair (Murtagh, 1983), in quadratic time. A mean
reaches the bound only if some pair does. Components that no such pairs connect are therefore processed
separately, each as a dense matrix of its own size.
"""

from collections.abc import Sequence

import numpy as np

from backend.topics.grouping.sparse_vectors import Floats, Ints

Neighbours = Sequence[tuple[Ints, Floats]]
"""For each item its similar items in ascending order, and their similarities."""


def average_linkage(neighbours: Neighbours, sizes: Sequence[int], min_similarity: float) -> list[int]:
    """Return for each item the lowest index in its cluster. ``sizes`` are the numbers of members of the
    items."""
    roots = list(range(len(sizes)))
    for component in _find_components(neighbours, min_similarity):
        similarity = np.zeros((len(component), len(component)))
        for row, item in enumerate(component):
            others, values = neighbours[item]
            inside = np.searchsorted(component, others)
            known = (inside < len(component)) & (np.take(component, inside, mode="clip") == others)
            similarity[row, inside[known]] = values[known]
        # Sums in another order differ in their last bit, but chains end only if the similarity is symmetric.
        similarity = np.maximum(similarity, similarity.T)
        np.fill_diagonal(similarity, -1.0)
        for row, root in enumerate(
            _cluster_component(similarity, np.array([sizes[t] for t in component], float), min_similarity)
        ):
            roots[int(component[row])] = int(component[root])
    return roots


def _find_components(neighbours: Neighbours, min_similarity: float) -> list[Ints]:
    """Return the connected components of pairs with at least ``least`` similarity, with two or more items
    each."""
    root = list(range(len(neighbours)))

    def find(one: int) -> int:
        while root[one] != one:
            root[one] = root[root[one]]
            one = root[one]
        return one

    for one, (others, values) in enumerate(neighbours):
        for other in others[values >= min_similarity].tolist():
            low, high = sorted((find(one), find(other)))
            root[high] = low
    found: dict[int, list[int]] = {}
    for one in range(len(root)):
        found.setdefault(find(one), []).append(one)
    return [np.array(component, dtype=np.int64) for component in found.values() if len(component) > 1]


def _cluster_component(similarity: Floats, sizes: Floats, min_similarity: float) -> list[int]:
    """Return the lowest index of each item's cluster. Overwrites ``similarity`` and ``sizes``."""
    count = len(sizes)
    root = list(range(count))
    for start in range(count):
        chain = [start] if root[start] == start else []
        while chain:
            current = chain[-1]
            nearest = int(np.argmax(similarity[current]))
            if similarity[current, nearest] < min_similarity:
                chain.pop()  # it is isolated, so the previous item is examined again
            elif len(chain) > 1 and similarity[current, chain[-2]] >= similarity[current, nearest]:
                target, merged = sorted(chain[-2:])
                del chain[-2:]
                _merge(similarity, sizes, target, merged)
                root[merged] = target
                if not chain and root[start] == start:
                    chain.append(start)
            else:
                chain.append(nearest)
    for item in range(count):  # ascending: every root is lower than the items merged into it
        root[item] = root[root[item]]
    return root


def _merge(similarity: Floats, sizes: Floats, target: int, merged: int) -> None:
    total = sizes[target] + sizes[merged]
    mean = (sizes[target] * similarity[target] + sizes[merged] * similarity[merged]) / total
    similarity[target], similarity[:, target] = mean, mean
    similarity[merged], similarity[:, merged] = -1.0, -1.0
    similarity[target, target] = -1.0
    sizes[target] = total
