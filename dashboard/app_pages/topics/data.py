"""What the list shows: a page of what the filters let through, and whom its topics name."""

from typing import NamedTuple

from dashboard.app_pages.topics import topic_text as reading
from dashboard.app_pages.topics import url_state as desk
from dashboard.app_pages.topics.topic_text import Filters
from dashboard.client import Fetched, topics
from dashboard.client.topics import TopicItem, TopicPage
from dashboard.components.text_marks import Named


class Listing(NamedTuple):
    """``total`` counts what the filters let through on all pages."""

    answer: Fetched[TopicPage]
    shown: tuple[TopicItem, ...]
    total: int
    named: dict[int, tuple[Named, ...]]

    @property
    def names(self) -> dict[str, str]:
        """Everybody whom the topics of this page name, by id."""
        return {one.id: one.name for some in self.named.values() for one in some}


def gather(filters: Filters) -> Listing:
    answer = topics.fetch_page(reading.query(filters))
    data = answer.data
    items = tuple(data["topics"]) if data else ()
    return Listing(answer, items, data["total"] if data else 0, desk.entities(items))
