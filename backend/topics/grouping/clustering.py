"""Clusters the headlines of a window by event, in one language and across languages.

:mod:`.candidate_pairs` finds pairs that share a feature, :mod:`.pair_model` estimates for each pair the
probability that both headlines report one event, and average linkage merges headlines while the mean
probability of their pairs is high. A headline that resembles one member of a cluster but not the others
therefore stays outside.
"""

from collections.abc import Sequence

from backend.topics.grouping.average_linkage import average_linkage
from backend.topics.grouping.headline_features import Headline
from backend.topics.grouping.pair_model import estimate_pairs

MIN_MEAN_PROBABILITY = 0.48
"""Mean probability of two clusters' pairs from which average linkage merges them."""


def cluster_headlines(headlines: Sequence[Headline]) -> list[int]:
    """Return the cluster number of each headline. Clusters are numbered by their earliest headline.

    The result does not depend on the order of ``headlines``.
    """
    order = sorted(range(len(headlines)), key=lambda index: _get_sort_key(headlines[index]))
    sorted_headlines = [headlines[index] for index in order]
    labels = average_linkage(estimate_pairs(sorted_headlines), len(order), MIN_MEAN_PROBABILITY)
    number_of: dict[int, int] = {}
    numbers = [0] * len(headlines)
    for index, label in zip(order, labels, strict=True):
        numbers[index] = number_of.setdefault(label, len(number_of))
    return numbers


def _get_sort_key(headline: Headline) -> tuple[object, ...]:
    return headline.published_at, headline.language, headline.title, headline.lead_words
