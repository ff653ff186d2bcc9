"""How many topics lie where in the order of a language: totals, ranks and far pages without a scan.

The texts of a language are cut into blocks of neighbours in their order (instant, then topic), and each
block counts its texts by realm and category. A block that grows beyond ``MOST`` is divided, so that a
block is small however the instants lie: years of news, or a million topics of one second. A total is a
sum over blocks, an instant's rank a sum and one count within a block, and a page begins a short way into
the block that holds its first rank.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from itertools import accumulate, islice, pairwise
from operator import add
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.db import UtcTime
from backend.topics.model import Category, Realm
from backend.topics.tables import COUNTED, block_count, topic_blocks, topic_texts

MOST = 2048
"""Texts of a block before it is divided."""
FILLED = 1024
"""Texts of a block when it is made."""


class Key(NamedTuple):
    """A place in the order of a language, oldest first."""

    published_at: datetime
    topic_id: int


BEGINNING = Key(datetime.min.replace(tzinfo=UTC), 0)
"""Before every topic: where the first block of a language begins."""


class Change(NamedTuple):
    """A text that came to a place (``by`` is 1) or left it (-1)."""

    language: str
    key: Key
    realm: Realm
    category: int
    by: int


_COLUMNS = [block_count(realm, category) for realm, category in COUNTED]
_ORDER = (topic_texts.c.published_at, topic_texts.c.topic_id)
_PLACE = (topic_blocks.c.first_at, topic_blocks.c.first_id)
_Member = sa.Row[datetime, int, str, int]


def before(key: Key) -> sa.ColumnElement[bool]:
    """Texts that come before ``key`` in the order of their language."""
    return sa.tuple_(*_ORDER) < _bound(key)


def from_(key: Key) -> sa.ColumnElement[bool]:
    return sa.tuple_(*_ORDER) >= _bound(key)


def apply(connection: Connection, changes: Iterable[Change]) -> None:
    """Count ``changes``, which the caller's transaction has made in ``topic_texts`` already."""
    by_language: dict[str, list[Change]] = {}
    for change in changes:
        by_language.setdefault(change.language, []).append(change)
    for language, of_it in sorted(by_language.items()):
        starts = _starts(connection, language)
        deltas: dict[Key, Counter[str]] = {}
        for change in of_it:
            start = starts[bisect_right(starts, change.key) - 1]
            deltas.setdefault(start, Counter())[block_count(change.realm, change.category)] += change.by
        connection.execute(_ADD, [_row(language, start, counted) for start, counted in deltas.items()])
        _divide(connection, language, deltas)


def recount(connection: Connection) -> None:
    """Make the blocks anew out of the texts: after texts were written past :func:`apply`."""
    connection.execute(sa.delete(topic_blocks))
    languages = connection.execute(sa.select(topic_texts.c.language).distinct()).scalars().all()
    for language in languages:
        rows = connection.execute(_members(language), execution_options={"yield_per": 10 * FILLED})
        blocks: list[dict[str, object]] = []
        while chunk := list(islice(rows, FILLED)):
            blocks.append(_block(language, _key(chunk[0]) if blocks else BEGINNING, chunk))
        connection.execute(sa.insert(topic_blocks), blocks)


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a language, newest first, as a reader sees them."""

    starts: list[Key]
    upto: dict[Category | None, list[int]]
    """For each category, and for all: how many visible topics a block and all newer ones hold."""

    def total(self, category: Category | None) -> int:
        upto = self.upto[category]
        return upto[-1] if upto else 0

    def newer_than(self, place: int, category: Category | None) -> int:
        """How many visible topics the blocks before the one at ``place`` hold."""
        return self.upto[category][place - 1] if place else 0

    def within(self, place: int, category: Category | None) -> int:
        return self.upto[category][place] - self.newer_than(place, category)

    def holding_rank(self, rank: int, category: Category | None) -> int:
        """The place of the block that holds the visible topic with ``rank``, counted from 0."""
        return bisect_right(self.upto[category], rank)

    def holding(self, key: Key) -> int:
        """The place of the block in which ``key`` lies."""
        return bisect_left(self.starts, True, key=lambda start: start <= key)

    def end(self, place: int) -> Key | None:
        """Where the next newer block begins; the newest has no end."""
        return self.starts[place - 1] if place else None


def load(connection: Connection, language: str, realms: Sequence[Realm]) -> Blocks:
    columns = [_sum(block_count(realm, category) for realm in realms) for category in Category]
    look = (
        sa.select(topic_blocks.c.first_at, topic_blocks.c.first_id, *columns)
        .where(topic_blocks.c.language == language)
        .order_by(topic_blocks.c.first_at.desc(), topic_blocks.c.first_id.desc())
    )
    rows = connection.execute(look).all()
    upto: dict[Category | None, list[int]] = {
        category: list(accumulate(row[2 + category] for row in rows)) for category in Category
    }
    upto[None] = list(accumulate(sum(row[2:]) for row in rows))
    return Blocks([Key(row[0], row[1]) for row in rows], upto)


def _divide(connection: Connection, language: str, starts: Iterable[Key]) -> None:
    """Divide those of the blocks at ``starts`` that have grown too large."""
    large = sa.select(*_PLACE).where(topic_blocks.c.language == language, _sum(_COLUMNS) > MOST)
    found = {Key(*row) for row in connection.execute(large)}
    for start in found.intersection(starts):
        within = (from_(start), *_up_to_next(connection, language, start))
        members = connection.execute(_members(language).where(*within)).all()
        pieces = max(1, len(members) // FILLED)
        edges = [len(members) * piece // pieces for piece in range(pieces + 1)]
        chunks = [members[low:high] for low, high in pairwise(edges)]
        connection.execute(sa.delete(topic_blocks).where(topic_blocks.c.language == language, _at(start)))
        firsts = [start, *(_key(chunk[0]) for chunk in chunks[1:])]
        connection.execute(
            sa.insert(topic_blocks),
            [_block(language, first, chunk) for first, chunk in zip(firsts, chunks, strict=True)],
        )


def _up_to_next(connection: Connection, language: str, start: Key) -> Iterator[sa.ColumnElement[bool]]:
    following = (
        sa.select(*_PLACE)
        .where(topic_blocks.c.language == language, sa.tuple_(*_PLACE) > _bound(start))
        .order_by(*_PLACE)
        .limit(1)
    )
    found = connection.execute(following).first()
    if found is not None:
        yield before(Key(*found))


def _starts(connection: Connection, language: str) -> list[Key]:
    """Where the blocks of a language begin, oldest first; makes the first one if there is none."""
    look = sa.select(*_PLACE).where(topic_blocks.c.language == language).order_by(*_PLACE)
    starts = [Key(*row) for row in connection.execute(look)]
    if not starts:
        connection.execute(sa.insert(topic_blocks), _block(language, BEGINNING, ()))
        starts = [BEGINNING]
    return starts


def _members(language: str) -> sa.Select[datetime, int, str, int]:
    columns = (*_ORDER, topic_texts.c.realm, topic_texts.c.category)
    return sa.select(*columns).where(topic_texts.c.language == language).order_by(*_ORDER)


def _block(language: str, first: Key, members: Sequence[_Member]) -> dict[str, object]:
    counted = Counter(block_count(row[2], row[3]) for row in members)
    return {
        "language": language,
        "first_at": first.published_at,
        "first_id": first.topic_id,
        **{name: counted[name] for name in _COLUMNS},
    }


def _sum(columns: Iterable[str]) -> sa.ColumnElement[int]:
    return reduce(add, (topic_blocks.c[name] for name in columns))


def _key(row: _Member) -> Key:
    return Key(row[0], row[1])


def _bound(key: Key) -> sa.Tuple:
    return sa.tuple_(sa.literal(key.published_at, UtcTime), sa.literal(key.topic_id, sa.BigInteger))


def _at(key: Key) -> sa.ColumnElement[bool]:
    return sa.and_(topic_blocks.c.first_at == key.published_at, topic_blocks.c.first_id == key.topic_id)


_ADD = (
    sa.update(topic_blocks)
    .where(
        topic_blocks.c.language == sa.bindparam("of_language"),
        topic_blocks.c.first_at == sa.bindparam("of_at", type_=UtcTime),
        topic_blocks.c.first_id == sa.bindparam("of_id"),
    )
    .values({name: topic_blocks.c[name] + sa.bindparam(f"more_{name}") for name in _COLUMNS})
)


def _row(language: str, start: Key, counted: Counter[str]) -> dict[str, object]:
    changed = {f"more_{name}": counted[name] for name in _COLUMNS}
    return {"of_language": language, "of_at": start.published_at, "of_id": start.topic_id, **changed}
