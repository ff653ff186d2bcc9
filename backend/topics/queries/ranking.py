"""Ranks the topics of the last 24 hours by posts or, where none are counted, by coverage.

Posts count whether the service read them or an API client sent their scores. The two scores are never mixed,
because posts and outlets are counted on unrelated scales.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.entities.model import Language
from backend.topics.model import RANKING_WINDOW, REPORT_EVENTS, Realm
from backend.topics.queries.list_filters import LIST_COLUMNS, LIST_ORDER
from backend.topics.tables import topic_texts, topics

_CLOCK_TICK = timedelta(microseconds=1)

Basis = Literal["posts", "coverage"]
TopicKind = Literal["news", "report"]
"""News, or a market report of this service."""


class Ranked(NamedTuple):
    """Rows of :data:`backend.topics.queries.list_filters.LIST_COLUMNS`, the basis of their order, and the
    time at which the ranking expires without any change: a listed topic becomes too old, a future topic is
    published, or the last topic with posts leaves the window. None means never."""

    rows: list[Row[Any]]
    basis: Basis
    expires_at: datetime | None


def rank(
    connection: Connection,
    realms: Sequence[Realm],
    language: Language,
    *,
    limit: int,
    now: datetime,
    kind: TopicKind | None = None,
) -> Ranked:
    """Rank the ``limit`` best topics of the window that ends at ``now``: by ``total_tweet_score`` (by
    coverage where no topic of the window has a score), then news before market reports, then newest first.
    With a ``kind``, only its topics count."""
    visible = (topic_texts.c.language == language, topic_texts.c.realm.in_(realms))
    conditions = (
        *visible,
        topic_texts.c.published_at >= now - RANKING_WINDOW,
        topic_texts.c.published_at <= now,
        *_build_kind_conditions(kind),
    )
    latest_scored = sa.select(sa.func.max(topic_texts.c.published_at)).where(
        *conditions, topic_texts.c.score != 0
    )
    if kind is not None:
        latest_scored = latest_scored.join(topics, topics.c.id == topic_texts.c.topic_id)
    last_scored_at = connection.execute(latest_scored).scalar_one()
    basis: Basis = "coverage" if last_scored_at is None else "posts"
    measure = topic_texts.c.coverage if last_scored_at is None else topic_texts.c.score
    rows = list(connection.execute(_select_rows(conditions, measure, language, limit)))
    next_published = (
        sa.select(topic_texts.c.published_at)
        .where(*visible, topic_texts.c.published_at > now)
        .order_by(topic_texts.c.published_at)
        .limit(1)
    )
    next_published_at = connection.execute(next_published).scalar_one_or_none()
    leaving_at = [row.published_at for row in rows] + ([] if last_scored_at is None else [last_scored_at])
    ends = [moment + RANKING_WINDOW + _CLOCK_TICK for moment in leaving_at]
    return Ranked(
        rows, basis, min([*ends, *([] if next_published_at is None else [next_published_at])], default=None)
    )


def _build_kind_conditions(kind: TopicKind | None) -> tuple[sa.ColumnElement[bool], ...]:
    is_report = sa.func.coalesce(topics.c.event, "").in_(REPORT_EVENTS)
    return () if kind is None else (is_report,) if kind == "report" else (sa.not_(is_report),)


def _select_rows(
    conditions: Sequence[sa.ColumnElement[bool]],
    measure: sa.ColumnElement[float],
    language: Language,
    limit: int,
) -> sa.Select[Any]:
    is_report = sa.case((topics.c.event.in_(REPORT_EVENTS), 1), else_=0)
    best_first = (measure.desc(), is_report, *LIST_ORDER)
    chosen = (
        sa.select(topic_texts.c.topic_id)
        .join(topics, topics.c.id == topic_texts.c.topic_id)
        .where(*conditions)
        .order_by(*best_first)
        .limit(limit)
        .subquery()
    )
    return (
        sa.select(*LIST_COLUMNS)
        .select_from(chosen)
        .join(
            topic_texts,
            sa.and_(topic_texts.c.topic_id == chosen.c.topic_id, topic_texts.c.language == language),
        )
        .join(topics, topics.c.id == chosen.c.topic_id)
        .order_by(*best_first)
    )
