"""Defines the topic endpoints. Every response of the group is an envelope, including errors."""

from typing import Annotated, Any, ClassVar

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from backend.auth.event_streams import (
    EVENT_STREAM_RESPONSES,
    LastEventId,
    respond_with_events,
    wants_events,
)
from backend.auth.gate import Access, GatedRoute, needs
from backend.entities.model import Language, Slug
from backend.formats.capped_numbers import cap_at
from backend.formats.timestamps import Instant
from backend.http.prepared_responses import Prepared
from backend.http.responses import CACHED_RESPONSES, PreparedResponse, RawJson
from backend.topics import schemas
from backend.topics.model import Category
from backend.topics.queries.list_events import TopicListKey
from backend.topics.queries.list_filters import TopicFilter
from backend.topics.queries.ranking import TopicKind
from backend.topics.service import PAGE_SIZE, RANKED_BY, RANKING_SIZE, TopicService

MAX_PAGE_SIZE = 100
MAX_SEARCH_CHARS = 200
ERROR_DESCRIPTIONS = {
    400: "The input is malformed or out of range; `message` names the field.",
    401: "The credential is missing or not valid.",
    403: "The credential lacks the required scope.",
    404: "The topic does not exist, or it has no text in this language; `message` names its languages.",
    413: "The body exceeds the size limit.",
    415: "The body is not `application/json`.",
    429: "The rate limit is exceeded; `Retry-After` says when to retry.",
    500: "An internal error.",
    503: "A dependency is unavailable, or the service is overloaded; `Retry-After` says when to retry.",
}


def describe_errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe these error statuses and those that any route may return."""
    return {
        status: {"description": ERROR_DESCRIPTIONS[status], "model": schemas.TopicError}
        for status in sorted({400, 401, 403, 429, 500, 503, *statuses})
    }


_BASIS = {
    RANKED_BY: {
        "description": "The basis of the ranking.",
        "schema": {"type": "string", "enum": ["posts", "coverage"]},
    }
}
RANKING: dict[int | str, dict[str, Any]] = {
    200: {"headers": _BASIS},
    304: {**CACHED_RESPONSES[304], "headers": _BASIS},
}


class TopicRoute(GatedRoute):
    default_access: ClassVar[Access | None] = Access("read")


router = APIRouter(tags=["topics"], route_class=TopicRoute)

TopicId = Annotated[schemas.AnyId, Path(description="A topic's id.")]
Lang = Annotated[Language, Query(description="Only topics with a text in this language are listed.")]
PageSize = Annotated[
    int, Field(ge=1), cap_at(MAX_PAGE_SIZE), Query(description=f"Larger values count as {MAX_PAGE_SIZE}.")
]
CategoryFilter = Annotated[
    schemas.CategoryNumber | None, Query(description="0 Breaking, 1 Important, 2 Normal.")
]
PublishedBefore = Annotated[Instant | None, Query(description="Published before this time.")]
PublishedAfter = Annotated[Instant | None, Query(description="Published at this time or later.")]
EntityFilter = Annotated[
    Slug | None, Query(description="An id of the catalogue or of an asset: topics about this entity.")
]
Find = Annotated[
    str | None,
    Query(
        max_length=MAX_SEARCH_CHARS,
        description="Words that must all occur in the text of this language. "
        "The name of an asset, organisation or person, in any language, also finds the topics about it.",
    ),
]


def get_service(request: Request) -> TopicService:
    service: TopicService = request.app.state.topics
    return service


def request_target(request: Request) -> tuple[str, bytes]:
    return request.scope["path"], request.scope["query_string"]


def build_created(body: bytes) -> Response:
    response = RawJson(body)
    response.status_code = 201
    return response


@router.get(
    "/topics",
    response_model=schemas.TopicList,
    responses={**CACHED_RESPONSES, **describe_errors(), **EVENT_STREAM_RESPONSES},
)
def list_topics(
    request: Request,
    category: CategoryFilter = None,
    page: Annotated[schemas.FromOne, Query(description="The page, from 1.")] = 1,
    page_size: PageSize = PAGE_SIZE,
    lang: Lang = "en",
    publish_before: PublishedBefore = None,
    publish_after: PublishedAfter = None,
    entity: EntityFilter = None,
    find: Find = None,
    _last_event_id: LastEventId = None,
) -> Response:
    """List topics, newest first, then by id descending; a page past the end is empty.

    English words match their other forms too; Japanese and Chinese words match within a sentence. With
    `Accept: text/event-stream`, the list is sent again as an event after each change.
    """
    topics = get_service(request)
    chosen_category = None if category is None else Category(category)
    words, names = topics.split_search(find)
    entities = topics.expand_entity_filter(entity)
    topic_filter = TopicFilter(lang, chosen_category, publish_before, publish_after, words, entities, names)
    target = request_target(request)

    def render() -> Prepared:
        return topics.page(target, topic_filter, page=page, page_size=page_size)

    if wants_events(request):
        return respond_with_events(request, topics.list_events, TopicListKey(target, render))
    return PreparedResponse(render(), request)


@router.post(
    "/topics", status_code=201, response_model=schemas.StoredTopics, responses=describe_errors(413, 415)
)
@needs("ingest")
def add_topics(request: Request, body: schemas.TopicsIn) -> Response:
    """Add a topic or an array of topics: all of them, or none if one is invalid.

    A known `external_id` updates that topic and keeps its texts in languages that are not sent.
    """
    return build_created(get_service(request).add(body))


@router.get(
    "/topics/{id}", response_model=schemas.TopicAnswer, responses={**CACHED_RESPONSES, **describe_errors(404)}
)
def read_topic(request: Request, id: TopicId, lang: Lang = "en") -> Response:
    """Return one topic. Here its category is a word."""
    return PreparedResponse(get_service(request).detail(id, lang), request)


@router.get(
    "/topics/{id}/media",
    response_model=schemas.MediaAnswer,
    responses={**CACHED_RESPONSES, **describe_errors(404)},
)
@needs("read", also_terminal=True)
def read_topic_media(request: Request, id: TopicId, lang: Lang = "en") -> Response:
    """List media in the language and media without a language; if a kind has neither, in the topic's own
    language."""
    return PreparedResponse(get_service(request).media(id, lang), request)


@router.post(
    "/topics/{id}/media",
    status_code=201,
    response_model=schemas.MediaAnswer,
    responses=describe_errors(404, 413, 415),
)
@needs("ingest")
def add_topic_media(request: Request, id: TopicId, body: schemas.MediaIn) -> Response:
    """Add media to a topic, each identified by its URL; returns the stored media."""
    return build_created(get_service(request).add_media(id, body))


@router.get(
    "/ranking_topics", response_model=schemas.RankedTopics, responses={**RANKING, **describe_errors()}
)
def rank_topics(
    request: Request,
    top: Annotated[schemas.UpToFifty, Query(description="How many topics.")] = RANKING_SIZE,
    lang: Lang = "en",
    kind: Annotated[
        TopicKind | None, Query(description="Only news, or only the market reports of this service.")
    ] = None,
) -> Response:
    """Rank the topics of the last 24 hours by `total_tweet_score`, ties newest first.

    If no topic of this time has posts, the number of outlets that report it counts. The header `X-Ranked-By`
    names the basis.
    """
    topics = get_service(request)
    return PreparedResponse(topics.ranking(request_target(request), lang, limit=top, kind=kind), request)


@router.get(
    "/ai_insights/{id}",
    response_model=schemas.InsightAnswer,
    responses={**CACHED_RESPONSES, **describe_errors(404)},
)
def read_insight(request: Request, id: TopicId, lang: Lang = "en") -> Response:
    """Return the insight on a topic: its confirmation, differences between sources, and earlier topics."""
    return PreparedResponse(get_service(request).insight(id, lang), request)


@router.get(
    "/ai_insights/{id}/sections",
    response_model=schemas.InsightSectionsAnswer,
    responses={**CACHED_RESPONSES, **describe_errors(404)},
)
def read_insight_sections(request: Request, id: TopicId, lang: Lang = "en") -> Response:
    """Return the same insight with the kind of each section, and its figures, dates and topics as data."""
    return PreparedResponse(get_service(request).insight_sections(id, lang), request)
