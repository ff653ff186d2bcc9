"""What posts add to a topic's ``total_tweet_score``. Pure."""

import math
from collections.abc import Iterable
from datetime import datetime

from backend.topics.posts.model import Metrics

HALF_LIFE_HOURS = 12.0
OFFICIAL = 1.5
"""How much more a post counts that is by an account of somebody whom the topic is about."""
DIGITS = 4


def engagement(metrics: Metrics) -> int:
    """likes + 2 · reposts + 3 · quotes + replies, of the ``public_metrics`` that X tells of a post
    (``like_count``, ``retweet_count``, ``quote_count``, ``reply_count``): what takes more effort weighs more.
    """
    return metrics.likes + 2 * metrics.reposts + 3 * metrics.quotes + metrics.replies


def score(metrics: Metrics, published_at: datetime, official: bool, now: datetime) -> float:
    """ln(1 + engagement) · 2^(-age / 12 h), 1.5 times that for an official account.

    The logarithm keeps one post of millions from outweighing a conversation of hundreds; the half-life is
    that of coverage. The same figures at the same instant give the same score, and nothing is remembered of
    what a post scored before, so asking again adds nothing twice.
    """
    hours = max((now - published_at).total_seconds() / 3600, 0.0)
    fresh = 2 ** (-hours / HALF_LIFE_HOURS)
    return round(math.log1p(engagement(metrics)) * fresh * (OFFICIAL if official else 1.0), DIGITS)


def total(scores: Iterable[float]) -> float:
    """The sum, whatever the order."""
    return round(math.fsum(scores), DIGITS)
