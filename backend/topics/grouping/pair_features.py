"""Computes the features of headline pairs that :mod:`.pair_model` weighs."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from backend.topics.grouping.headline_vectors import Floats, Ints, Matrix, Vectors

FEATURE_NAMES = (
    "title_cosine",
    "rare_words",
    "weak_evidence",
    "entities",
    "other_entities",
    "entity_share",
    "acts",
    "other_acts",
    "same_theme",
    "figures",
    "other_figures",
    "names",
    "entities_and_acts",
    "entities_and_figures",
    "lead_cosine",
    "both_leads",
    "coverage",
    "mutual_coverage",
    "all_entities",
    "all_entity_share",
    "all_acts",
    "all_figures",
    "first_hours",
    "days",
)
"""The columns of :func:`compute_features`."""
FIRST_HOURS = 6.0
"""Hours between two headlines after which the feature ``first_hours`` stays at 1."""
MAX_RARITY = 2.0
"""Upper bound of a sum of rarities: further shared features of a kind add no evidence."""
MAX_WORD_RARITY = 6.0
"""The same bound for words of titles."""


def compute_features(vectors: Vectors, first: Ints, second: Ints) -> Floats:
    """Return one row of features for each pair of headlines ``first[i]``, ``second[i]``.

    ``other_*`` is what one title names and the other does not, or 1 where both name some and share none.
    """
    dot = partial(_multiply_pairs, first, second)
    mass = partial(_sum_squares, vectors)
    entities = dot(vectors.entities)
    acts, figures = dot(vectors.acts), np.minimum(dot(vectors.figures), MAX_RARITY)
    first_mass, second_mass = mass("entities")[first], mass("entities")[second]
    all_entities = dot(vectors.all_entities)
    all_mass = mass("all_entities")[first] + mass("all_entities")[second]
    has_act = np.diff(vectors.acts.indptr) > 0
    coverage = _multiply_pairs(first, second, vectors.covered, vectors.covering)
    reverse_coverage = _multiply_pairs(second, first, vectors.covered, vectors.covering)
    hours = np.abs(vectors.hours[first] - vectors.hours[second])
    columns = {
        "title_cosine": dot(vectors.title_words),
        "rare_words": np.minimum(dot(vectors.word_rarity), MAX_WORD_RARITY) / 3,
        "weak_evidence": is_weak_evidence(vectors, first, second),
        "entities": np.minimum(entities, MAX_RARITY),
        "other_entities": np.clip(np.minimum(first_mass, second_mass) - entities, 0.0, MAX_RARITY),
        "entity_share": entities / np.maximum(first_mass + second_mass - entities, 1e-9),
        "acts": np.minimum(acts, MAX_RARITY),
        "other_acts": has_act[first] & has_act[second] & (acts <= 0),
        "same_theme": dot(vectors.themes) > 0,
        "figures": figures,
        "other_figures": (dot(vectors.units) > 0) & (figures <= 0),
        "names": np.minimum(dot(vectors.names), MAX_RARITY),
        "entities_and_acts": np.minimum(entities, 1.0) * np.minimum(acts, 1.0),
        "entities_and_figures": np.minimum(entities, 1.0) * np.minimum(figures, 1.0),
        "lead_cosine": dot(vectors.lead_words),
        "both_leads": vectors.has_lead[first] & vectors.has_lead[second],
        "coverage": np.maximum(coverage, reverse_coverage),
        "mutual_coverage": np.sqrt(coverage * reverse_coverage),
        "all_entities": np.minimum(all_entities, 3.0),
        "all_entity_share": all_entities / np.maximum(all_mass - all_entities, 1e-9),
        "all_acts": np.minimum(dot(vectors.all_acts), MAX_RARITY),
        "all_figures": np.minimum(dot(vectors.all_figures), MAX_RARITY),
        "first_hours": np.minimum(hours / FIRST_HOURS, 1.0),
        "days": hours / 24,
    }
    return np.stack([np.asarray(columns[name], dtype=np.float64) for name in FEATURE_NAMES], axis=1)


def is_weak_evidence(vectors: Vectors, first: Ints, second: Ints) -> NDArray[np.bool_]:
    """Return which pairs share no more than a coin, a regulator, an act or a figure.

    Titles in two languages share hardly a word, and Bitcoin alone says nothing.
    """
    dot = partial(_multiply_pairs, first, second)
    entities = dot(vectors.entity_counts)
    kinds = sum(
        (dot(matrix) > 0).astype(np.int64)
        for matrix in (vectors.all_acts, vectors.all_figures, vectors.names)
    )
    is_specific = (entities >= 2) | (dot(vectors.subjects) > 0) | (dot(vectors.names) > 0)
    return ~(is_specific | ((entities > 0) + kinds >= 2))


def is_conflict(vectors: Vectors, first: Ints, second: Ints) -> NDArray[np.bool_]:
    """Return which pairs are about different events.

    They report the same act of two parties, two parties with different figures, or two places. The
    parties are the organisations with which the titles and leads begin. Each pair has none in common, and
    one of the headlines does not name the party of the other at all. Two releases of one authority are about
    different events if their titles share only its name and words of releases in general.
    """
    dot = partial(_multiply_pairs, first, second)
    count = np.diff(vectors.actors.indptr)
    have_actors = (count[first] > 0) & (count[second] > 0) & (dot(vectors.actors) <= 0)
    first_named = _multiply_pairs(first, second, vectors.actors, vectors.entity_counts) > 0
    second_named = _multiply_pairs(second, first, vectors.actors, vectors.entity_counts) > 0
    same_figures = dot(vectors.figures) > 0
    same_acts = dot(vectors.all_acts) > 0
    other_figures = dot(vectors.units) > 0
    other_parties = have_actors & ~(first_named & second_named) & (same_acts | other_figures)
    place_count = np.diff(vectors.places.indptr)
    other_places = (place_count[first] > 0) & (place_count[second] > 0) & (dot(vectors.places) <= 0)
    other_releases = (dot(vectors.releases) > 0) & (dot(vectors.release_words) <= 0)
    conflict: NDArray[np.bool_] = ((other_parties | other_places) & ~same_figures) | other_releases
    return conflict


def _multiply_pairs(first: Ints, second: Ints, left: Matrix, right: Matrix | None = None) -> Floats:
    """Return the product of row ``first[i]`` of ``left`` and row ``second[i]`` of ``right`` for each pair."""
    products: Floats = left[first].multiply((left if right is None else right)[second]).sum(axis=1)
    return np.asarray(products, dtype=np.float64).ravel()


def _sum_squares(vectors: Vectors, name: str) -> Floats:
    matrix = getattr(vectors, name)
    row_of = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    squares: Floats = np.bincount(row_of, weights=matrix.data**2, minlength=matrix.shape[0]).astype(
        np.float64
    )
    return squares
