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


def average_linkage(neighbours: Neighbours, sizes: Sequence[int], least: float) -> list[int]:
    """Return for each item the lowest index in its cluster. ``sizes`` are the numbers of members of the
    items."""
    joined = list(range(len(sizes)))
    for part in _parts(neighbours, least):
        alike = np.zeros((len(part), len(part)))
        for place, thing in enumerate(part):
            others, values = neighbours[thing]
            inside = np.searchsorted(part, others)
            known = (inside < len(part)) & (np.take(part, inside, mode="clip") == others)
            alike[place, inside[known]] = values[known]
        alike = np.maximum(alike, alike.T)  # sums in another order differ in their last bit, and chains
        np.fill_diagonal(alike, -1.0)  # of nearest neighbours end only where likeness is mutual
        for place, root in enumerate(_chained(alike, np.array([sizes[t] for t in part], float), least)):
            joined[int(part[place])] = int(part[root])
    return joined


def _parts(neighbours: Neighbours, least: float) -> list[Ints]:
    """Return the connected components of pairs with at least ``least`` similarity, with two or more items
    each."""
    root = list(range(len(neighbours)))

    def find(one: int) -> int:
        while root[one] != one:
            root[one] = root[root[one]]
            one = root[one]
        return one

    for one, (others, values) in enumerate(neighbours):
        for other in others[values >= least].tolist():
            low, high = sorted((find(one), find(other)))
            root[high] = low
    found: dict[int, list[int]] = {}
    for one in range(len(root)):
        found.setdefault(find(one), []).append(one)
    return [np.array(part, dtype=np.int64) for part in found.values() if len(part) > 1]


def _chained(alike: Floats, sizes: Floats, least: float) -> list[int]:
    """Return the lowest index of each item's cluster. Overwrites ``alike`` and ``sizes``."""
    count = len(sizes)
    root = list(range(count))
    for start in range(count):
        chain = [start] if root[start] == start else []
        while chain:
            here = chain[-1]
            nearest = int(np.argmax(alike[here]))
            if alike[here, nearest] < least:
                chain.pop()  # it is isolated, so the previous item is examined again
            elif len(chain) > 1 and alike[here, chain[-2]] >= alike[here, nearest]:
                kept, gone = sorted(chain[-2:])
                del chain[-2:]
                _join(alike, sizes, kept, gone)
                root[gone] = kept
                if not chain and root[start] == start:
                    chain.append(start)
            else:
                chain.append(nearest)
    for place in range(count):  # in ascending order, and every root is lower than what it took in
        root[place] = root[root[place]]
    return root


def _join(alike: Floats, sizes: Floats, kept: int, gone: int) -> None:
    total = sizes[kept] + sizes[gone]
    mean = (sizes[kept] * alike[kept] + sizes[gone] * alike[gone]) / total
    alike[kept], alike[:, kept] = mean, mean
    alike[gone], alike[:, gone] = -1.0, -1.0
    alike[kept, kept] = -1.0
    sizes[kept] = total
