"""The categories of topics, and how long a topic is new."""

from datetime import UTC, datetime, timedelta

from dashboard.components.topic_categories import CATEGORIES, category_of, is_drawn


def test_categories_are_read_from_numbers_and_from_words() -> None:
    assert [category_of(number) for number in range(3)] == list(CATEGORIES)
    assert category_of("Breaking") == "breaking"


def test_candles_reach_a_week_back_and_never_ahead() -> None:
    now = datetime(2026, 11, 18, tzinfo=UTC)
    assert is_drawn(now - timedelta(days=6), now)
    assert not is_drawn(now - timedelta(days=8), now)
    assert not is_drawn(now + timedelta(hours=1), now)
