"""Calls the topic endpoints and unwraps the envelope of their responses."""

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict
from urllib.parse import urlencode

from dashboard.client import connection
from dashboard.client.cache_entries import SLOW_LIFETIME_SECONDS
from dashboard.client.fetched import Fetched
from dashboard.i18n import Language

__all__ = [
    "Article",
    "ComparedFigure",
    "DueDate",
    "EarlierTopic",
    "Insight",
    "InsightSection",
    "PriceMove",
    "PrimarySource",
    "Ranking",
    "Term",
    "TopicDetail",
    "TopicItem",
    "TopicKind",
    "TopicMedia",
    "TopicPage",
    "Tweet",
    "fetch_detail",
    "fetch_entity_topics",
    "fetch_insight",
    "fetch_media",
    "fetch_page",
    "fetch_ranking",
]


TopicKind = Literal["news", "report"]
"""News, or a market report of the service."""


class _TopicText(TypedDict):
    id: int
    title: str
    subtitle: str | None
    summary: str | None
    summary_bullets: list[list[str]]
    lang: Language
    published_at: str
    url: str


class TopicItem(_TopicText):
    """A topic of a list, in one language. Categories: 0 Breaking, 1 Important, 2 Normal."""

    category: Literal[0, 1, 2]


class Term(TypedDict):
    term: str
    definition: str


class TopicDetail(_TopicText):
    """A whole topic in one language; its category is a word."""

    category: Literal["Breaking", "Important", "Normal"]
    terms_concepts: list[Term]
    cover_img: str | None


class TopicPage(TypedDict):
    """``total`` counts the topics of all pages."""

    topics: list[TopicItem]
    total: int


class Ranking(TypedDict):
    """Topics with the widest coverage first; ``by`` is the criterion, if the service names it."""

    topics: list[TopicItem]
    by: str | None


class PrimarySource(TypedDict):
    url: str
    title: str | None
    summary: str | None
    published_at: str | None
    site_name: str | None


class Article(TypedDict):
    entry_url: str
    title: str | None
    published_at: str | None


class Tweet(TypedDict):
    entry_url: str
    summary: str | None
    published_at: str | None


class TopicMedia(TypedDict):
    """Each kind newest first."""

    primary_sources: list[PrimarySource]
    articles: list[Article]
    tweets: list[Tweet]


SectionKind = Literal["confirmed", "points", "differ", "unknown", "next", "market", "before", "note"]


class InsightSection(TypedDict):
    """``is_generated``: a language model wrote the text."""

    kind: SectionKind
    title: str
    text: str
    is_generated: bool


class ComparedFigure(TypedDict):
    """``source`` holds the names of all sources that give the figure. ``measure`` says what it measures."""

    figure: str
    source: str
    measure: NotRequired[str]


class DueDate(TypedDict):
    """A day (``2026-12-03``) on which something is due, and the sentence of the source that says what."""

    day: str
    text: str
    source: str


class PriceMove(TypedDict):
    """Prices in US dollars and changes in percent, as decimals."""

    name: str
    before: str
    after: str
    before_at: str
    after_at: str
    change: str
    market_change: str | None
    is_unusual: bool | None


class EarlierTopic(TypedDict):
    id: int
    title: str
    published_at: str


class Insight(TypedDict):
    """A conclusion, sections, and their data: groups of figures that differ, the next dates, the moves of
    prices (``is_sample``: of the sample market), and earlier topics of the same story, the oldest first."""

    conclusion: str
    sections: list[InsightSection]
    differences: list[list[ComparedFigure]]
    next_dates: list[DueDate]
    moves: list[PriceMove]
    is_sample: bool
    earlier_topics: list[EarlierTopic]


def fetch_page(query: Mapping[str, str]) -> Fetched[TopicPage]:
    """Fetches the topics that match the filters and page of ``query``, newest first."""
    return connection.get_client().get(f"/topics?{urlencode(query)}", "object", _decode_page)


def fetch_entity_topics(entity: str, language: Language, *, limit: int) -> Fetched[TopicPage]:
    """Fetches the latest topics about an entity of the catalogue or a coin."""
    query = {"entity": entity, "lang": language, "page_size": str(limit)}
    return connection.get_client().get(
        f"/topics?{urlencode(query)}", "object", _decode_page, lifetime=SLOW_LIFETIME_SECONDS
    )


def fetch_ranking(language: Language, kind: TopicKind, *, top: int) -> Fetched[Ranking]:
    """Fetches the news or the market reports of the last 24 hours with text in ``language``, best first."""
    path = f"/ranking_topics?{urlencode({'top': top, 'lang': language, 'kind': kind})}"
    return connection.get_client().get(path, "object", _decode_ranking)


def fetch_detail(topic_id: int, language: Language) -> Fetched[TopicDetail]:
    """Fetches one topic; 404 if it does not exist or has no text in ``language``."""
    return _fetch_part(topic_id, "", language)


def fetch_media(topic_id: int, language: Language) -> Fetched[TopicMedia]:
    return _fetch_part(topic_id, "/media", language)


def fetch_insight(topic_id: int, language: Language) -> Fetched[Insight]:
    path = f"/ai_insights/{topic_id}/sections?{urlencode({'lang': language})}"
    return connection.get_client().get(path, "object", _decode_data)


def _fetch_part(topic_id: int, part: str, language: Language) -> Fetched[Any]:
    path = f"/topics/{topic_id}{part}?{urlencode({'lang': language})}"
    return connection.get_client().get(path, "object", _decode_data)


def _decode_data(body: dict[str, Any]) -> Any:
    return body["data"]


def _decode_ranking(body: dict[str, Any]) -> Ranking:
    return {"topics": list(body["data"]), "by": body.get("ranked_by")}


def _decode_page(body: dict[str, Any]) -> TopicPage:
    return {"topics": list(body["data"]), "total": int(body["total"])}
