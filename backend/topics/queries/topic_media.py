"""The media of a topic as a reader of one language sees them."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.entities.model import Language
from backend.topics.model import Media, MediaKind
from backend.topics.store.topic_rows import media_item
from backend.topics.tables import topic_media, topics

NEWEST_FIRST = (
    sa.case((topic_media.c.published_at.is_(None), 1), else_=0),
    topic_media.c.published_at.desc(),
    topic_media.c.id.desc(),
)


def of_topic(connection: Connection, topic_id: int, language: Language) -> list[Media]:
    """Of each kind the items in ``language`` and those without one; where a kind has neither, those in the
    topic's own language. Newest first, undated ones last."""
    own = connection.execute(sa.select(topics.c.language).where(topics.c.id == topic_id)).scalar_one()
    look = sa.select(topic_media).where(topic_media.c.topic_id == topic_id).order_by(*NEWEST_FIRST)
    items = [media_item(row) for row in connection.execute(look)]
    return [item for item in items if item.language in _languages(items, item.kind, language, own)]


def with_ids(connection: Connection, ids: Sequence[int]) -> list[Media]:
    """The items with ``ids``, newest first."""
    look = sa.select(topic_media).where(topic_media.c.id.in_(sorted(set(ids)))).order_by(*NEWEST_FIRST)
    return [media_item(row) for row in connection.execute(look)]


def _languages(
    items: Sequence[Media], kind: MediaKind, language: Language, own: Language
) -> tuple[Language | None, ...]:
    has = {item.language for item in items if item.kind == kind}
    return (language, None) if has & {language, None} else (own,)
