"""Defines the topic endpoints. Every response of the group is an envelope, errors too."""

from typing import Annotated, Any, ClassVar

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from backend.auth.gate import Access, GatedRoute, needs
from backend.entities.model import Language, Slug
from backend.formats.timestamps import Instant
from backend.http.responses import CACHED_RESPONSES, PreparedResponse, RawJson
from backend.topics import schemas
from backend.topics.model import Category
from backend.topics.queries.list_filters import TopicFilter
from backend.topics.service import PAGE_SIZE, RANKED_BY, RANKING_SIZE, TopicService

LARGEST_PAGE = 100
LONGEST_SEARCH = 200
MEANINGS = {
    400: "The input is malformed or out of range; `message` says where.",
    401: "The credential is missing or not valid.",
    403: "The credential lacks the scope that this needs.",
    404: "There is no such topic, or it has no text in this language: `message` names those it has.",
    413: "The body is over the size limit.",
    415: "The body is not `application/json`.",
    429: "The caller's limit is reached; `Retry-After` says when to ask again.",
    500: "A fault of the service.",
    503: "A dependency is down, or there is more to do than can be done in time; `Retry-After` says when "
    "to ask again.",
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe these error statuses and those that any route may return."""
    return {
        status: {"description": MEANINGS[status], "model": schemas.TopicError}
        for status in sorted({400, 401, 403, 429, 500, 503, *statuses})
    }


_BASIS = {
    RANKED_BY: {
        "description": "What the topics are ranked by.",
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

TopicId = Annotated[schemas.AnyId, Path(description="A topic's id.", examples=[1])]
Lang = Annotated[Language, Query(description="Topics are listed in a language that they have text in.")]
PageSize = Annotated[schemas.FromOne, Query(description=f"More than {LARGEST_PAGE} is {LARGEST_PAGE}.")]
CategoryFilter = Annotated[
    schemas.CategoryNumber | None, Query(description="0 Breaking, 1 Important, 2 Normal.")
]
PublishedBefore = Annotated[Instant | None, Query(description="Published earlier than this instant.")]
PublishedAfter = Annotated[Instant | None, Query(description="Published at this instant or later.")]
EntityFilter = Annotated[
    Slug | None, Query(description="An id of the catalogue, or of an asset: topics that tell of it.")
]
Find = Annotated[
    str | None,
    Query(max_length=LONGEST_SEARCH, description="Words that must all stand in the text of this language."),
]


def topics_of(request: Request) -> TopicService:
    service: TopicService = request.app.state.topics
    return service


def spelling(request: Request) -> tuple[str, bytes]:
    return request.scope["path"], request.scope["query_string"]


def created(body: bytes) -> Response:
    answer = RawJson(body)
    answer.status_code = 201
    return answer


@router.get("/topics", response_model=schemas.TopicList, responses={**CACHED_RESPONSES, **refusals()})
def list_topics(
    request: Request,
    category: CategoryFilter = None,
    page: schemas.FromOne = 1,
    page_size: PageSize = PAGE_SIZE,
    lang: Lang = "en",
    publish_before: PublishedBefore = None,
    publish_after: PublishedAfter = None,
    entity: EntityFilter = None,
    find: Find = None,
) -> Response:
    """Topics newest first, then by id descending; a page past the end is empty.

    English words are found in their other forms too, Japanese and Chinese ones within a sentence.
    """
    topics = topics_of(request)
    chosen = None if category is None else Category(category)
    words = " ".join((find or "").split())
    wanted = TopicFilter(
        lang, chosen, publish_before, publish_after, words, topics.expand_entity_filter(entity)
    )
    size = min(page_size, LARGEST_PAGE)
    answer = topics.page(spelling(request), wanted, page=page, page_size=size)
    return PreparedResponse(answer, request)


@router.post("/topics", status_code=201, response_model=schemas.StoredTopics, responses=refusals(413, 415))
@needs("ingest")
def add_topics(request: Request, body: schemas.TopicsIn) -> Response:
    """Add a topic, or an array of them: all or, where one has a fault, none.

    A known `external_id` updates that topic, keeping its texts in languages that are not sent.
    """
    return created(topics_of(request).add(body))


@router.get(
    "/topics/{id}", response_model=schemas.TopicAnswer, responses={**CACHED_RESPONSES, **refusals(404)}
)
def read_topic(request: Request, id: TopicId, lang: Lang = "en") -> Response:
    """One topic; here its category is a word."""
    return PreparedResponse(topics_of(request).detail(id, lang), request)


@router.get(
    "/topics/{id}/media", response_model=schemas.MediaAnswer, responses={**CACHED_RESPONSES, **refusals(404)}
)
@needs("read", also_terminal=True)
def read_media(request: Request, id: TopicId, lang: Lang = "en") -> Response:
    """Media in the language and those without one; where a kind has neither, in the topic's own language."""
    return PreparedResponse(topics_of(request).media(id, lang), request)


@router.post(
    "/topics/{id}/media",
    status_code=201,
    response_model=schemas.MediaAnswer,
    responses=refusals(404, 413, 415),
)
@needs("ingest")
def add_media(request: Request, id: TopicId, body: schemas.MediaIn) -> Response:
    """Add media to a topic, each known by its address; answers what was stored."""
    return created(topics_of(request).add_media(id, body))


@router.get("/ranking_topics", response_model=schemas.RankedTopics, responses={**RANKING, **refusals()})
def rank_topics(request: Request, top: schemas.UpToFifty = RANKING_SIZE, lang: Lang = "en") -> Response:
    """Topics of the last 24 hours by `total_tweet_score`, ties newest first.

    Where no topic of these hours has posts, they are ranked by how many outlets tell of them. The header
    `X-Ranked-By` says which.
    """
    return PreparedResponse(topics_of(request).ranked(spelling(request), lang, many=top), request)


@router.get(
    "/ai_insights/{id}", response_model=schemas.InsightAnswer, responses={**CACHED_RESPONSES, **refusals(404)}
)
def read_insight(request: Request, id: TopicId, lang: Lang = "en") -> Response:
    """What is known of a topic, where sources differ, and what came before; empty until it is written."""
    return PreparedResponse(topics_of(request).insight(id, lang), request)
