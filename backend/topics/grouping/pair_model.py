"""Estimates the probability that two headlines report one event.

A logistic regression over the features of a pair, with separate weights for same-language and cross-language
pairs. ``benchmarks/topics/fit_grouping.py`` fits the weights to labelled headlines.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from backend.topics.grouping.candidate_pairs import find_candidate_pairs
from backend.topics.grouping.headline_features import Headline
from backend.topics.grouping.headline_vectors import Floats, Ints, build_vectors
from backend.topics.grouping.pair_features import FEATURE_NAMES, compute_features, is_conflict

MIN_PROBABILITY = 0.02
"""Pairs below this probability are left out, which counts as 0."""
CONFLICT_SIMILARITY = -4.0
"""Similarity of headlines about different parties or places. It is so negative that clusters with such a pair
do not merge."""
WEAK_EVIDENCE_CAP = 0.2
"""Maximum probability of a cross-language pair with weak evidence. It is below the merge threshold, so such a
pair alone cannot merge clusters."""
CHUNK_PAIRS = 40_000
_FILE = Path(__file__).parent / "data" / "pair_weights.yaml"

Edges = tuple[Ints, Ints, Floats]
"""First and second headline of each pair, and the probability that they report one event, or
:data:`CONFLICT_SIMILARITY`."""


def estimate_pairs(headlines: Sequence[Headline]) -> Edges:
    """Estimate all pairs with at least :data:`MIN_PROBABILITY`; the first index of a pair is lower."""
    firsts, seconds, similarities = [], [], []
    for first, second, features, is_same_language, has_conflict in compute_candidate_features(headlines):
        weights = np.where(is_same_language[:, None], _load_weights()["same"], _load_weights()["cross"])
        logits = (features * weights[:, :-1]).sum(axis=1) + weights[:, -1]
        probability = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
        is_weak = (features[:, FEATURE_NAMES.index("weak_evidence")] > 0) & ~is_same_language
        probability = np.where(is_weak, np.minimum(probability, WEAK_EVIDENCE_CAP), probability)
        similarity = np.where(has_conflict, CONFLICT_SIMILARITY, probability)
        kept = (similarity >= MIN_PROBABILITY) | has_conflict
        firsts.append(first[kept])
        seconds.append(second[kept])
        similarities.append(similarity[kept])
    if not firsts:
        return np.array([], dtype=np.int64), np.array([], dtype=np.int64), np.array([])
    return np.concatenate(firsts), np.concatenate(seconds), np.concatenate(similarities)


def compute_candidate_features(
    headlines: Sequence[Headline],
) -> Iterator[tuple[Ints, Ints, Floats, NDArray[np.bool_], NDArray[np.bool_]]]:
    """Yield chunks of candidate pairs, their features, whether both headlines are in one language, and
    whether they are about different parties (:func:`is_conflict`)."""
    vectors = build_vectors(headlines)
    for all_first, all_second in find_candidate_pairs(headlines, vectors.hours):
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
        kind: np.array([data[kind][name] for name in (*FEATURE_NAMES, "intercept")])
        for kind in ("same", "cross")
    }
