"""Defines the tools of topics: search, and one topic with its media and insight."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from backend.entities.model import Language
from backend.mcp.links import Query
from backend.mcp.tool_result import ToolResult, Truncator
from backend.mcp.tools.context import ToolContext, get_service

MAX_TEXT_CHARS = 4000
MAX_SUMMARY_CHARS = 600
MAX_MEDIA = 20
CATEGORIES: tuple[Literal["Breaking", "Important", "Normal"], ...] = ("Breaking", "Important", "Normal")
Category = Literal["Breaking", "Important", "Normal"]
Instant = Annotated[str, Field(max_length=40, description="RFC 3339, such as 2026-11-21T00:00:00Z.")]
TopicLanguage = Annotated[Language, Field(description="Language of the texts.")]


class FoundTopic(BaseModel):
    id: int
    title: str
    summary: str | None
    category: Category
    published_at: str
    source_url: str
    dashboard_url: str


class FoundTopics(ToolResult):
    total: int = Field(description="Matching topics on all pages.")
    topics: list[FoundTopic]


class Medium(BaseModel):
    kind: Literal["primary_source", "article", "post"]
    url: str
    title: str | None
    summary: str | None
    published_at: str | None


class InsightPart(BaseModel):
    title: str
    text: str


class Term(BaseModel):
    term: str
    definition: str


class TopicWithMedia(ToolResult):
    id: int
    title: str
    subtitle: str | None
    summary: str | None
    bullets: list[str]
    category: Category
    published_at: str
    source_url: str
    terms: list[Term]
    media: list[Medium] = Field(description="Primary sources first.")
    conclusion: str
    insight: list[InsightPart] = Field(
        description="What is confirmed, where sources differ, what came before, and the price around it."
    )


async def search_topics(
    context: ToolContext,
    find: Annotated[
        str,
        Field(max_length=200, description="Words that all occur in the topic, or a name in any language."),
    ] = "",
    entity: Annotated[
        str, Field(max_length=100, description="Id of an asset or of a catalogued entity: bitcoin, sec.")
    ] = "",
    category: Category | None = None,
    published_after: Instant = "",
    published_before: Instant = "",
    lang: TopicLanguage = "en",
    page: Annotated[int, Field(ge=1, le=10_000)] = 1,
    page_size: Annotated[int, Field(ge=1, le=50)] = 10,
) -> FoundTopics:
    """Search news topics, newest first. Without filters it lists the newest topics."""
    service = get_service(context)
    query: Query = {
        "find": find,
        "entity": entity,
        "category": None if category is None else CATEGORIES.index(category),
        "publish_after": published_after,
        "publish_before": published_before,
        "lang": lang,
        "page": page,
        "page_size": page_size,
    }
    answer = await service.get("/topics", query)
    cutter = Truncator()
    topics = [
        FoundTopic(
            id=item["id"],
            title=item["title"],
            summary=_limit(cutter, item["summary"], MAX_SUMMARY_CHARS, f"summary of {item['id']}"),
            category=CATEGORIES[item["category"]],
            published_at=item["published_at"],
            source_url=item["url"],
            dashboard_url=service.links.build_page_url("topics", topic=str(item["id"]), topic_lang=lang),
        )
        for item in answer["data"]
    ]
    shown = {"find": find, "entity": entity, "category": (category or "").lower()}
    return FoundTopics(
        total=answer["total"],
        topics=topics,
        dashboard_url=service.links.build_page_url("topics", topic_lang=lang, **shown),
        api_url=service.links.build_api_url("/topics", query),
        data_mode=service.data_mode,
        cut=cutter.cut,
    )


async def read_topic(
    topic_id: Annotated[int, Field(ge=1, le=2**63 - 1)], context: ToolContext, lang: TopicLanguage = "en"
) -> TopicWithMedia:
    """Read one topic with its sources, articles and posts, and what is confirmed or differs among them."""
    service = get_service(context)
    topic = (await service.get(f"/topics/{topic_id}", {"lang": lang}))["data"]
    media = (await service.get(f"/topics/{topic_id}/media", {"lang": lang}))["data"]
    insight = (await service.get(f"/ai_insights/{topic_id}", {"lang": lang}))["data"]
    cutter = Truncator()
    return TopicWithMedia(
        **{name: topic[name] for name in ("id", "title", "subtitle", "category", "published_at")},
        source_url=topic["url"],
        summary=_limit(cutter, topic["summary"], MAX_TEXT_CHARS, "summary"),
        bullets=cutter.limit_list(
            [bullet for group in topic["summary_bullets"] for bullet in group], 30, "bullets"
        ),
        terms=cutter.limit_list(topic["terms_concepts"], 30, "terms"),
        media=_build_media(cutter, media),
        conclusion=insight["conclusion"],
        insight=[
            InsightPart(
                title=part["title"],
                text=cutter.limit_text(part["expanded_explanation"], MAX_TEXT_CHARS, part["title"]),
            )
            for part in insight["deep_analysis"]
        ],
        dashboard_url=service.links.build_page_url("topics", topic=str(topic_id), topic_lang=lang),
        api_url=service.links.build_api_url(f"/topics/{topic_id}", {"lang": lang}),
        data_mode=service.data_mode,
        cut=cutter.cut,
    )


def _build_media(cutter: Truncator, media: dict[str, Any]) -> list[Medium]:
    """Build one list. Primary sources have ``url``, the other kinds ``entry_url``; not all have texts."""
    kinds: tuple[tuple[Literal["primary_source", "article", "post"], str], ...] = (
        ("primary_source", "primary_sources"),
        ("article", "articles"),
        ("post", "tweets"),
    )
    return [
        Medium(
            kind=kind,
            url=item.get("url") or item["entry_url"],
            title=item.get("title"),
            summary=_limit(cutter, item.get("summary"), MAX_SUMMARY_CHARS, "summary of a medium"),
            published_at=item["published_at"],
        )
        for kind, name in kinds
        for item in cutter.limit_list(media[name], MAX_MEDIA, name)
    ]


def _limit(cutter: Truncator, text: str | None, chars: int, name: str) -> str | None:
    return None if text is None else cutter.limit_text(text, chars, name)
