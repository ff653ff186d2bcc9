"""Scores of posts."""

import math
from datetime import UTC, datetime, timedelta

import pytest

from backend.topics.posts.model import PublicMetrics
from backend.topics.posts.scoring import compute_engagement, compute_score, sum_scores

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)


def test_actions_of_more_effort_weigh_more_than_likes() -> None:
    assert compute_engagement(PublicMetrics(likes=10, reposts=4, quotes=3, replies=2)) == 10 + 8 + 9 + 2


def test_a_score_is_the_logarithm_of_engagement_and_halves_in_twelve_hours() -> None:
    metrics = PublicMetrics(likes=99)
    assert compute_score(metrics, NOW, False, NOW) == pytest.approx(math.log(100), abs=1e-4)
    half = compute_score(metrics, NOW - timedelta(hours=12), False, NOW)
    assert half == pytest.approx(math.log(100) / 2, abs=1e-4)
    assert compute_score(metrics, NOW, True, NOW) == pytest.approx(1.5 * math.log(100), abs=1e-4)


def test_no_engagement_scores_zero_and_a_future_post_scores_like_one_of_now() -> None:
    assert compute_score(PublicMetrics(), NOW, True, NOW) == 0
    assert compute_score(PublicMetrics(5), NOW + timedelta(minutes=1), False, NOW) == compute_score(
        PublicMetrics(5), NOW, False, NOW
    )


def test_a_sum_does_not_depend_on_the_order() -> None:
    scores = [0.1, 1e9, 0.2, -1e9, 0.3]
    assert sum_scores(scores) == sum_scores(reversed(scores)) == 0.6
