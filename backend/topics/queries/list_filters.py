"""What is asked of a list of topics, and what an item of it is made of."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Row

from backend.entities.model import Language
from backend.topics.model import Category
from backend.topics.tables import topic_texts, topics

LISTED: tuple[sa.ColumnElement[Any], ...] = (
    topic_texts.c.topic_id,
    topic_texts.c.title,
    topic_texts.c.subtitle,
    topic_texts.c.summary,
    topic_texts.c.bullets,
    topic_texts.c.category,
    topic_texts.c.language,
    topic_texts.c.published_at,
    topics.c.url,
)
"""What an item of a list is made of."""
NEWEST_FIRST = (topic_texts.c.published_at.desc(), topic_texts.c.topic_id.desc())


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which topics are asked for: published at ``after`` or later, and earlier than ``before``; with every
    word of ``find`` in their text, and about one of ``entities``, where any are given."""

    language: Language
    category: Category | None = None
    before: datetime | None = None
    after: datetime | None = None
    find: str = ""
    entities: tuple[str, ...] = ()

    @property
    def searches(self) -> bool:
        """Whether the index of words and entities is asked."""
        return bool(self.find.strip() or self.entities)


class Page(NamedTuple):
    """Rows of :data:`LISTED`, newest first, and how many topics there are on all pages."""

    rows: list[Row[Any]]
    total: int
