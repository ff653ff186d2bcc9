"""What the list shows: a page as the service gives it, or what a search finds in the newest topics."""

from functools import partial
from typing import NamedTuple

from dashboard.client import Fetched, api, topics
from dashboard.client.topics import TopicItem, TopicPage
from dashboard.services import topics as reading
from dashboard.services.research_marks import Named
from dashboard.services.topics import PAGE_SIZE, Filters
from dashboard.views import topics_state as desk


class Listing(NamedTuple):
    """``answers`` hold what was asked. ``total`` counts what the filters let through, ``searched`` what was
    looked through for it (null where the service itself counted)."""

    answers: tuple[Fetched[TopicPage], ...]
    shown: tuple[TopicItem, ...]
    total: int
    searched: int | None
    whole: int
    named: dict[int, tuple[Named, ...]]
    names: dict[str, str]

    @property
    def known(self) -> bool:
        return all(answer.data is not None for answer in self.answers)


def gather(filters: Filters) -> Listing:
    return _searched(filters) if filters.searches else _page(filters)


def _page(filters: Filters) -> Listing:
    answer = topics.page(reading.query(filters))
    data = answer.data
    items = tuple(data["topics"]) if data else ()
    total = data["total"] if data else 0
    named = desk.entities(items)
    return Listing((answer,), items, total, None, total, named, _names(named))


def _searched(filters: Filters) -> Listing:
    """Every page that is looked through, side by side; then one page of what was found."""
    size = reading.SEARCHED_SIZE
    first = topics.page(reading.query(filters, page=1, size=size))
    total = first.data["total"] if first.data else 0
    more = range(2, min(reading.SEARCHED_PAGES, reading.pages(total, size)) + 1)
    asked = [
        api.ahead(partial(topics.page, reading.query(filters, page=number, size=size))) for number in more
    ]
    answers = (first, *(one.result() for one in asked))
    items = list(
        {topic["id"]: topic for answer in answers if answer.data for topic in answer.data["topics"]}.values()
    )
    named = desk.entities(items)
    found = [
        topic
        for topic in items
        if (not filters.find.strip() or reading.matches(topic, filters.find))
        and (not filters.entity or any(one.id == filters.entity for one in named.get(topic["id"], ())))
    ]
    start = (filters.page - 1) * PAGE_SIZE
    shown = tuple(found[start : start + PAGE_SIZE])
    return Listing(answers, shown, len(found), len(items), total, named, _names(named))


def _names(named: dict[int, tuple[Named, ...]]) -> dict[str, str]:
    return {one.id: one.name for some in named.values() for one in some}
