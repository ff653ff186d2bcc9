"""Lists the media of a topic for readers of one language."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.entities.model import Language
from backend.topics.model import Media, MediaKind
from backend.topics.store.topic_rows import parse_media
from backend.topics.tables import topic_media, topics

MEDIA_ORDER = (
    sa.case((topic_media.c.published_at.is_(None), 1), else_=0),
    topic_media.c.published_at.desc(),
    topic_media.c.id.desc(),
)


def list_for_reader(connection: Connection, topic_id: int, language: Language) -> list[Media]:
    """List the items in ``language`` and those without a language; a kind that has neither is listed in the
    topic's own language. Newest first, undated items last."""
    topic_language = connection.execute(
        sa.select(topics.c.language).where(topics.c.id == topic_id)
    ).scalar_one()
    selected = sa.select(topic_media).where(topic_media.c.topic_id == topic_id).order_by(*MEDIA_ORDER)
    items = [parse_media(row) for row in connection.execute(selected)]
    return [
        item
        for item in items
        if item.language in _choose_languages(items, item.kind, language, topic_language)
    ]


def list_by_ids(connection: Connection, ids: Sequence[int]) -> list[Media]:
    """List the items with ``ids``, newest first."""
    selected = sa.select(topic_media).where(topic_media.c.id.in_(sorted(set(ids)))).order_by(*MEDIA_ORDER)
    return [parse_media(row) for row in connection.execute(selected)]


def _choose_languages(
    items: Sequence[Media], kind: MediaKind, language: Language, topic_language: Language
) -> tuple[Language | None, ...]:
    available = {item.language for item in items if item.kind == kind}
    return (language, None) if available & {language, None} else (topic_language,)
