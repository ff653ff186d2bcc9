"""Pages of topics anywhere in the order, and how many there are, at the same cost for all.

A page is a range of ranks among the visible topics of a language and category. The blocks of the counts
(see ``counts.py``) say which of them holds the first rank; from its end an index is walked, past fewer
topics than a block holds. Dates are ranks too: that of the newest topic before an instant is a sum over
blocks and one count within the block in which the instant lies.

What is remembered of the counts holds while the change counter stands still. Every statement tells the
counter that it saw, so that a page takes one look at the store; where the counter has moved, the page is
read anew out of one snapshot, with the counts.
"""

from collections.abc import Sequence
from contextlib import suppress
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

    def has_to_be(self, number: int) -> None:
        """Raises :class:`_Changed` where a statement saw the change counter at another ``number``."""
        if number != self.number:
            raise _Changed


class _Changed(Exception):
    """The topics are not those any more whose counts are remembered."""


class Pages:
    """Safe to share between threads; keep one a process, since it remembers the counts."""

    def __init__(self, database: Database, realms: Sequence[Realm]) -> None:
        self._database = database
        self._realms = realms
        self._statements = _Statements(realms, sqlite=database.is_sqlite)
        self._states: dict[str, _State] = {}
        self._found = FoundPages(realms)

    def read(self, wanted: Wanted, *, page: int, page_size: int) -> Page:
        """The ``page``-th page, counted from 1; one past the end is empty."""
        if wanted.searches:
            with self._database.snapshot() as connection:
                number = _counter(connection)
                return self._found.read(connection, wanted, number, page=page, page_size=page_size)
        state = self._states.get(wanted.language)
        if state is not None:
            with suppress(_Changed), self._database.read() as connection:
                return self._page(connection, state, wanted, page, page_size)
        with self._database.snapshot() as connection:
            state = self._state(connection, wanted.language)
            return self._page(connection, state, wanted, page, page_size)

    def _state(self, connection: Connection, language: Language) -> _State:
        """As it is in the reader's snapshot: every change of topics moves the counter with it."""
        number = _counter(connection)
        state = self._states.get(language)
        if state is None or state.number != number:
            state = _State(number, counts.load(connection, language, self._realms))
            self._states[language] = state
        return state

    def _page(self, connection: Connection, state: _State, wanted: Wanted, page: int, page_size: int) -> Page:
        """Raises :class:`_Changed` unless every statement saw the topics that ``state`` is of."""
        newest, oldest = 0, state.blocks.total(wanted.category)
        if wanted.before is not None:
            newest = self._rank(connection, state, wanted, wanted.before)
        if wanted.after is not None:
            oldest = self._rank(connection, state, wanted, wanted.after)
        first = newest + (page - 1) * page_size
        many = min(page_size, oldest - first)
        rows = self._rows(connection, state.blocks, wanted, first, page_size)[:many] if many > 0 else []
        state.has_to_be(rows[0].number if rows else _counter(connection))
        return Page(rows, max(0, oldest - newest))

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
                statement, given = self._statements.count(wanted, blocks.end(place), many)
                counted, number = connection.execute(statement, {**given, "moment": moment}).one()
                state.has_to_be(number)
                rank += counted
        if len(state.ranks) < MOST_RANKS:
            state.ranks[wanted.category, moment] = rank
        return rank

    def _rows(
        self, connection: Connection, blocks: Blocks, wanted: Wanted, first: int, page_size: int
    ) -> list[Row[Any]]:
        place = blocks.holding_rank(first, wanted.category)
        skipped = first - blocks.newer_than(place, wanted.category)
        statement, given = self._statements.page(wanted, blocks.end(place), skipped, page_size)
        return list(connection.execute(statement, given))


_COUNTER = sa.select(change_counters.c.n).where(change_counters.c.topic == CHANGED)
_NUMBER: sa.Label[int] = sa.func.coalesce(_COUNTER.scalar_subquery(), 0).label("number")
"""The counter as the statement sees it that this is a column of: which topics it tells of."""


def _counter(connection: Connection) -> int:
    return connection.execute(_COUNTER).scalar_one_or_none() or 0


_Given = dict[str, Any]
_Shape = tuple[bool, bool]
"""Whether a category is asked for, and whether the walk has an end to begin at."""


class _Statements:
    """Built once each: to build one takes longer than to execute it.

    Limits stand in their text. PostgreSQL plans at each execution, which takes longer than to execute, where
    it finds no plan for any values that is as good; and it takes a limit that it is given to be a tenth of
    the table.
    """

    def __init__(self, realms: Sequence[Realm], *, sqlite: bool) -> None:
        self._realms = realms
        self._sqlite = sqlite
        self._counts: dict[tuple[_Shape, int], sa.Select[int, int]] = {}
        self._pages: dict[tuple[_Shape, int | None, int], sa.Select[Any]] = {}

    def count(self, wanted: Wanted, end: Key | None, many: int) -> tuple[sa.Select[int, int], _Given]:
        """Counts what lies before ``end`` and at the instant ``moment`` or later, of which there are at most
        ``many``."""
        shape, reach = key = _shape(wanted, end), _reach(many)
        statement = self._counts.get(key)
        if statement is None:
            statement = self._counts[key] = _count(_inside(self._realms, *shape), reach)
        return statement, _given(wanted, end)

    def page(
        self, wanted: Wanted, end: Key | None, skipped: int, page_size: int
    ) -> tuple[sa.Select[Any], _Given]:
        """``page_size`` of what lies before ``end``, newest first, ``skipped`` left out."""
        reach = None if self._sqlite else _reach(skipped + page_size)
        shape = _shape(wanted, end)
        key = shape, reach, page_size
        statement = self._pages.get(key)
        if statement is None:
            statement = self._pages[key] = _page(_inside(self._realms, *shape), reach, page_size)
        return statement, {**_given(wanted, end), "skipped": skipped}


def _reach(many: int) -> int:
    """A power of eight that is no smaller: few statements, and each skips about as much as PostgreSQL
    supposes, which is a tenth. It keeps the plan for any values while none for given ones costs less."""
    return 1 << 3 * max(2, -(-many.bit_length() // 3))


def _shape(wanted: Wanted, end: Key | None) -> _Shape:
    return wanted.category is not None, end is not None


def _given(wanted: Wanted, end: Key | None) -> _Given:
    given: _Given = {"language": wanted.language}
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


def _count(inside: Sequence[sa.ColumnElement[bool]], reach: int) -> sa.Select[int, int]:
    since = topic_texts.c.published_at >= sa.bindparam("moment", type_=UtcTime)
    # In order and up to so many: PostgreSQL, which knows nothing of blocks, would plan for half the table.
    found = (
        sa.select(topic_texts.c.topic_id)
        .where(*inside, since)
        .order_by(*NEWEST_FIRST)
        .limit(_literal(reach))
        .subquery()
    )
    return sa.select(sa.func.count(), _NUMBER).select_from(found)


def _page(inside: Sequence[sa.ColumnElement[bool]], reach: int | None, page_size: int) -> sa.Select[Any]:
    """``reach``: a number of topics within which the page lies, for PostgreSQL to plan by. SQLite would read
    them all."""
    order = topic_texts.c.published_at, topic_texts.c.topic_id
    walk = sa.select(*order).where(*inside).order_by(*NEWEST_FIRST)  # of an index alone: it skips cheaply
    if reach is not None:
        near = walk.limit(_literal(reach)).subquery()
        walk = sa.select(*near.c).order_by(*(column.desc() for column in near.c))
    skipped = sa.bindparam("skipped", type_=sa.Integer)
    chosen = walk.offset(skipped).limit(_literal(page_size)).subquery()
    return (
        sa.select(*LISTED, _NUMBER)
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


def _literal(number: int) -> sa.ColumnElement[int]:
    """In the text of the statement, not among what it is given."""
    return sa.literal_column(str(number), sa.Integer)
