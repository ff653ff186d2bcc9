"""Estimates the probability that two headlines report one event.

A logistic regression over the features of a pair, with one set of weights for pairs in one language and one
for pairs in two. ``benchmarks/fit_grouping.py`` fits the weights to labelled headlines.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from backend.topics.grouping.candidate_pairs import find_candidates
from backend.topics.grouping.headline_features import Headline
from backend.topics.grouping.headline_vectors import Floats, Ints, build_vectors
from backend.topics.grouping.pair_features import NAMES, compute_features, is_conflict

MIN_PROBABILITY = 0.02
"""Pairs below this are left out, as if their probability was 0."""
CONFLICT = -4.0
"""Similarity of two headlines that tell of two parties or places. It outweighs several sure pairs, so that
clusters with such a pair do not merge."""
MAX_WEAK_PROBABILITY = 0.2
"""Upper bound for two languages with weak evidence. It is below the bound from which clusters merge, so that
such a pair merges nothing alone."""
CHUNK_PAIRS = 40_000
_FILE = Path(__file__).parent / "data" / "pair_weights.yaml"

Edges = tuple[Ints, Ints, Floats]
"""First and second headline of each pair, and the probability that they report one event, or
:data:`CONFLICT`."""


def estimate_pairs(headlines: Sequence[Headline]) -> Edges:
    """Estimate all pairs with at least :data:`MIN_PROBABILITY`; the first index of a pair is lower."""
    firsts, seconds, probabilities = [], [], []
    for first, second, features, is_same_language, has_conflict in compute_candidate_features(headlines):
        weights = np.where(is_same_language[:, None], _load_weights()["same"], _load_weights()["cross"])
        logits = (features * weights[:, :-1]).sum(axis=1) + weights[:, -1]
        probability = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
        is_weak = (features[:, NAMES.index("weak_evidence")] > 0) & ~is_same_language
        probability = np.where(is_weak, np.minimum(probability, MAX_WEAK_PROBABILITY), probability)
        probability = np.where(has_conflict, CONFLICT, probability)
        kept = (probability >= MIN_PROBABILITY) | has_conflict
        firsts.append(first[kept])
        seconds.append(second[kept])
        probabilities.append(probability[kept])
    if not firsts:
        return np.array([], dtype=np.int64), np.array([], dtype=np.int64), np.array([])
    return np.concatenate(firsts), np.concatenate(seconds), np.concatenate(probabilities)


def compute_candidate_features(
    headlines: Sequence[Headline],
) -> Iterator[tuple[Ints, Ints, Floats, NDArray[np.bool_], NDArray[np.bool_]]]:
    """Yield chunks of candidate pairs, their features, whether both headlines are in one language, and
    whether they tell of two parties (:func:`is_conflict`)."""
    vectors = build_vectors(headlines)
    for all_first, all_second in find_candidates(headlines, vectors.hours):
        for at in range(0, len(all_first), CHUNK_PAIRS):
            first, second = all_first[at : at + CHUNK_PAIRS], all_second[at : at + CHUNK_PAIRS]
            is_same = vectors.language[first] == vectors.language[second]
            has_conflict = is_conflict(vectors, first, second)
            yield first, second, compute_features(vectors, first, second), is_same, has_conflict


@cache
def _load_weights() -> Mapping[str, Floats]:
    """Load the weights of each kind of pair, in the order of the features, with the intercept last."""
    data = yaml.load(_FILE.read_text("utf-8"), Loader=yaml.CSafeLoader)
    return {
        kind: np.array([data[kind][name] for name in (*NAMES, "intercept")]) for kind in ("same", "cross")
    }
