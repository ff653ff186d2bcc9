"""Lists the categories of topics, and tells whether a topic is recent. Pure."""

from datetime import datetime, timedelta
from typing import Literal

Category = Literal["breaking", "important", "normal"]
CATEGORIES: tuple[Category, ...] = ("breaking", "important", "normal")
"""In the order of the service's numbers."""
RECENT_PERIOD = timedelta(days=7)
"""Recent topics show their age instead of the date; the candles of the Rankings page cover this period."""


def parse_category(category: int | str) -> Category:
    """Parse a category: the service sends a number in lists, and a word in a topic."""
    if isinstance(category, int):
        return CATEGORIES[category]
    return next(code for code in CATEGORIES if code == category.lower())


def is_recent(event: datetime, now: datetime) -> bool:
    """Whether an event is within the last seven days, which candles cover."""
    return timedelta(0) <= now - event < RECENT_PERIOD
