"""Computes the share of posts in a topic's ``total_tweet_score``. No I/O."""

import math
from collections.abc import Iterable
from datetime import datetime

from backend.topics.model import SCORE_HALF_LIFE_HOURS
from backend.topics.posts.model import PublicMetrics

OFFICIAL_FACTOR = 1.5
"""Factor for a post by an official account of one of the topic's entities."""
SCORE_DIGITS = 4


def compute_engagement(metrics: PublicMetrics) -> int:
    """Return likes + 2 · reposts + 3 · quotes + replies of X's ``public_metrics`` (``like_count``,
    ``retweet_count``, ``quote_count``, ``reply_count``): actions of more effort weigh more."""
    return metrics.likes + 2 * metrics.reposts + 3 * metrics.quotes + metrics.replies


def compute_score(metrics: PublicMetrics, published_at: datetime, official: bool, now: datetime) -> float:
    """Return ln(1 + engagement) · 2^(-age / 12 h), 1.5 times that for an official account.

    The logarithm keeps one post with millions of likes from outweighing a conversation of hundreds of posts.
    The half-life is that of coverage. The score depends on the counts and the time alone, not on earlier
    scores, so reading a post again adds nothing twice.
    """
    hours = max((now - published_at).total_seconds() / 3600, 0.0)
    freshness = 2 ** (-hours / SCORE_HALF_LIFE_HOURS)
    return round(
        math.log1p(compute_engagement(metrics)) * freshness * (OFFICIAL_FACTOR if official else 1.0),
        SCORE_DIGITS,
    )


def sum_scores(scores: Iterable[float]) -> float:
    """Return the rounded sum; the order of the scores does not change it."""
    return round(math.fsum(scores), SCORE_DIGITS)
