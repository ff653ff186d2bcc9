"""The topics of the last 24 hours with the largest scores."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.entities.model import Language
from backend.topics.model import Realm
from backend.topics.pages import LISTED, NEWEST_FIRST
from backend.topics.tables import topic_texts, topics

WINDOW = timedelta(hours=24)
_INSTANT = timedelta(microseconds=1)


class Ranked(NamedTuple):
    """Rows of :data:`backend.topics.pages.LISTED`, and the instant at which the clock alone makes another
    ranking of them: when one of them is too old, or one of tomorrow's is due. None is never."""

    rows: list[Row[Any]]
    until: datetime | None


def top(
    connection: Connection, realms: Sequence[Realm], language: Language, *, many: int, now: datetime
) -> Ranked:
    """The ``many`` topics of the window that ends at ``now``: by score, then newest first."""
    visible = (topic_texts.c.language == language, topic_texts.c.realm.in_(realms))
    by_score = (topic_texts.c.score.desc(), *NEWEST_FIRST)
    chosen = (
        sa.select(topic_texts.c.topic_id)
        .where(*visible, topic_texts.c.published_at >= now - WINDOW, topic_texts.c.published_at <= now)
        .order_by(*by_score)
        .limit(many)
        .subquery()
    )
    look = (
        sa.select(*LISTED)
        .select_from(chosen)
        .join(
            topic_texts,
            sa.and_(topic_texts.c.topic_id == chosen.c.topic_id, topic_texts.c.language == language),
        )
        .join(topics, topics.c.id == chosen.c.topic_id)
        .order_by(*by_score)
    )
    following = (
        sa.select(topic_texts.c.published_at)
        .where(*visible, topic_texts.c.published_at > now)
        .order_by(topic_texts.c.published_at)
        .limit(1)
    )
    rows = list(connection.execute(look))
    coming = connection.execute(following).scalar_one_or_none()
    leaving = [row.published_at + WINDOW + _INSTANT for row in rows]
    return Ranked(rows, min([*leaving, *([] if coming is None else [coming])], default=None))
