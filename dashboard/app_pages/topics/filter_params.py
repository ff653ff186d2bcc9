"""Holds the filters of the topic list and converts them to parameters of the service. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from dashboard.components.topic_categories import CATEGORIES, Category
from dashboard.i18n.languages import Language

PAGE_SIZE = 25
MAX_SEARCH_CHARS = 200
"""Limit of the service."""
EARLIEST_DAY, LATEST_DAY = date(2000, 1, 1), date(2099, 12, 31)
_ENTITY_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of the list. Days are in UTC and inclusive; ``entity`` is a catalogue id."""

    language: Language = "en"
    category: Category | None = None
    since: date | None = None
    until: date | None = None
    entity: str = ""
    search_text: str = ""
    page: int = 1

    @property
    def is_filtered(self) -> bool:
        return bool(self.entity or self.search_text.strip() or self.category or self.since or self.until)


def build_query(filters: Filters, *, page: int | None = None, size: int = PAGE_SIZE) -> dict[str, str]:
    """Build the service's query parameters for one page of matching topics."""
    params = {"lang": filters.language, "page": str(page or filters.page), "page_size": str(size)}
    if filters.category is not None:
        params["category"] = str(CATEGORIES.index(filters.category))
    if filters.since is not None:
        params["publish_after"] = _format_midnight(filters.since)
    if filters.until is not None:
        params["publish_before"] = _format_midnight(filters.until + timedelta(days=1))
    if filters.entity:
        params["entity"] = filters.entity
    if search := " ".join(filters.search_text.split())[:MAX_SEARCH_CHARS]:
        params["find"] = search
    return params


def _format_midnight(day: date) -> str:
    return f"{datetime.combine(day, time(), UTC):%Y-%m-%dT%H:%M:%SZ}"


def parse_day(text: str) -> date | None:
    """Parse ``2024-01-31``; None for invalid text and days outside the supported range."""
    try:
        day = date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None
    return day if day is not None and EARLIEST_DAY <= day <= LATEST_DAY else None


def parse_number(text: str) -> int | None:
    """Parse a positive integer of at most 18 ASCII digits; None for other text."""
    return int(text) if re.fullmatch(r"[1-9][0-9]{0,17}", text) else None


def parse_entity_id(text: str) -> str:
    """Return ``text`` if it has the form of an entity id, else an empty string."""
    return text if len(text) <= 100 and _ENTITY_ID.fullmatch(text) else ""


def count_pages(total: int, size: int = PAGE_SIZE) -> int:
    return max(1, -(-total // size))


class Neighbours(NamedTuple):
    previous: int | None
    next: int | None


def find_neighbours(ids: Sequence[int], current: int) -> Neighbours:
    """Find the topics before and after ``current`` in the list; None for both if it is not in the list."""
    if current not in ids:
        return Neighbours(None, None)
    at = ids.index(current)
    return Neighbours(ids[at - 1] if at else None, ids[at + 1] if at + 1 < len(ids) else None)
