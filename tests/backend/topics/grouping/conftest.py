"""Fixtures: news items to group, and the shipped rules and catalogue."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from backend.entities.model import Language
from backend.topics.grouping.extractive_summary import summarize
from backend.topics.grouping.news_window import NewsArticle

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
Make = Callable[..., NewsArticle]


@pytest.fixture
def noon() -> datetime:
    return NOON


@pytest.fixture
def make() -> Make:
    """An English item of an outlet of its own, so many minutes after noon; ids count up."""
    numbers = count(1)

    def make_member(title: str = "A title", *, minutes: float = 0, **more: Any) -> NewsArticle:
        number = next(numbers)
        defaults: dict[str, Any] = {
            "id": number,
            "feed_id": f"feed-{number}",
            "url": f"https://outlet-{number}.example/story",
            "title": title,
            "text": "",
            "language": "en",
            "published_at": NOON + timedelta(minutes=minutes),
        }
        return NewsArticle(**{**defaults, **more})

    return make_member


def list_texts(*members: NewsArticle, language: Language = "en") -> list[str]:
    """Summarise articles; returns the sentences of the summary without the bullets."""
    return [quote.text for quote in summarize(members, frozenset(), language).summary]
