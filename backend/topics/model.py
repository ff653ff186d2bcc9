"""A topic as every room reads and writes it."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Literal

from backend.entities.model import Language

Realm = Literal["sample", "live", "own"]
"""Where a topic comes from: the sample market, live feeds, or a program that sent it. Sample topics are
shown in sample mode alone and live ones in live mode alone; one's own in both."""

Origin = Literal["publisher", "template", "model", "sent"]
"""Who worded a text: a publisher (a headline and sentences of articles), a template, a model, a sender."""

MediaKind = Literal["primary_source", "article", "tweet"]


class Category(IntEnum):
    BREAKING = 0
    IMPORTANT = 1
    NORMAL = 2

    @property
    def word(self) -> str:
        """As the detail of a topic names it."""
        return self.name.capitalize()


@dataclass(frozen=True, slots=True)
class Term:
    term: str
    definition: str


@dataclass(frozen=True, slots=True)
class TopicText:
    """What a topic says in one language; ``bullets`` are groups of bullets."""

    title: str
    subtitle: str = ""
    summary: str = ""
    bullets: tuple[tuple[str, ...], ...] = ()
    terms: tuple[Term, ...] = ()
    origin: Origin = "sent"


@dataclass(frozen=True, slots=True)
class Media:
    """One item of a topic's media; an item without a language belongs to all. ``score`` is a post's share
    of the topic's ``total_tweet_score``."""

    kind: MediaKind
    url: str
    title: str = ""
    summary: str = ""
    published_at: datetime | None = None
    site_name: str = ""
    language: Language | None = None
    score: float = 0.0
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """``external_id`` names a topic for whoever made it: storing it again replaces that one. ``id`` is None
    until stored. ``entities`` are ids of the catalogue, in the order of their weight."""

    category: Category
    published_at: datetime
    url: str
    texts: dict[Language, TopicText]
    external_id: str | None = None
    realm: Realm = "own"
    cover_img: str | None = None
    tweet_score: float = 0.0
    coverage: float = 0.0
    """How much independent outlets tell of it: what topics are ranked by where no posts are counted."""
    entities: tuple[str, ...] = ()
    event: str | None = None
    """The landmark or report that it tells of, if it is one."""
    media: tuple[Media, ...] = field(default=())
    id: int | None = None
