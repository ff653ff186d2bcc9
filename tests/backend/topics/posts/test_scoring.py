"""What a post scores."""

import math
from datetime import UTC, datetime, timedelta

import pytest

from backend.topics.posts.model import Metrics
from backend.topics.posts.scoring import engagement, score, total

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)


def test_effort_weighs_more_than_a_like() -> None:
    assert engagement(Metrics(likes=10, reposts=4, quotes=3, replies=2)) == 10 + 8 + 9 + 2


def test_a_post_scores_the_logarithm_of_its_engagement_and_fades_by_half_in_twelve_hours() -> None:
    counted = Metrics(likes=99)
    assert score(counted, NOW, False, NOW) == pytest.approx(math.log(100), abs=1e-4)
    half = score(counted, NOW - timedelta(hours=12), False, NOW)
    assert half == pytest.approx(math.log(100) / 2, abs=1e-4)
    assert score(counted, NOW, True, NOW) == pytest.approx(1.5 * math.log(100), abs=1e-4)


def test_nothing_counted_scores_nothing_and_a_post_of_a_moment_ahead_no_more_than_one_of_now() -> None:
    assert score(Metrics(), NOW, True, NOW) == 0
    assert score(Metrics(5), NOW + timedelta(minutes=1), False, NOW) == score(Metrics(5), NOW, False, NOW)


def test_a_sum_does_not_depend_on_the_order() -> None:
    scores = [0.1, 1e9, 0.2, -1e9, 0.3]
    assert total(scores) == total(reversed(scores)) == 0.6
