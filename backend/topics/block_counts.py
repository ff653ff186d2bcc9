"""Updates the counts in ``topic_blocks`` for the version before this one, which pages by them.

This version reads none of them. They stay right since both versions work on one store during an upgrade, and
since a store may go back to the version before. The release after this one deletes this file, and drops the
table in a revision that contracts.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.db import UtcTime, upsert
from backend.topics.model import Realm
from backend.topics.tables import COUNTED, block_count, topic_blocks


class Place(NamedTuple):
    """Where a text stands in the order of its language, and as what it is counted."""

    topic_id: int
    language: str
    realm: Realm
    category: int
    published_at: datetime


_COLUMNS = [block_count(realm, category) for realm, category in COUNTED]
_FIRST_BLOCK = {"first_at": datetime.min.replace(tzinfo=UTC), "first_id": 0, **dict.fromkeys(_COLUMNS, 0)}
_starts = topic_blocks.alias()
_HOLDING = (
    sa.select(_starts.c.first_at, _starts.c.first_id)
    .where(
        _starts.c.language == sa.bindparam("of_language"),
        sa.tuple_(_starts.c.first_at, _starts.c.first_id)
        <= sa.tuple_(sa.bindparam("at", type_=UtcTime), sa.bindparam("of_topic", type_=sa.BigInteger)),
    )
    .order_by(_starts.c.first_at.desc(), _starts.c.first_id.desc())
    .limit(1)
)
_ADD = (
    sa.update(topic_blocks)
    .where(
        topic_blocks.c.language == sa.bindparam("of_language"),
        sa.tuple_(topic_blocks.c.first_at, topic_blocks.c.first_id).in_(_HOLDING),
    )
    .values({name: topic_blocks.c[name] + sa.bindparam(f"more_{name}") for name in _COLUMNS})
)


def apply(connection: Connection, *, left: Iterable[Place], came: Iterable[Place]) -> None:
    """Count the texts that the caller's transaction has removed from and added to ``topic_texts``."""
    changes = Counter(came)
    changes.subtract(left)
    if not changes:
        return
    languages = sorted({place.language for place in changes})
    upsert(
        connection,
        topic_blocks,
        [{"language": language, **_FIRST_BLOCK} for language in languages],
        keep=tuple(_COLUMNS),
    )
    none = {f"more_{name}": 0 for name in _COLUMNS}
    rows = [
        {
            "of_language": place.language,
            "at": place.published_at,
            "of_topic": place.topic_id,
            **none,
            f"more_{block_count(place.realm, place.category)}": by,
        }
        for place, by in changes.items()
    ]
    connection.execute(_ADD, rows)
