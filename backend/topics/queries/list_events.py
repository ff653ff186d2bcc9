"""Gives followers of a topic list each new state of it."""

from collections.abc import Callable, Mapping

from backend.http.events import Event
from backend.http.prepared_responses import Prepared
from backend.topics.queries.prepared_pages import PreparedPages, RequestKey


class TopicListKey:
    """A request for a topic list. Keys of the same request are equal."""

    def __init__(self, request: RequestKey, render: Callable[[], Prepared]) -> None:
        self.request = request
        self.render = render

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TopicListKey) and other.request == self.request

    def __hash__(self) -> int:
        return hash(self.request)


class TopicListEvents:
    """An :class:`~backend.http.events.EventSource` of topic lists, by the requests for them.

    A list is rendered once after each change of any topic, however many clients follow it.
    """

    def __init__(self, pages: PreparedPages) -> None:
        self._pages = pages

    def load(self, known: Mapping[TopicListKey, Event | None]) -> Mapping[TopicListKey, Event]:
        return {key: self._load_list(key, event) for key, event in known.items()}

    def _load_list(self, key: TopicListKey, known: Event | None) -> Event:
        version = self._pages.version
        if known is not None and known.version == version:
            return known
        page = self._pages.find(*key.request) or key.render()
        return Event(page.digest, page.body, version=version)
