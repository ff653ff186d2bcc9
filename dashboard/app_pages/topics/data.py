"""Loads a page of the topic list, and the entities of its topics."""

from typing import NamedTuple

from dashboard.app_pages.topics import filter_params, session_state
from dashboard.app_pages.topics.filter_params import Filters
from dashboard.client import Fetched, topics
from dashboard.client.topics import TopicItem, TopicPage
from dashboard.components.text_marks import NamedEntity


class TopicListing(NamedTuple):
    """A page of topics; ``total`` counts matching topics on all pages."""

    answer: Fetched[TopicPage]
    topics: tuple[TopicItem, ...]
    total: int
    entities: dict[int, tuple[NamedEntity, ...]]

    @property
    def names(self) -> dict[str, str]:
        """Names of all entities in the topics of this page, by id."""
        return {
            entity.id: entity.name for topic_entities in self.entities.values() for entity in topic_entities
        }


def load(filters: Filters) -> TopicListing:
    answer = topics.fetch_page(filter_params.build_query(filters))
    data = answer.data
    items = tuple(data["topics"]) if data else ()
    return TopicListing(answer, items, data["total"] if data else 0, session_state.find_entities(items))
