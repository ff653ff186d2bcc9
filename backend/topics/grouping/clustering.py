"""Clusters the headlines of a window by event, in one language and across languages.

First, a single pass in chronological order assigns each title to the nearest cluster of its language (Allan,
Papka and Lavrenko, 1998). Its threshold is strict, so that its clusters are nearly always right. Average
linkage then merges these clusters by the mean similarity of their members. Titles of one language are
compared by words, entities and figures, titles of two languages by their signatures. Similarity decreases
with the time between clusters.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from backend.entities.model import LANGUAGES, Language
from backend.topics.grouping import headline_features, title_tokens
from backend.topics.grouping.average_linkage import average_linkage
from backend.topics.grouping.headline_features import Features
from backend.topics.grouping.sparse_vectors import (
    ColumnIndex,
    Floats,
    Ints,
    Rows,
    build_column_index,
    build_rows,
    sum_by_label,
)
from backend.topics.model import NEWS_WINDOW

MIN_CENTROID_COSINE = 0.4
"""Cosine to a cluster's centroid from which the single pass assigns a title to it."""
MIN_LINKAGE_SIMILARITY = 0.17
"""Mean similarity of two clusters' members from which average linkage merges them."""
CROSS_LANGUAGE_WEIGHT = 0.5
"""Weight of the cosine of two signatures, relative to the cosine of two titles."""
SIMILARITY_HALF_LIFE = timedelta(hours=72)
"""Time between two clusters that halves their similarity."""
_COMPARED = ("entity:", "figure:")


@dataclass(frozen=True, slots=True)
class Headline:
    title: str
    language: Language
    published_at: datetime
    features: Features
    """See :func:`backend.topics.grouping.headline_features.extract_features`."""


def cluster_headlines(headlines: Sequence[Headline]) -> list[int]:
    """Return the cluster number of each headline. Clusters are numbered by their earliest headline.

    The result does not depend on the order of ``headlines``.
    """
    order = sorted(
        range(len(headlines)),
        key=lambda i: (headlines[i].published_at, headlines[i].language, headlines[i].title),
    )
    sorted_headlines = [headlines[index] for index in order]
    labels = _cluster_sorted(sorted_headlines)
    number_of: dict[int, int] = {}
    numbers = [0] * len(headlines)
    for index, label in zip(order, labels, strict=True):
        numbers[index] = number_of.setdefault(label, len(number_of))
    return numbers


@dataclass(frozen=True, slots=True)
class _Pass:
    """The clusters of one language after the single pass: ``labels`` of the headlines at ``indexes``, and the
    sum of the title vectors of each label."""

    indexes: list[int]
    labels: Ints
    sums: Rows
    row_index: ColumnIndex


class _Signature:
    """Signatures of clusters, with ``named`` features apart from ``acts``. A shared act counts only together
    with a shared entity, name or figure."""

    def __init__(self, named: Rows, acts: Rows) -> None:
        self._sums = named, acts
        self._indexes = build_column_index(named), build_column_index(acts)

    def dots(self, cluster: int) -> Floats:
        named, acts = (
            row_index.dots(*sums.row(cluster))
            for row_index, sums in zip(self._indexes, self._sums, strict=True)
        )
        return np.where(named > 0, named + acts, 0.0)


def _select_features(signature: Mapping[str, float], *, acts: bool) -> Mapping[str, float]:
    return {one: weight for one, weight in signature.items() if one.startswith("verb:") == acts}


def _cluster_sorted(headlines: Sequence[Headline]) -> list[int]:
    times = np.array([one.published_at.timestamp() for one in headlines])
    passes = [_run_pass(headlines, times, language) for language in LANGUAGES]
    first_labels = np.concatenate(([0], np.cumsum([len(one.sums) for one in passes])))
    label_of = np.zeros(len(headlines), dtype=np.int64)
    for one, first in zip(passes, first_labels.tolist(), strict=False):
        label_of[one.indexes] = one.labels + first
    count = int(first_labels[-1])
    sizes = np.bincount(label_of, minlength=count)
    middles = np.bincount(label_of, weights=times, minlength=count) / np.maximum(sizes, 1)
    signed = headline_features.weigh_features(
        [one.features for one in headlines], [one.language for one in headlines]
    )
    signature = _Signature(
        *(
            sum_by_label(build_rows([_select_features(one, acts=acts) for one in signed]), label_of, count)
            for acts in (False, True)
        )
    )
    similarities = list(_compute_similarities(passes, signature, sizes.astype(np.float64), middles))
    roots = average_linkage(similarities, sizes.tolist(), MIN_LINKAGE_SIMILARITY)
    return [roots[label] for label in label_of.tolist()]


def _run_pass(headlines: Sequence[Headline], times: Floats, language: Language) -> _Pass:
    indexes = [index for index, one in enumerate(headlines) if one.language == language]
    rows = build_rows(title_tokens.weighted([_list_words(headlines[index]) for index in indexes]))
    labels = single_pass(rows, times[indexes])
    sums = sum_by_label(rows, labels, int(labels.max()) + 1 if len(labels) else 0)
    return _Pass(indexes, labels, sums, build_column_index(sums))


def _list_words(one: Headline) -> tuple[str, ...]:
    """List the words, entities and figures of a title, so that BTC matches Bitcoin and $90K $90,000."""
    named = sorted(feature for feature in one.features if feature.startswith(_COMPARED))
    return (*title_tokens.words(one.title), *named)


def single_pass(rows: Rows, times: Floats) -> Ints:
    """Return labels of ``rows``, which are in order of ``times`` (seconds). A cluster without a new title for
    the length of the window is closed."""
    row_index = build_column_index(rows)
    labels = np.zeros(len(rows), dtype=np.int64)
    squares, last = np.zeros(len(rows)), np.zeros(len(rows))
    count = 0
    for index in range(len(rows)):
        columns, weights = rows.row(index)
        dots = row_index.dots(columns, weights)[:index]
        sums = np.bincount(labels[:index], weights=dots, minlength=count)[:count]
        is_open = last[:count] >= times[index] - NEWS_WINDOW.total_seconds()
        cosines = np.where(is_open, sums / np.sqrt(np.maximum(squares[:count], 1e-12)), 0.0)
        best = int(np.argmax(cosines)) if count else 0
        if count == 0 or cosines[best] < MIN_CENTROID_COSINE:
            best, count = count, count + 1
            squares[best] = weights @ weights
        else:
            squares[best] += 2 * sums[best] + weights @ weights
        labels[index], last[best] = best, times[index]
    return labels


def _compute_similarities(
    passes: Sequence[_Pass], signature: _Signature, sizes: Floats, middles: Floats
) -> Iterator[tuple[Ints, Floats]]:
    """Yield for each cluster its similar clusters and the mean similarity of all member pairs."""
    first = 0
    for one in passes:
        own = slice(first, first + len(one.sums))
        for place in range(len(one.sums)):
            cluster = first + place
            mean = CROSS_LANGUAGE_WEIGHT * signature.dots(cluster)
            mean[own] = one.row_index.dots(*one.sums.row(place))
            distance = np.abs(middles - middles[cluster]) / SIMILARITY_HALF_LIFE.total_seconds()
            mean = mean / (sizes * sizes[cluster]) * np.exp2(-distance)
            mean[cluster] = 0.0
            others = np.flatnonzero(mean > 0)
            yield others, mean[others]
        first = own.stop
