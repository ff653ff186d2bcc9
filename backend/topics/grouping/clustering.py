"""Which headlines of a window tell one event, in one language and across languages.

First a single pass in order of time puts each title to the nearest cluster of its language so far (Allan,
Papka and Lavrenko, 1998); its threshold is strict, so that what it joins is nearly always right. Average
linkage then joins these clusters where their members are alike on average: titles of one language by their
words, entities and figures, of two languages by their signatures; the further apart in time, the less.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from backend.entities.model import LANGUAGES, Language
from backend.topics.grouping import headline_features, title_tokens
from backend.topics.grouping.average_linkage import average_linkage
from backend.topics.grouping.headline_features import Features
from backend.topics.grouping.sparse_vectors import Floats, Holders, Ints, Rows, holders, rows_of, summed

WINDOW = timedelta(hours=72)
NEAR = 0.4
"""Cosine to a cluster's centroid from which the pass puts a title into it."""
LEAST = 0.17
"""Mean likeness of the members of two clusters from which the linkage joins them."""
ACROSS = 0.5
"""What the cosine of two signatures counts for, beside the cosine of two titles."""
FADING = timedelta(hours=72)
"""Apart by this, two clusters are half as like."""
_COMPARED = ("entity:", "figure:")


@dataclass(frozen=True, slots=True)
class Headline:
    title: str
    language: Language
    published_at: datetime
    features: Features
    """See :func:`backend.topics.grouping.headline_features.features`."""


def clusters(given: Sequence[Headline]) -> list[int]:
    """For each headline the number of its cluster, clusters being numbered by their first headline in time.

    The answer depends on the headlines alone: in whatever order they come, the same ones stand together.
    """
    order = sorted(
        range(len(given)), key=lambda i: (given[i].published_at, given[i].language, given[i].title)
    )
    sorted_given = [given[index] for index in order]
    labels = _joined(sorted_given)
    name: dict[int, int] = {}
    found = [0] * len(given)
    for index, label in zip(order, labels, strict=True):
        found[index] = name.setdefault(label, len(name))
    return found


@dataclass(frozen=True, slots=True)
class _Pass:
    """The clusters that the single pass found in one language: ``labels`` of the headlines at ``places``,
    and for each label the sum of its titles."""

    places: list[int]
    labels: Ints
    sums: Rows
    held: Holders


class _Signature:
    """The signatures of clusters, ``named`` apart from ``acts``: that the same was done tells nothing unless
    both tell it of one entity or name, or with one figure."""

    def __init__(self, named: Rows, acts: Rows) -> None:
        self._sums = named, acts
        self._held = holders(named), holders(acts)

    def dots(self, here: int) -> Floats:
        named, acts = (held.dots(*sums.row(here)) for held, sums in zip(self._held, self._sums, strict=True))
        return np.where(named > 0, named + acts, 0.0)


def _part(signature: Mapping[str, float], *, acts: bool) -> Mapping[str, float]:
    return {one: weight for one, weight in signature.items() if one.startswith("verb:") == acts}


def _joined(given: Sequence[Headline]) -> list[int]:
    times = np.array([one.published_at.timestamp() for one in given])
    passes = [_passed(given, times, language) for language in LANGUAGES]
    firsts = np.concatenate(([0], np.cumsum([len(one.sums) for one in passes])))
    label_of = np.zeros(len(given), dtype=np.int64)
    for one, first in zip(passes, firsts.tolist(), strict=False):
        label_of[one.places] = one.labels + first
    count = int(firsts[-1])
    sizes = np.bincount(label_of, minlength=count)
    middles = np.bincount(label_of, weights=times, minlength=count) / np.maximum(sizes, 1)
    signed = headline_features.weighted([one.features for one in given], [one.language for one in given])
    signature = _Signature(
        *(
            summed(rows_of([_part(one, acts=acts) for one in signed]), label_of, count)
            for acts in (False, True)
        )
    )
    alike = list(_alike(passes, signature, sizes.astype(np.float64), middles))
    roots = average_linkage(alike, sizes.tolist(), LEAST)
    return [roots[label] for label in label_of.tolist()]


def _passed(given: Sequence[Headline], times: Floats, language: Language) -> _Pass:
    places = [place for place, one in enumerate(given) if one.language == language]
    rows = rows_of(title_tokens.weighted([_compared(given[place]) for place in places]))
    labels = single_pass(rows, times[places])
    sums = summed(rows, labels, int(labels.max()) + 1 if len(labels) else 0)
    return _Pass(places, labels, sums, holders(sums))


def _compared(one: Headline) -> tuple[str, ...]:
    """The words of a title, and whom and how much it names: BTC and Bitcoin, $90K and $90,000 are alike."""
    named = sorted(feature for feature in one.features if feature.startswith(_COMPARED))
    return (*title_tokens.words(one.title), *named)


def single_pass(rows: Rows, times: Floats) -> Ints:
    """Labels of ``rows``, which come in order of ``times`` (seconds). A cluster that nobody joined for the
    length of the window is closed."""
    held = holders(rows)
    labels = np.zeros(len(rows), dtype=np.int64)
    squares, last = np.zeros(len(rows)), np.zeros(len(rows))
    count = 0
    for index in range(len(rows)):
        columns, weights = rows.row(index)
        dots = held.dots(columns, weights)[:index]
        sums = np.bincount(labels[:index], weights=dots, minlength=count)[:count]
        open_still = last[:count] >= times[index] - WINDOW.total_seconds()
        cosines = np.where(open_still, sums / np.sqrt(np.maximum(squares[:count], 1e-12)), 0.0)
        best = int(np.argmax(cosines)) if count else 0
        if count == 0 or cosines[best] < NEAR:
            best, count = count, count + 1
            squares[best] = weights @ weights
        else:
            squares[best] += 2 * sums[best] + weights @ weights
        labels[index], last[best] = best, times[index]
    return labels


def _alike(
    passes: Sequence[_Pass], signature: _Signature, sizes: Floats, middles: Floats
) -> Iterator[tuple[Ints, Floats]]:
    """For each cluster those that it is like, and how much: the mean over all pairs of members."""
    first = 0
    for one in passes:
        own = slice(first, first + len(one.sums))
        for place in range(len(one.sums)):
            here = first + place
            mean = ACROSS * signature.dots(here)
            mean[own] = one.held.dots(*one.sums.row(place))
            apart = np.abs(middles - middles[here]) / FADING.total_seconds()
            mean = mean / (sizes * sizes[here]) * np.exp2(-apart)
            mean[here] = 0.0
            others = np.flatnonzero(mean > 0)
            yield others, mean[others]
        first = own.stop
