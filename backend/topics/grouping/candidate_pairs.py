"""Finds the pairs of headlines that may report one event, without comparing every pair.

A candidate pair shares at least one feature: a title word, an entity, a figure, or a combination of an entity
with an act. The work for a feature grows with the square of the number of its headlines. Features are
therefore used from the rarest up to :data:`MAX_PRODUCTS`, and in a large window the most common ones are left
out. Of the candidates of a headline, those with the rarest shared features remain.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from backend.topics.grouping.headline_features import Headline
from backend.topics.grouping.headline_vectors import (
    Floats,
    Ints,
    Matrix,
    build_incidence,
    count_columns,
    multiply_columns,
)
from backend.topics.model import NEWS_WINDOW

MAX_PRODUCTS = 20_000_000
"""Maximum number of pairs, counted once for each shared feature."""
MAX_CANDIDATES = 40
"""Candidates of one headline in a window with more than :data:`SMALL_WINDOW` headlines."""
SMALL_WINDOW = 1_000
CHUNK_ROWS = 1_000


def find_candidate_pairs(headlines: Sequence[Headline], hours: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Yield chunks of candidate pairs; the first index of a pair is lower than the second."""
    matrix = _keep_rare(build_incidence([_list_keys(headline) for headline in headlines]))
    transposed = matrix.T.tocsr()
    for start in range(0, matrix.shape[0], CHUNK_ROWS):
        products = (matrix[start : start + CHUNK_ROWS] @ transposed).tocoo()
        first, second, weight = products.row + start, products.col, products.data
        is_pair = (first < second) & (
            np.abs(hours[first] - hours[second]) <= NEWS_WINDOW.total_seconds() / 3600
        )
        first, second, weight = first[is_pair], second[is_pair], weight[is_pair]
        if matrix.shape[0] > SMALL_WINDOW:
            kept = _keep_best(first, second, weight)
            first, second = first[kept], second[kept]
        yield first.astype(np.int64), second.astype(np.int64)


def _list_keys(headline: Headline) -> set[str]:
    features = headline.features
    entities = sorted(feature for feature in features if feature.startswith("entity:"))
    acts = sorted(feature for feature in features if feature.startswith("verb:"))
    keys = {f"word:{word}" for word in headline.words}
    keys.update(feature for feature in features if feature.startswith(("entity:", "figure:")))
    keys.update(f"{entity} {act}" for entity in entities for act in acts)
    keys.update(f"{a} {b}" for place, a in enumerate(entities) for b in entities[place + 1 :])
    keys.update(feature for feature in headline.lead_features if feature.startswith("entity:"))
    return keys


def _keep_rare(matrix: Matrix) -> Matrix:
    """Keep the features within the limit of work, weighted by rarity."""
    counts = count_columns(matrix)
    order = np.argsort(counts, kind="stable")
    work = np.cumsum(counts[order] ** 2)
    is_kept = np.zeros(len(counts), dtype=bool)
    is_kept[order[work <= MAX_PRODUCTS]] = True
    is_kept &= counts > 1
    weights = np.where(is_kept, np.log1p(matrix.shape[0] / np.maximum(counts, 1.0)), 0.0)
    weighted = multiply_columns(matrix, weights)
    weighted.eliminate_zeros()
    return weighted


def _keep_best(first: Ints, second: Ints, weight: Floats) -> Ints:
    """Return the places of the pairs with the most weight for each first headline."""
    order = np.lexsort((second, -weight, first))
    starts = np.flatnonzero(np.diff(first[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return np.sort(order[rank < MAX_CANDIDATES])
