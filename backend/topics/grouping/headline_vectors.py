"""Converts headlines to sparse vectors: words, entities, acts, figures and Latin names, weighted by rarity.

The rarity of a feature is 1 if one headline of the window has it, and near 0 if most have it. Columns are
the same in all languages, so that a Latin word (Zephyrine) and an entity link headlines across languages.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from backend.entities.model import LANGUAGES
from backend.sources.claims.actions import load_verbs
from backend.topics.grouping.headline_features import Features, Headline

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Matrix = Any
"""A ``scipy.sparse.csr_array`` with one row for each headline."""


_new_matrix: Any = csr_array  # its constructor has no types


@dataclass(frozen=True, slots=True)
class Vectors:
    """The features of a window, with one row for each headline.

    In matrices of rarity the product of two rows is the sum of the rarities of their shared features. The
    rows of ``title_words`` and ``lead_words`` have length 1, and the product is a cosine.
    """

    title_words: Matrix
    word_rarity: Matrix
    lead_words: Matrix
    covered: Matrix
    """Words of the title, with weights that sum to 1."""
    covering: Matrix
    """Words of the title and the lead, with weight 1."""
    entities: Matrix
    acts: Matrix
    themes: Matrix
    figures: Matrix
    units: Matrix
    names: Matrix
    entity_counts: Matrix
    """Entities of the title and the lead, with weight 1."""
    subjects: Matrix
    actors: Matrix
    """The organisations that act, with weight 1; its columns are those of ``entity_counts``."""
    places: Matrix
    releases: Matrix
    """The authority that published a headline, with weight 1, apart by language."""
    release_words: Matrix
    all_entities: Matrix
    all_acts: Matrix
    all_figures: Matrix
    has_lead: NDArray[np.bool_]
    hours: Floats
    language: Ints

    def __len__(self) -> int:
        return len(self.hours)


def build_vectors(headlines: Sequence[Headline]) -> Vectors:
    """Build the matrices of a window."""
    titles = [headline.features for headline in headlines]
    everything = [headline.features | headline.lead_features for headline in headlines]
    columns: dict[str, int] = {}
    entity_columns: dict[str, int] = {}
    entity_counts = build_incidence([_select(features, "entity:") for features in everything], entity_columns)
    all_words = build_incidence([{*headline.words, *headline.lead_words} for headline in headlines], columns)
    title_words = build_incidence([headline.words for headline in headlines], columns)
    return Vectors(
        title_words=_scale_rows(multiply_columns(title_words, _compute_idf(title_words)), 2),
        word_rarity=_weigh_by_rarity(title_words),
        lead_words=_scale_rows(multiply_columns(all_words, _compute_idf(all_words)), 2),
        covered=_scale_rows(multiply_columns(title_words, _compute_idf(all_words)), 1),
        covering=all_words,
        entities=_build_rarity(titles, "entity:"),
        acts=_build_rarity(titles, "verb:"),
        themes=build_incidence([_list_themes(features) for features in titles]),
        figures=_build_rarity(titles, "figure:"),
        units=build_incidence([_list_units(features) for features in titles]),
        names=_build_rarity(titles, "name:"),
        entity_counts=entity_counts,
        subjects=build_incidence([headline.subjects for headline in headlines]),
        actors=build_incidence([headline.actors for headline in headlines], entity_columns),
        places=build_incidence([headline.places for headline in headlines]),
        releases=build_incidence([_list_release(headline) for headline in headlines]),
        release_words=build_incidence([headline.release_words for headline in headlines]),
        all_entities=_build_rarity(everything, "entity:"),
        all_acts=_build_rarity(everything, "verb:"),
        all_figures=_build_rarity(everything, "figure:"),
        has_lead=np.array([bool(headline.lead_words) for headline in headlines], dtype=bool),
        hours=np.array([headline.published_at.timestamp() / 3600 for headline in headlines]),
        language=np.array([LANGUAGES.index(headline.language) for headline in headlines], dtype=np.int64),
    )


def build_incidence(rows: Sequence[Iterable[str]], columns: dict[str, int] | None = None) -> Matrix:
    """Build a 0/1 matrix of the distinct features of each row. ``columns`` maps features to columns and is
    extended."""
    columns = {} if columns is None else columns
    indices: list[int] = []
    starts = [0]
    for row in rows:
        indices.extend(columns.setdefault(feature, len(columns)) for feature in sorted(set(row)))
        starts.append(len(indices))
    data = (np.ones(len(indices)), np.array(indices, dtype=np.int32), np.array(starts, dtype=np.int32))
    return _new_matrix(data, shape=(len(rows), max(len(columns), 1)))


def _build_rarity(rows: Sequence[Features], prefix: str) -> Matrix:
    return _weigh_by_rarity(build_incidence([_select(features, prefix) for features in rows]))


def _select(features: Features, prefix: str) -> list[str]:
    return [feature for feature in features if feature.startswith(prefix)]


def _list_release(headline: Headline) -> list[str]:
    return [f"{headline.release_of} {headline.language}"] if headline.release_of else []


def _list_themes(features: Features) -> set[str]:
    acts = (load_verbs().get(feature.removeprefix("verb:")) for feature in _select(features, "verb:"))
    return {theme for act in acts if act is not None for theme in act.themes}


def _list_units(features: Features) -> list[str]:
    return [feature.partition(" ")[2] for feature in _select(features, "figure:")]


def count_columns(matrix: Matrix) -> Floats:
    """Return the number of rows with each feature."""
    return np.bincount(matrix.indices, minlength=matrix.shape[1]).astype(np.float64)


def _compute_idf(matrix: Matrix) -> Floats:
    idf: Floats = np.log1p(matrix.shape[0] / np.maximum(count_columns(matrix), 1.0))
    return idf


def _weigh_by_rarity(matrix: Matrix) -> Matrix:
    """Weigh each feature by the square root of its rarity, so that products of rows add up rarities."""
    frequency = np.log(np.maximum(count_columns(matrix), 1.0)) / np.log(max(matrix.shape[0], 1) + 1.0)
    return multiply_columns(matrix, np.sqrt(np.clip(1.0 - frequency, 0.0, 1.0)))


def multiply_columns(matrix: Matrix, weights: Floats) -> Matrix:
    weighted = (matrix.data * weights[matrix.indices], matrix.indices, matrix.indptr)
    return _new_matrix(weighted, shape=matrix.shape)


def _scale_rows(matrix: Matrix, power: int) -> Matrix:
    """Scale each row so that its weights to the power of ``power`` sum to 1; empty rows stay empty."""
    row_of = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    lengths = np.bincount(row_of, weights=matrix.data**power, minlength=matrix.shape[0]) ** (1 / power)
    scaled = (matrix.data / np.maximum(lengths, 1e-12)[row_of], matrix.indices, matrix.indptr)
    return _new_matrix(scaled, shape=matrix.shape)
