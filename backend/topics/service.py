"""Reads and stores topics for endpoints and commands."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.articles.rules.active_rules import ActiveRules
from backend.entities.model import Language
from backend.entity_names.name_index import NamedEntities, NameIndex
from backend.errors import NotFound
from backend.formats.timestamps import Clock, utc_now
from backend.http.prepared_responses import Prepared
from backend.settings import Settings
from backend.store.database import Database
from backend.topics import entity_tagging, request_bodies, response_bodies
from backend.topics.insights.service import InsightService
from backend.topics.model import Realm, Topic
from backend.topics.queries import ranking, topic_media
from backend.topics.queries.list_events import TopicListEvents
from backend.topics.queries.list_filters import LIST_COLUMNS, TopicFilter
from backend.topics.queries.pagination import Pages
from backend.topics.queries.prepared_pages import PreparedPages, RenderedPage, RequestKey
from backend.topics.queries.ranking import TopicKind
from backend.topics.schemas import MediaIn, TopicIn
from backend.topics.store import topic_rows, topic_store
from backend.topics.tables import topic_texts, topics

PAGE_SIZE, RANKING_SIZE = 20, 5
"""Default number of topics on a page and in the ranking."""
RANKED_BY = "X-Ranked-By"
"""The response header that names the ranking's basis: ``posts`` or ``coverage``."""


def visible_realms(settings: Settings) -> tuple[Realm, ...]:
    """Return the realms whose topics are visible: sent topics and those of the mode. A replay has none of its
    own."""
    return ("own",) if settings.mode == "replay" else ("own", settings.mode)


class TopicService:
    """Reads and stores topics for one process."""

    def __init__(
        self, settings: Settings, database: Database, rules: ActiveRules, *, now: Clock = utc_now
    ) -> None:
        self._database = database
        self._rules = rules
        self._now = now
        self._names: tuple[str, NameIndex] | None = None
        self.realms = visible_realms(settings)
        self._pages = Pages(database, self.realms)
        self.insights = InsightService(settings, database, rules, self.realms, now=now)
        self.prepared_pages = PreparedPages(now)
        self.list_events = TopicListEvents(self.prepared_pages)
        for key, render in STARTUP_PAGES.items():
            self.prepared_pages.register(key, partial(render, self))

    def page(self, key: RequestKey, topic_filter: TopicFilter, *, page: int, page_size: int) -> Prepared:
        return self.prepared_pages.render(key, lambda: self._render_page(topic_filter, page, page_size))

    def find_rows(self, topic_filter: TopicFilter, *, limit: int) -> list[Row[Any]]:
        """Return the newest topics that match, as rows of the list's columns."""
        return self._pages.read(topic_filter, page=1, page_size=limit).rows

    def split_search(self, find: str | None) -> tuple[str, tuple[NamedEntities, ...]]:
        """Split the words of a search from the names of entities in it."""
        rules = self._rules.current
        if self._names is None or self._names[0] != rules.version:
            self._names = (rules.version, NameIndex(rules.entities.values()))
        return self._names[1].split(find or "")

    def expand_entity_filter(self, name: str | None) -> tuple[str, ...]:
        """Return the entities that the filter ``name`` selects: the entity with this id, and entities with
        this coin."""
        if name is None:
            return ()
        coins = (entity.id for entity in self._rules.current.entities.values() if entity.asset == name)
        return tuple(dict.fromkeys([name, *coins]))

    def ranking(
        self, key: RequestKey, language: Language, *, limit: int, kind: TopicKind | None = None
    ) -> Prepared:
        return self.prepared_pages.render(key, lambda: self._render_ranking(language, limit, kind))

    def detail(self, topic_id: int, language: Language) -> Prepared:
        """Render a topic.

        Raises :class:`NotFound`; if the topic has no text in ``language``, the message lists its languages.
        """
        selected = (
            sa.select(*LIST_COLUMNS, topic_texts.c.terms, topics.c.cover_img)
            .join(topics, topics.c.id == topic_texts.c.topic_id)
            .where(topic_texts.c.language == language)
        )
        with self._database.read() as connection:
            number = self._resolve(connection, topic_id)
            row = connection.execute(selected.where(topic_texts.c.topic_id == number)).one_or_none()
            if row is None:
                raise self._build_missing_language_error(connection, number, language)
        return _prepare_response(response_bodies.render_detail(row))

    def media(self, topic_id: int, language: Language) -> Prepared:
        with self._database.read() as connection:
            number = self._resolve(connection, topic_id)
            items = topic_media.list_for_reader(connection, number, language)
        return _prepare_response(response_bodies.render_topic_sources(number, items))

    def insight(self, topic_id: int, language: Language) -> Prepared:
        """Render the insight of a topic. Raises :class:`NotFound` like :meth:`detail`."""
        topic = self._load_topic(topic_id, language)
        return _prepare_response(response_bodies.render_envelope(self.insights.insight(topic, language)))

    def insight_sections(self, topic_id: int, language: Language) -> Prepared:
        """Render the same insight with the data of its sections. Raises :class:`NotFound` like
        :meth:`detail`."""
        topic = self._load_topic(topic_id, language)
        return _prepare_response(response_bodies.render_envelope(self.insights.sections(topic, language)))

    def add(self, bodies: Sequence[TopicIn]) -> bytes:
        """Store the topics of a request in one transaction, committed before this returns."""
        topics_sent = [request_bodies.build_topic(body) for body in bodies]
        with self._database.read() as connection:
            stored = entity_tagging.load_stored(connection, topics_sent)
        tagged = entity_tagging.tag_entities(self._rules.current, topics_sent, stored)
        with self._database.write() as connection:
            ids = topic_store.store_topics(connection, tagged, now=self._now())
        self.prepared_pages.clear()
        return response_bodies.render_envelope(
            [
                {"id": number, "external_id": body.external_id}
                for number, body in zip(ids, bodies, strict=True)
            ]
        )

    def add_media(self, topic_id: int, body: MediaIn) -> bytes:
        """Store media of a topic; returns the stored items with their ids."""
        items = request_bodies.build_media(body)
        with self._database.write() as connection:
            number = self._resolve(connection, topic_id)
            ids = topic_store.add_media(connection, number, items, now=self._now()) if items else []
            stored = topic_media.list_by_ids(connection, ids)
        self.prepared_pages.clear()
        return response_bodies.render_topic_sources(number, stored)

    def _render_page(self, topic_filter: TopicFilter, page: int, page_size: int) -> RenderedPage:
        topic_page = self._pages.read(topic_filter, page=page, page_size=page_size)
        body = response_bodies.render_topic_list(topic_page.rows, topic_page.total)
        return RenderedPage(body, negotiated=True)

    def _render_ranking(self, language: Language, limit: int, kind: TopicKind | None = None) -> RenderedPage:
        with self._database.read() as connection:
            ranked = ranking.rank(connection, self.realms, language, limit=limit, now=self._now(), kind=kind)
        ranked_by = (RANKED_BY.lower().encode(), ranked.basis.encode())
        return RenderedPage(response_bodies.render_topic_list(ranked.rows), ranked.expires_at, (ranked_by,))

    def _load_topic(self, topic_id: int, language: Language) -> Topic:
        with self._database.read() as connection:
            number = self._resolve(connection, topic_id)
            (topic,) = topic_rows.read_topics(connection, [number])
            if language not in topic.texts:
                raise self._build_missing_language_error(connection, number, language)
        return topic

    def _resolve(self, connection: Connection, topic_id: int) -> int:
        """Return the id of the visible topic that ``topic_id`` resolves to after merges."""
        number = topic_store.resolve_id(connection, topic_id, self.realms)
        if number is None:
            raise NotFound(f"Topic {topic_id} does not exist. GET /topics lists the topics.")
        return number

    def _build_missing_language_error(
        self, connection: Connection, topic_id: int, language: Language
    ) -> NotFound:
        selected = sa.select(topic_texts.c.language).where(topic_texts.c.topic_id == topic_id)
        languages = ", ".join(sorted(connection.execute(selected).scalars()))
        return NotFound(
            f"Topic {topic_id} has no text in {language}. Set lang to one of its languages: {languages}."
        )


def _prepare_response(body: bytes) -> Prepared:
    response = Prepared(body)
    response.compress()
    return response


STARTUP_PAGES: dict[RequestKey, Callable[[TopicService], RenderedPage]] = {
    ("/topics", b""): lambda service: service._render_page(TopicFilter("en"), 1, PAGE_SIZE),
    ("/ranking_topics", b""): lambda service: service._render_ranking("en", RANKING_SIZE),
}
"""Pages rendered at startup, so that the first request does not wait for SQL statements to compile."""
