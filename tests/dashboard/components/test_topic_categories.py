"""The categories of topics, and recent topics."""

from datetime import UTC, datetime, timedelta

from dashboard.components.topic_categories import CATEGORIES, is_recent, parse_category


def test_categories_are_parsed_from_numbers_and_words() -> None:
    assert [parse_category(number) for number in range(3)] == list(CATEGORIES)
    assert parse_category("Breaking") == "breaking"


def test_events_of_the_last_week_are_recent_and_future_ones_are_not() -> None:
    now = datetime(2026, 11, 18, tzinfo=UTC)
    assert is_recent(now - timedelta(days=6), now)
    assert not is_recent(now - timedelta(days=8), now)
    assert not is_recent(now + timedelta(hours=1), now)
