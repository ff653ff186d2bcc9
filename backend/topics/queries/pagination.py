"""Reads pages of topics: newest first, with the number of topics on all pages.

A page without a search is an OFFSET on an index in list order; only the topics of the page are read from
their tables. The full-text index finds the topics of a search, which are then sorted. Totals by language and
category are stored. Totals of date ranges and the sorted ids of searches are cached until the topics' change
counter moves.
"""

from array import array
from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.entities.model import Language
from backend.store.database import Database, change_counters
from backend.topics.model import Realm
from backend.topics.queries.list_filters import LIST_COLUMNS, LIST_ORDER, Page, TopicFilter
from backend.topics.store import search_index, topic_counts
from backend.topics.store.topic_store import CHANGE_COUNTER
from backend.topics.tables import topic_texts, topics

MAX_CACHED_IDS = 2_000_000
"""Cached ids of all filters together, at eight bytes each."""
IDS_PER_ENTRY = 100
"""Size of a cached filter itself, in ids."""


class _Cache:
    """Totals and search results that hold while the change counter equals ``counter``."""

    def __init__(self, counter: int) -> None:
        self.counter = counter
        self.totals: dict[TopicFilter, int] = {}
        self.found: dict[TopicFilter, array[int]] = {}
        """The ids that a search finds, newest first."""
        self._size = 0

    def make_room(self, ids: int) -> None:
        self._size += ids + IDS_PER_ENTRY
        if self._size > MAX_CACHED_IDS:
            self.totals, self.found, self._size = {}, {}, ids + IDS_PER_ENTRY


class Pages:
    """Safe to share between threads; keep one a process, since it has a cache."""

    def __init__(self, database: Database, realms: Collection[Realm]) -> None:
        self._database = database
        self._realms = sorted(realms)
        self._cache = _Cache(-1)

    def read(self, topic_filter: TopicFilter, *, page: int, page_size: int) -> Page:
        """Read the ``page``-th page, counted from 1; one past the end is empty."""
        first = (page - 1) * page_size
        with self._database.snapshot() as connection:
            cache = self._get_current_cache(connection)
            if topic_filter.is_search:
                found_ids = self._find(connection, cache, topic_filter)
                ids: Sequence[int] = found_ids[first : first + page_size]
                total = len(found_ids)
            else:
                total = self._count(connection, cache, topic_filter)
                chosen = self._select(topic_filter).order_by(*LIST_ORDER).limit(page_size).offset(first)
                ids = connection.execute(chosen).scalars().all() if first < total else ()
            # A statement of its own: PostgreSQL plans to join whole tables where it does not know the limit.
            return Page(_read_rows(connection, topic_filter.language, ids), total)

    def _get_current_cache(self, connection: Connection) -> _Cache:
        counter = connection.execute(_COUNTER).scalar_one_or_none() or 0
        cache = self._cache
        if cache.counter != counter:
            cache = self._cache = _Cache(counter)
        return cache

    def _count(self, connection: Connection, cache: _Cache, topic_filter: TopicFilter) -> int:
        total = cache.totals.get(topic_filter)
        if total is None:
            if topic_filter.after is None and topic_filter.before is None:
                total = topic_counts.count_topics(
                    connection, topic_filter.language, self._realms, topic_filter.category
                )
            else:
                counted = sa.select(sa.func.count()).select_from(self._select(topic_filter).subquery())
                total = connection.execute(counted).scalar_one()
            cache.make_room(0)
            cache.totals[topic_filter] = total
        return total

    def _find(self, connection: Connection, cache: _Cache, topic_filter: TopicFilter) -> "array[int]":
        found_ids = cache.found.get(topic_filter)
        if found_ids is None:
            matching = search_index.build_match(
                connection,
                topic_filter.language,
                topic_filter.find,
                topic_filter.entities,
                topic_filter.names,
            )
            if matching is None:
                return array("q")
            chosen = self._select(topic_filter).join(matching, matching.c.topic_id == topic_texts.c.topic_id)
            found_ids = array("q", connection.execute(chosen.order_by(*LIST_ORDER)).scalars())
            cache.make_room(len(found_ids))
            cache.found[topic_filter] = found_ids
        return found_ids

    def _select(self, topic_filter: TopicFilter) -> sa.Select[int]:
        """Select the ids of all topics that match ``topic_filter``, apart from its search terms."""
        text = topic_texts.c
        selected = sa.select(text.topic_id).where(
            text.language == topic_filter.language, text.realm.in_(self._realms)
        )
        if topic_filter.category is not None:
            selected = selected.where(text.category == int(topic_filter.category))
        if topic_filter.after is not None:
            selected = selected.where(text.published_at >= topic_filter.after)
        if topic_filter.before is not None:
            selected = selected.where(text.published_at < topic_filter.before)
        return selected


_COUNTER = sa.select(change_counters.c.n).where(change_counters.c.topic == CHANGE_COUNTER)


def _read_rows(connection: Connection, language: Language, ids: Sequence[int]) -> list[Row[Any]]:
    """Rows of :data:`LISTED`, in the order of ``ids``."""
    if not ids:
        return []
    query = (
        sa.select(*LIST_COLUMNS)
        .join(topics, topics.c.id == topic_texts.c.topic_id)
        .where(topic_texts.c.topic_id.in_(list(ids)), topic_texts.c.language == language)
    )
    rows = {row.topic_id: row for row in connection.execute(query)}
    return [rows[topic_id] for topic_id in ids]
