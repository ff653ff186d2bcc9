"""Calls to the topic endpoints, whose answers come in an envelope."""

from collections.abc import Mapping
from typing import Any, Literal, TypedDict
from urllib.parse import urlencode

from dashboard.client import api
from dashboard.client.fetched import Fetched
from dashboard.i18n import Language

__all__ = [
    "Article",
    "Insight",
    "InsightSection",
    "PrimarySource",
    "Ranking",
    "Term",
    "TopicDetail",
    "TopicItem",
    "TopicMedia",
    "TopicPage",
    "Tweet",
    "detail",
    "insight",
    "media",
    "of_entity",
    "page",
    "ranked",
]


class _Told(TypedDict):
    id: int
    title: str
    subtitle: str | None
    summary: str | None
    summary_bullets: list[list[str]]
    lang: Language
    published_at: str
    url: str


class TopicItem(_Told):
    """A topic in one language, as lists hold it: 0 Breaking, 1 Important, 2 Normal."""

    category: Literal[0, 1, 2]


class Term(TypedDict):
    term: str
    definition: str


class TopicDetail(_Told):
    """A topic in one language; here the category is a word."""

    category: Literal["Breaking", "Important", "Normal"]
    terms_concepts: list[Term]
    cover_img: str | None


class TopicPage(TypedDict):
    """``total`` counts the topics of all pages."""

    topics: list[TopicItem]
    total: int


class Ranking(TypedDict):
    """Most widely told first; ``by`` says by what, if the service says."""

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


class InsightSection(TypedDict):
    title: str
    expanded_explanation: str
    topic_links: list[dict[str, str]]
    """``{title: address}``."""


class Insight(TypedDict):
    conclusion: str
    deep_analysis: list[InsightSection]


def page(query: Mapping[str, str]) -> Fetched[TopicPage]:
    """Topics newest first, as the filters and the page of ``query`` say."""
    return api.client().get(f"/topics?{urlencode(query)}", "object", _page)


def of_entity(entity: str, language: Language, *, many: int) -> Fetched[TopicPage]:
    """The latest topics that tell of an entity of the catalogue, or of a coin."""
    asked = {"entity": entity, "lang": language, "page_size": str(many)}
    return api.client().get(f"/topics?{urlencode(asked)}", "object", _page, lifetime=api.SLOW_SECONDS)


def ranked(language: Language, *, top: int) -> Fetched[Ranking]:
    """The topics of the last 24 hours that have text in ``language``, most widely told first."""
    path = f"/ranking_topics?{urlencode({'top': top, 'lang': language})}"
    return api.client().get(path, "object", _ranking)


def detail(topic_id: int, language: Language) -> Fetched[TopicDetail]:
    """404 when there is no such topic, and when it has no text in ``language``."""
    return _of(topic_id, "", language)


def media(topic_id: int, language: Language) -> Fetched[TopicMedia]:
    return _of(topic_id, "/media", language)


def insight(topic_id: int, language: Language) -> Fetched[Insight]:
    path = f"/ai_insights/{topic_id}?{urlencode({'lang': language})}"
    return api.client().get(path, "object", _data)


def _of(topic_id: int, part: str, language: Language) -> Fetched[Any]:
    path = f"/topics/{topic_id}{part}?{urlencode({'lang': language})}"
    return api.client().get(path, "object", _data)


def _data(body: dict[str, Any]) -> Any:
    return body["data"]


def _ranking(body: dict[str, Any]) -> Ranking:
    return {"topics": list(body["data"]), "by": body.get("ranked_by")}


def _page(body: dict[str, Any]) -> TopicPage:
    return {"topics": list(body["data"]), "total": int(body["total"])}
