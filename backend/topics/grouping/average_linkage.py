"""Average linkage (UPGMA: Sokal and Michener, 1958) over a sparse similarity.

Two clusters are joined while the mean similarity of their members is at least a bound. Chains of nearest
neighbours find the same clusters as joining the closest pair first would (Murtagh, 1983), in squared time.
No mean can reach the bound without a pair that does, so that what no chain of such pairs connects is
worked apart, each part as a dense matrix of its own size.
"""

from collections.abc import Sequence

import numpy as np

from backend.topics.grouping.sparse_vectors import Floats, Ints

Neighbours = Sequence[tuple[Ints, Floats]]
"""For each thing the others that it is like at all, in ascending order, and how much."""


def average_linkage(neighbours: Neighbours, sizes: Sequence[int], least: float) -> list[int]:
    """For each thing the lowest number among those that it is joined with. ``sizes`` are of how many
    members each consists."""
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
    """The sets of two and more that pairs of ``least`` likeness connect, each in ascending order."""
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
    """The lowest place that each ends with; ``alike`` and ``sizes`` are used up."""
    count = len(sizes)
    root = list(range(count))
    for start in range(count):
        chain = [start] if root[start] == start else []
        while chain:
            here = chain[-1]
            nearest = int(np.argmax(alike[here]))
            if alike[here, nearest] < least:
                chain.pop()  # it stands alone, and whatever led here is looked at again
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
