"""Clusters items by average linkage (UPGMA: Sokal and Michener, 1958) over a sparse similarity.

The pair of clusters with the highest mean similarity of their members merges, while that mean is at least a
bound. Pairs that are not listed have similarity 0. A heap holds the pairs, and each cluster the sums of its
similarities to its neighbours, so that time and memory grow with the number of listed pairs.
"""

import heapq
from collections.abc import Sequence

from backend.topics.grouping.headline_vectors import Floats, Ints

Edges = tuple[Ints, Ints, Floats]
"""Two different items and their similarity, for each pair once."""


def average_linkage(edges: Edges, count: int, min_similarity: float) -> list[int]:
    """Return for each of ``count`` items the lowest index in its cluster."""
    sums: list[dict[int, float]] = [{} for _ in range(count)]
    heap: list[tuple[float, int, int]] = []
    for first, second, similarity in zip(*(column.tolist() for column in edges), strict=True):
        low, high = sorted((first, second))
        sums[low][high] = sums[high][low] = similarity
        if similarity >= min_similarity:
            heap.append((-similarity, low, high))
    heapq.heapify(heap)
    sizes = [1] * count
    roots = list(range(count))
    while heap:
        negative, target, merged = heapq.heappop(heap)
        mean = sums[target].get(merged, 0.0) / (sizes[target] * sizes[merged])
        if roots[target] != target or roots[merged] != merged or -mean != negative:
            continue  # a cluster of this pair has merged since, and the new mean is also in the heap
        _merge(sums, target, merged)
        roots[merged] = target
        sizes[target] += sizes[merged]
        for neighbour, total in sums[target].items():
            mean = total / (sizes[target] * sizes[neighbour])
            if mean >= min_similarity:
                heapq.heappush(heap, (-mean, min(target, neighbour), max(target, neighbour)))
    for item in range(count):  # ascending: every root is lower than the items merged into it
        roots[item] = roots[roots[item]]
    return roots


def _merge(sums: Sequence[dict[int, float]], target: int, merged: int) -> None:
    """Add the similarities of ``merged`` to those of ``target``, and remove ``merged``."""
    sums[target].pop(merged, None)
    sums[merged].pop(target, None)
    for neighbour, total in sums[merged].items():
        sums[target][neighbour] = sums[target].get(neighbour, 0.0) + total
        neighbours = sums[neighbour]
        del neighbours[merged]
        neighbours[target] = sums[target][neighbour]
    sums[merged].clear()
