"""The verbs of the topic domain, as endpoints and commands call them."""

from collections.abc import Callable, Sequence
from functools import partial

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.articles.rules.active_rules import ActiveRules
from backend.entities.model import Language
from backend.errors import NotFound
from backend.formats.timestamps import Clock, utc_now
from backend.http.prepared_responses import Prepared
from backend.settings import Settings
from backend.store.database import Database
from backend.topics import entity_tagging, request_bodies, response_bodies
from backend.topics.insights.service import InsightDesk
from backend.topics.model import Realm
from backend.topics.queries import ranking, topic_media
from backend.topics.queries.list_filters import LISTED, Wanted
from backend.topics.queries.pagination import Pages
from backend.topics.queries.prepared_pages import Made, ReadyLists, Spelling
from backend.topics.schemas import MediaIn, TopicIn
from backend.topics.store import topic_rows, topic_store
from backend.topics.tables import topic_texts, topics

PAGE_SIZE, TOP = 20, 5
"""Topics of a page, and of the ranking, unless another number is asked for."""
RANKED_BY = "X-Ranked-By"
"""The header by which a ranking says what it is by: ``posts`` or ``coverage``."""


def visible_realms(settings: Settings) -> tuple[Realm, ...]:
    """Whose topics are shown: what programs sent, and what belongs to the mode. A replay has none."""
    return ("own",) if settings.mode == "replay" else ("own", settings.mode)


class TopicService:
    """Reads and stores topics, for one process."""

    def __init__(
        self, settings: Settings, database: Database, rules: ActiveRules, *, now: Clock = utc_now
    ) -> None:
        self._database = database
        self._rules = rules
        self._now = now
        self.realms = visible_realms(settings)
        self._pages = Pages(database, self.realms)
        self.insights = InsightDesk(settings, database, rules, self.realms, now=now)
        self.ready = ReadyLists(now)
        for spelling, recipe in FIRST_PAGES.items():
            self.ready.expect(spelling, partial(recipe, self))

    def page(self, spelling: Spelling, wanted: Wanted, *, page: int, page_size: int) -> Prepared:
        return self.ready.answer(spelling, lambda: self._page(wanted, page, page_size))

    def entities(self, name: str | None) -> tuple[str, ...]:
        """The entities that a filter by ``name`` means: the one with this id, and whoever's coin it is."""
        if name is None:
            return ()
        coins = (entity.id for entity in self._rules.current.entities.values() if entity.asset == name)
        return tuple(dict.fromkeys([name, *coins]))

    def ranked(self, spelling: Spelling, language: Language, *, many: int) -> Prepared:
        return self.ready.answer(spelling, lambda: self._ranking(language, many))

    def detail(self, topic_id: int, language: Language) -> Prepared:
        """Raises :class:`NotFound`, which names the languages of a topic that lacks this one."""
        look = (
            sa.select(*LISTED, topic_texts.c.terms, topics.c.cover_img)
            .join(topics, topics.c.id == topic_texts.c.topic_id)
            .where(topic_texts.c.language == language)
        )
        with self._database.read() as connection:
            number = self._known(connection, topic_id)
            row = connection.execute(look.where(topic_texts.c.topic_id == number)).one_or_none()
            if row is None:
                raise self._lacks(connection, number, language)
        return _prepared(response_bodies.detail(row))

    def media(self, topic_id: int, language: Language) -> Prepared:
        with self._database.read() as connection:
            number = self._known(connection, topic_id)
            items = topic_media.of_topic(connection, number, language)
        return _prepared(response_bodies.media(number, items))

    def insight(self, topic_id: int, language: Language) -> Prepared:
        """Raises :class:`NotFound` as :meth:`detail` does."""
        with self._database.read() as connection:
            number = self._known(connection, topic_id)
            (topic,) = topic_rows.read_topics(connection, [number])
            if language not in topic.texts:
                raise self._lacks(connection, number, language)
        return _prepared(response_bodies.envelope(self.insights.insight(topic, language)))

    def add(self, given: Sequence[TopicIn]) -> bytes:
        """Store what a program sent: all of it is on the disk when this returns, or none."""
        topics_sent = [request_bodies.topic(one) for one in given]
        with self._database.read() as connection:
            before = entity_tagging.known(connection, topics_sent)
        named = entity_tagging.named(self._rules.current, topics_sent, before)
        with self._database.write() as connection:
            ids = topic_store.put(connection, named, now=self._now())
        self.ready.forget()
        return response_bodies.envelope(
            [{"id": number, "external_id": one.external_id} for number, one in zip(ids, given, strict=True)]
        )

    def add_media(self, topic_id: int, given: MediaIn) -> bytes:
        """Store media of a topic; gives what was stored, with its ids."""
        items = request_bodies.media(given)
        with self._database.write() as connection:
            number = self._known(connection, topic_id)
            ids = topic_store.add_media(connection, number, items, now=self._now()) if items else []
            stored = topic_media.with_ids(connection, ids)
        self.ready.forget()
        return response_bodies.media(number, stored)

    def _page(self, wanted: Wanted, page: int, page_size: int) -> Made:
        found = self._pages.read(wanted, page=page, page_size=page_size)
        return Made(response_bodies.topic_list(found.rows, found.total))

    def _ranking(self, language: Language, many: int) -> Made:
        with self._database.read() as connection:
            found = ranking.top(connection, self.realms, language, many=many, now=self._now())
        basis = (RANKED_BY.lower().encode(), found.by.encode())
        return Made(response_bodies.topic_list(found.rows), found.until, (basis,))

    def _known(self, connection: Connection, topic_id: int) -> int:
        """The id of the visible topic that answers for ``topic_id``."""
        number = topic_store.resolve(connection, topic_id, self.realms)
        if number is None:
            raise NotFound(f"There is no topic {topic_id}. GET /topics lists them.")
        return number

    def _lacks(self, connection: Connection, topic_id: int, language: Language) -> NotFound:
        look = sa.select(topic_texts.c.language).where(topic_texts.c.topic_id == topic_id)
        has = ", ".join(sorted(connection.execute(look).scalars()))
        return NotFound(f"Topic {topic_id} has no text in {language}. It has {has}: ask with lang.")


def _prepared(body: bytes) -> Prepared:
    answer = Prepared(body)
    answer.compress()
    return answer


FIRST_PAGES: dict[Spelling, Callable[[TopicService], Made]] = {
    ("/topics", b""): lambda service: service._page(Wanted("en"), 1, PAGE_SIZE),
    ("/ranking_topics", b""): lambda service: service._ranking("en", TOP),
}
"""Made before anybody asks, so that the first to ask waits for no statement to be compiled."""
