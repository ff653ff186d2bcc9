"""Pages of topics anywhere in the order, and how many there are, at the same cost for all.

A page is a range of ranks among the visible topics of a language and category. The blocks of the counts
(see ``counts.py``) say which of them holds the first rank; from its end an index is walked, past fewer
topics than a block holds. Dates are ranks too: that of the newest topic before an instant is a sum over
blocks and one count within the block in which the instant lies.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.db import Database, UtcTime, change_counters
from backend.entities.model import Language
from backend.topics import counts
from backend.topics.counts import Blocks, Key
from backend.topics.found import FoundPages
from backend.topics.listing import LISTED, NEWEST_FIRST, Page, Wanted
from backend.topics.model import Category, Realm
from backend.topics.store import CHANGED
from backend.topics.tables import topic_texts, topics

MOST_RANKS = 1024
"""Instants whose ranks are remembered, of each language."""


@dataclass(frozen=True, slots=True)
class _State:
    """What is remembered of a language while the change counter stands at ``number``."""

    number: int
    blocks: Blocks
    ranks: dict[tuple[Category | None, datetime], int] = field(default_factory=dict)
    """Of instants that were asked for: whoever turns pages asks for the same ones each time."""


class Pages:
    """Safe to share between threads; keep one a process, since it remembers the counts."""

    def __init__(self, database: Database, realms: Sequence[Realm]) -> None:
        self._database = database
        self._realms = realms
        self._statements = _Statements(realms)
        self._states: dict[str, _State] = {}
        self._found = FoundPages(realms)

    def read(self, wanted: Wanted, *, page: int, page_size: int) -> Page:
        """The ``page``-th page, counted from 1; one past the end is empty."""
        with snapshot(self._database) as connection:
            if wanted.searches:
                number = _counter(connection)
                return self._found.read(connection, wanted, number, page=page, page_size=page_size)
            state = self._state(connection, wanted.language)
            newest, oldest = 0, state.blocks.total(wanted.category)
            if wanted.before is not None:
                newest = self._rank(connection, state, wanted, wanted.before)
            if wanted.after is not None:
                oldest = self._rank(connection, state, wanted, wanted.after)
            first = newest + (page - 1) * page_size
            many = min(page_size, oldest - first)
            rows = self._rows(connection, state.blocks, wanted, first, many) if many > 0 else []
        return Page(rows, max(0, oldest - newest))

    def _state(self, connection: Connection, language: Language) -> _State:
        """As it is in the reader's snapshot: every change of topics moves the counter with it."""
        number = _counter(connection)
        state = self._states.get(language)
        if state is None or state.number != number:
            state = _State(number, counts.load(connection, language, self._realms))
            self._states[language] = state
        return state

    def _rank(self, connection: Connection, state: _State, wanted: Wanted, moment: datetime) -> int:
        """How many visible topics were published at ``moment`` or later."""
        known = state.ranks.get((wanted.category, moment))
        if known is not None:
            return known
        blocks, rank = state.blocks, 0
        if blocks.starts:
            place = blocks.holding(Key(moment, 0))
            rank = blocks.newer_than(place, wanted.category)
            many = blocks.within(place, wanted.category)
            if many:
                statement, given = self._statements.count(wanted, blocks.end(place))
                given |= {"moment": moment, "many": many}
                rank += int(connection.execute(statement, given).scalar_one())
        if len(state.ranks) < MOST_RANKS:
            state.ranks[wanted.category, moment] = rank
        return rank

    def _rows(
        self, connection: Connection, blocks: Blocks, wanted: Wanted, first: int, many: int
    ) -> list[Row[Any]]:
        place = blocks.holding_rank(first, wanted.category)
        statement, given = self._statements.page(wanted, blocks.end(place))
        skipped = first - blocks.newer_than(place, wanted.category)
        return list(connection.execute(statement, {**given, "skipped": skipped, "many": many}))


_COUNTER = sa.select(change_counters.c.n).where(change_counters.c.topic == CHANGED)


def _counter(connection: Connection) -> int:
    return connection.execute(_COUNTER).scalar_one_or_none() or 0


_Built = tuple[sa.Select[Any], dict[str, Any]]


class _Statements:
    """Built once: to build one takes longer than to execute it."""

    def __init__(self, realms: Sequence[Realm]) -> None:
        shapes = [(by_category, ends) for by_category in (False, True) for ends in (False, True)]
        self._counts = {shape: _count(_inside(realms, *shape)) for shape in shapes}
        self._pages = {shape: _page(_inside(realms, *shape)) for shape in shapes}

    def count(self, wanted: Wanted, end: Key | None) -> _Built:
        """Counts what lies before ``end`` and at the instant ``moment`` or later, of which there are at most
        ``many``."""
        return self._counts[wanted.category is not None, end is not None], _given(wanted, end)

    def page(self, wanted: Wanted, end: Key | None) -> _Built:
        """``many`` of what lies before ``end``, newest first, ``skipped`` left out."""
        return self._pages[wanted.category is not None, end is not None], _given(wanted, end)


def _given(wanted: Wanted, end: Key | None) -> dict[str, Any]:
    given: dict[str, Any] = {"language": wanted.language}
    if wanted.category is not None:
        given["category"] = int(wanted.category)
    if end is not None:
        given |= {"end_at": end.published_at, "end_id": end.topic_id}
    return given


def _inside(realms: Sequence[Realm], by_category: bool, ends: bool) -> list[sa.ColumnElement[bool]]:
    text = topic_texts.c
    asked = [text.language == sa.bindparam("language")]
    if by_category:
        asked.append(text.category == sa.bindparam("category"))
    if ends:
        end = sa.tuple_(sa.bindparam("end_at", type_=UtcTime), sa.bindparam("end_id", type_=sa.BigInteger))
        asked.append(sa.tuple_(text.published_at, text.topic_id) < end)
    return [*asked, sa.or_(*(text.realm == realm for realm in realms))]


def _count(inside: Sequence[sa.ColumnElement[bool]]) -> sa.Select[Any]:
    since = topic_texts.c.published_at >= sa.bindparam("moment", type_=UtcTime)
    # In order and up to so many: PostgreSQL, which knows nothing of blocks, would plan for half the table.
    found = (
        sa.select(topic_texts.c.topic_id)
        .where(*inside, since)
        .order_by(*NEWEST_FIRST)
        .limit(sa.bindparam("many", type_=sa.Integer))
        .subquery()
    )
    return sa.select(sa.func.count()).select_from(found)


def _page(inside: Sequence[sa.ColumnElement[bool]]) -> sa.Select[Any]:
    chosen = (
        sa.select(topic_texts.c.topic_id)  # out of the index alone, so that skipping is cheap
        .where(*inside)
        .order_by(*NEWEST_FIRST)
        .offset(sa.bindparam("skipped", type_=sa.Integer))
        .limit(sa.bindparam("many", type_=sa.Integer))
        .subquery()
    )
    return (
        sa.select(*LISTED)
        .select_from(chosen)
        .join(
            topic_texts,
            sa.and_(
                topic_texts.c.topic_id == chosen.c.topic_id,
                topic_texts.c.language == sa.bindparam("language"),
            ),
        )
        .join(topics, topics.c.id == chosen.c.topic_id)
        .order_by(*NEWEST_FIRST)
    )


@contextmanager
def snapshot(database: Database) -> Iterator[Connection]:
    """A reader to whom nothing changes between its statements."""
    with database.read() as connection:
        if not database.is_sqlite:  # whose readers see one state of the store by themselves
            connection.execution_options(isolation_level="REPEATABLE READ")
        yield connection
