"""The topics of the last 24 hours that are told of most.

By posts where any are counted, whether the service read them or a program sent what they score, and else by
coverage. Never by both: posts and outlets are counted on scales that have nothing to do with each other.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.entities.model import Language
from backend.topics.model import Realm
from backend.topics.queries.list_filters import LISTED, NEWEST_FIRST
from backend.topics.tables import topic_texts, topics

WINDOW = timedelta(hours=24)
_INSTANT = timedelta(microseconds=1)

Basis = Literal["posts", "coverage"]


class Ranked(NamedTuple):
    """Rows of :data:`backend.topics.queries.list_filters.LISTED`, what they are ranked by, and the instant at
    which the clock alone makes another ranking of them: when one of them is too old, one of tomorrow's is
    due, or the last one with posts leaves. None is never."""

    rows: list[Row[Any]]
    by: Basis
    until: datetime | None


def top(
    connection: Connection, realms: Sequence[Realm], language: Language, *, many: int, now: datetime
) -> Ranked:
    """The ``many`` topics of the window that ends at ``now``: by ``total_tweet_score`` (by coverage where no
    topic of the window has one), then newest first."""
    visible = (topic_texts.c.language == language, topic_texts.c.realm.in_(realms))
    inside = (*visible, topic_texts.c.published_at >= now - WINDOW, topic_texts.c.published_at <= now)
    scored = sa.select(sa.func.max(topic_texts.c.published_at)).where(*inside, topic_texts.c.score != 0)
    last_scored = connection.execute(scored).scalar_one()
    by: Basis = "coverage" if last_scored is None else "posts"
    measure = topic_texts.c.coverage if last_scored is None else topic_texts.c.score
    rows = list(connection.execute(_rows(inside, measure, language, many)))
    following = (
        sa.select(topic_texts.c.published_at)
        .where(*visible, topic_texts.c.published_at > now)
        .order_by(topic_texts.c.published_at)
        .limit(1)
    )
    coming = connection.execute(following).scalar_one_or_none()
    leaving = [row.published_at for row in rows] + ([] if last_scored is None else [last_scored])
    ends = [moment + WINDOW + _INSTANT for moment in leaving]
    return Ranked(rows, by, min([*ends, *([] if coming is None else [coming])], default=None))


def _rows(
    inside: Sequence[sa.ColumnElement[bool]],
    measure: sa.ColumnElement[float],
    language: Language,
    many: int,
) -> sa.Select[Any]:
    best_first = (measure.desc(), *NEWEST_FIRST)
    chosen = sa.select(topic_texts.c.topic_id).where(*inside).order_by(*best_first).limit(many).subquery()
    return (
        sa.select(*LISTED)
        .select_from(chosen)
        .join(
            topic_texts,
            sa.and_(topic_texts.c.topic_id == chosen.c.topic_id, topic_texts.c.language == language),
        )
        .join(topics, topics.c.id == chosen.c.topic_id)
        .order_by(*best_first)
    )
