"""Builds reports on a topic."""

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from backend.topics.insights.model import Report

ReportFactory = Callable[..., Report]


@pytest.fixture
def make_report() -> ReportFactory:
    """Builds English reports of Monday, 14 September 2026, each by an outlet of its own."""
    numbers = count(1)
    return lambda text="", **fields: build_report(text, next(numbers), **fields)


def build_report(text: str = "", number: int = 1, **fields: Any) -> Report:
    usual: dict[str, Any] = {
        "source": f"Outlet {number}",
        "url": f"https://outlet-{number}.example/story",
        "official": False,
        "title": "A title",
        "text": text,
        "language": "en",
        "published_at": datetime(2026, 9, 14, 9, tzinfo=UTC),
    }
    return Report(**{**usual, **fields})
