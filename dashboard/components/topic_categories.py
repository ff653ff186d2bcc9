"""The categories of topics, and how long a topic counts as new. Pure."""

from datetime import datetime, timedelta
from typing import Literal

Category = Literal["breaking", "important", "normal"]
CATEGORIES: tuple[Category, ...] = ("breaking", "important", "normal")
"""In the order of their numbers on the wire."""
NEAR = timedelta(days=7)
"""For so long after an event its age says more than its date; the candles that are kept reach as far."""


def category_of(sent: int | str) -> Category:
    """The code of a category, which the service names by number in lists and by word in a topic."""
    if isinstance(sent, int):
        return CATEGORIES[sent]
    return next(code for code in CATEGORIES if code == sent.lower())


def is_drawn(event: datetime, now: datetime) -> bool:
    """Whether candles that are kept (seven days of them) reach an event."""
    return timedelta(0) <= now - event < NEAR
