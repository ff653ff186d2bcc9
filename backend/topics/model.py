"""Defines topics, their texts and their media."""

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Literal

from backend.entities.model import Language

Realm = Literal["sample", "live", "own"]
"""The origin of a topic: the sample market, live feeds, or an API client. Sample topics are visible in sample
mode only, live topics in live mode only, and sent topics (``own``) in both."""

Origin = Literal["publisher", "template", "model", "sent"]
"""The author of a text: a publisher (headline and sentences of articles), a template, a model, or an API
client."""

MediaKind = Literal["primary_source", "article", "tweet"]

NEWS_WINDOW = timedelta(hours=72)
"""Articles inside this window are grouped into topics. Articles further apart than this are not compared for
repeated texts, because old words may be true again."""
RANKING_WINDOW = timedelta(hours=24)
"""Topics inside this window are ranked, and posts are searched for them."""
SCORE_HALF_LIFE_HOURS = 12.0
"""Scores of posts and the coverage of topics halve in this time."""
REPORT_EVENTS = ("wrap", "movers-up", "movers-down", "week-high", "week-low", "mood", "peg", "turnover")
"""The events of market reports: their kinds without the coin."""
ANNIVERSARY_MARK = ":on-this-day:"
"""Part of the external id of a topic that is the anniversary of an archived event."""
SAMPLE_URLS = "https://sample-%.example/%"
"""The URLs of sample mode as an SQL pattern. Nobody can own a host that ends in ``.example``."""
_SAMPLE_URL = re.compile(r"https://sample-[a-z]+\.example/")
SCORE_CHANGE_THRESHOLD = 0.05
"""Scores decay all the time. A stored score that changed by a smaller share stays as it is."""


class Category(IntEnum):
    BREAKING = 0
    IMPORTANT = 1
    NORMAL = 2

    @property
    def word(self) -> str:
        """The category's name in the detail response of a topic."""
        return self.name.capitalize()


@dataclass(frozen=True, slots=True)
class Term:
    term: str
    definition: str


@dataclass(frozen=True, slots=True)
class TopicText:
    """The text of a topic in one language. ``bullets`` are groups of bullets."""

    title: str
    subtitle: str = ""
    summary: str = ""
    bullets: tuple[tuple[str, ...], ...] = ()
    terms: tuple[Term, ...] = ()
    origin: Origin = "sent"


@dataclass(frozen=True, slots=True)
class Media:
    """One media item of a topic. An item without a language belongs to all languages. ``score`` is a post's
    share of the topic's ``total_tweet_score``."""

    kind: MediaKind
    url: str
    title: str = ""
    summary: str = ""
    published_at: datetime | None = None
    site_name: str = ""
    language: Language | None = None
    score: float = 0.0
    id: int | None = None

    @property
    def is_sample(self) -> bool:
        """True for an article or post of sample mode."""
        return _SAMPLE_URL.match(self.url) is not None


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic with its texts and media. ``external_id`` is the author's own name for it: storing the same
    name again replaces the topic. ``id`` is None until stored. ``entities`` are catalogue ids, most important
    first."""

    category: Category
    published_at: datetime
    url: str
    texts: dict[Language, TopicText]
    external_id: str | None = None
    realm: Realm = "own"
    cover_img: str | None = None
    tweet_score: float = 0.0
    coverage: float = 0.0
    """Weighted count of independent outlets. It ranks topics where no posts are counted."""
    entities: tuple[str, ...] = ()
    event: str | None = None
    """The landmark or report that the topic is about, if any."""
    media: tuple[Media, ...] = field(default=())
    id: int | None = None

    @property
    def is_grouped(self) -> bool:
        """True for a topic that is grouped from stored articles: live news, or made-up news."""
        return self.realm != "own" and self.event is None
