"""Defines the endpoints of web feeds. A feed token may be part of their address."""

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query, Request
from starlette.responses import Response

from backend.auth.gate import FEED_TOKEN_PARAMETER, gated_router, needs
from backend.http.responses import CACHED_RESPONSES
from backend.markets.router import KindFilter, OpenOnly, get_market
from backend.settings import Settings
from backend.topics import router as topics_router
from backend.topics.model import Category
from backend.topics.queries.list_filters import TopicFilter
from backend.web_feeds import atom, json_feed
from backend.web_feeds.conditional_response import build_feed_response
from backend.web_feeds.incident_feed import build_incident_feed
from backend.web_feeds.model import Feed
from backend.web_feeds.topic_feed import build_topic_feed

DEFAULT_ENTRIES, MAX_ENTRIES = 50, topics_router.MAX_PAGE_SIZE

router = gated_router(scope="read", tags=["web feeds"])

_LAST_MODIFIED = {
    "Last-Modified": {"description": "The time of the newest change.", "schema": {"type": "string"}}
}
_NOT_MODIFIED = {**CACHED_RESPONSES[304], "headers": _LAST_MODIFIED}
_ATOM: dict[int | str, dict[str, Any]] = {
    200: {"headers": _LAST_MODIFIED, "content": {atom.CONTENT_TYPE: {"schema": {"type": "string"}}}},
    304: _NOT_MODIFIED,
}
_JSON: dict[int | str, dict[str, Any]] = {
    200: {"headers": _LAST_MODIFIED, "content": {json_feed.CONTENT_TYPE: {"schema": json_feed.SCHEMA_REF}}},
    304: _NOT_MODIFIED,
}
_TOPIC_ERRORS = topics_router.describe_errors()


@router.get(
    "/topics.atom", name="read_topics_atom", response_class=Response, responses={**_TOPIC_ERRORS, **_ATOM}
)
@router.get(
    "/topics.json", name="read_topics_json", response_class=Response, responses={**_TOPIC_ERRORS, **_JSON}
)
@needs("read", also_feed=True)
def read_topic_feed(
    request: Request,
    category: topics_router.CategoryFilter = None,
    page_size: topics_router.PageSize = DEFAULT_ENTRIES,
    lang: topics_router.Lang = "en",
    publish_before: topics_router.PublishedBefore = None,
    publish_after: topics_router.PublishedAfter = None,
    entity: topics_router.EntityFilter = None,
    find: topics_router.Find = None,
) -> Response:
    """The newest topics as a web feed, with the filters of `/topics`."""
    topics = topics_router.get_service(request)
    words, names = topics.split_search(find)
    entities = topics.expand_entity_filter(entity)
    chosen_category = None if category is None else Category(category)
    topic_filter = TopicFilter(lang, chosen_category, publish_before, publish_after, words, entities, names)
    rows = topics.find_rows(topic_filter, limit=page_size)
    settings = _get_settings(request)
    return _respond(
        build_topic_feed(rows, url=_build_url(request), language=lang, settings=settings), request
    )


@router.get("/incidents.atom", name="read_incidents_atom", response_class=Response, responses=_ATOM)
@router.get("/incidents.json", name="read_incidents_json", response_class=Response, responses=_JSON)
@needs("read", also_feed=True)
def read_incident_feed(
    request: Request,
    asset: Annotated[str | None, Query(description="A canonical asset id: only its incidents.")] = None,
    kind: KindFilter = None,
    is_open: OpenOnly = None,
) -> Response:
    """Market incidents of the last 30 days as a web feed, with the filters of `/markets/incidents`."""
    is_wanted = None if is_open is None else is_open == "true"
    incidents = get_market(request).incidents(asset, kind, is_wanted, MAX_ENTRIES)
    settings = _get_settings(request)
    return _respond(build_incident_feed(incidents, url=_build_url(request), settings=settings), request)


def _respond(feed: Feed, request: Request) -> Response:
    is_json = request.scope["path"].endswith(".json")
    body = json_feed.render_json_feed(feed) if is_json else atom.render_atom(feed)
    content_type = json_feed.CONTENT_TYPE if is_json else atom.CONTENT_TYPE
    return build_feed_response(body, request, content_type=content_type, updated_at=feed.updated_at)


def _build_url(request: Request) -> str:
    """Build the address of the feed with its filters and without the token."""
    pairs = [pair for pair in request.query_params.multi_items() if pair[0] != FEED_TOKEN_PARAMETER]
    query = f"?{urlencode(pairs)}" if pairs else ""
    return f"{_get_settings(request).api_url}{request.scope['path']}{query}"


def _get_settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings
