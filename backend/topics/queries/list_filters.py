"""Defines the filter and the columns of topic lists."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Row

from backend.entities.model import Language
from backend.entity_names.name_index import NamedEntities
from backend.topics.model import Category
from backend.topics.tables import topic_texts, topics

LIST_COLUMNS: tuple[sa.ColumnElement[Any], ...] = (
    topic_texts.c.topic_id,
    topic_texts.c.title,
    topic_texts.c.subtitle,
    topic_texts.c.summary,
    topic_texts.c.bullets,
    topic_texts.c.category,
    topic_texts.c.language,
    topic_texts.c.published_at,
    topics.c.url,
    topics.c.updated_at,
)
"""The columns of a list item, and the time of the topic's last change."""
LIST_ORDER = (topic_texts.c.published_at.desc(), topic_texts.c.topic_id.desc())


@dataclass(frozen=True, slots=True)
class TopicFilter:
    """Selects topics published at ``after`` or later and before ``before``, with every word of ``find`` in
    their text and about one of ``entities``, where any are given.

    A topic matches one of ``names`` if its text has the words of the name, or if it is about an entity with
    this name."""

    language: Language
    category: Category | None = None
    before: datetime | None = None
    after: datetime | None = None
    find: str = ""
    entities: tuple[str, ...] = ()
    names: tuple[NamedEntities, ...] = ()

    @property
    def is_search(self) -> bool:
        """True if the filter needs the full-text index."""
        return bool(self.find.strip() or self.entities or self.names)


class Page(NamedTuple):
    """Rows of :data:`LIST_COLUMNS`, newest first, and the number of topics on all pages."""

    rows: list[Row[Any]]
    total: int
