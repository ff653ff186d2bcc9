"""Fetches posts in rounds: runs the searches that are due, refreshes counts and updates scores.

No request runs inside a transaction. Each page is stored in its own transaction together with its cost. A
process that dies therefore loses at most one page and counts every billed post. The first refusal ends the
round; the topics keep what they have.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

import structlog

from backend.entities.model import Entity
from backend.runtime import metrics
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.posts import post_store, search_schedule, x_rate_limits
from backend.topics.posts.model import Page, XRequestError
from backend.topics.posts.search_schedule import Search
from backend.topics.posts.x_api import MAX_LOOKUP_IDS, MAX_PAGE_SIZE, MIN_PAGE_SIZE, Endpoint, XApi
from backend.topics.posts.x_rate_limits import XState
from backend.upstream.jitter import jitter

log = structlog.get_logger(__name__)

MAX_SEARCHES_PER_ROUND = 6
"""Search pages that one round requests."""
DECAY_INTERVAL_MINUTES = 10
"""Scores of topics with unchanged posts are computed again at this interval, because scores decay."""


@dataclass(frozen=True, slots=True)
class FetchResult:
    """The result of a round: search pages, billed posts, posts with refreshed counts, and topics with a new
    score. ``refused`` is the reason of the refusal that ended the round, if any."""

    pages: int = 0
    billed: int = 0
    counted: int = 0
    scored: int = 0
    refused: str | None = None


@dataclass(slots=True)
class _Round:
    settings: Settings
    database: Database
    api: XApi
    entities: Mapping[str, Entity]
    now: datetime
    state: XState
    result: FetchResult = field(default_factory=FetchResult)
    changed_topic_ids: set[int] = field(default_factory=set)

    def can_request(self, endpoint: Endpoint) -> bool:
        max_requests = self.settings.x_requests_per_15_minutes
        return self.result.refused is None and self.state.can_request(endpoint, self.now, max_requests)


def fetch_posts(
    settings: Settings,
    database: Database,
    entities: Mapping[str, Entity],
    api: XApi,
    *,
    now: datetime,
    is_first: bool = False,
) -> FetchResult:
    """Run one round: due searches, stale counts, then scores.

    ``is_first``: the first round of a process ignores the wait after an earlier refusal."""
    post_store.reassign_merged_posts(database)
    with database.read() as connection:
        state = x_rate_limits.load(connection, settings)
    if is_first:
        state = state.after_restart()
    current = _Round(settings, database, api, entities, now, state)
    for search in search_schedule.list_due_searches(
        database, entities, now=now, limit=MAX_SEARCHES_PER_ROUND
    ):
        _run_search(current, search)
    _refresh_counts(current)
    return replace(current.result, scored=_update_scores(current))


def _run_search(current: _Round, search: Search) -> None:
    page_size = min(MAX_PAGE_SIZE, current.state.posts_allowed(current.now))
    if search.query is None:
        with current.database.write() as connection:
            search_schedule.store_search(connection, search, current.now)
        return
    if page_size < MIN_PAGE_SIZE or not current.can_request("search"):
        return
    current.state = current.state.record_request(current.now)
    try:
        page = current.api.search(
            search.query,
            now=current.now,
            page_size=page_size,
            since_id=search.since_id,
            start_time=search.start_time,
            next_token=search.next_token,
        )
    except XRequestError as refused:
        _record_refusal(current, "search", refused, search)
        return
    with current.database.write() as connection:
        cost = post_store.store_posts(connection, search.topic, page.posts, current.entities, current.now)
        search_schedule.store_search(connection, search.after_page(page), current.now)
        current.state = current.state.record_response("search", page, cost, current.now)
        x_rate_limits.store(connection, current.state)
    current.changed_topic_ids.add(search.topic_id)
    current.result = replace(
        current.result, pages=current.result.pages + 1, billed=current.result.billed + cost
    )
    _log_page("search", page)


def _refresh_counts(current: _Round) -> None:
    """Request the current counts of posts that were read a while ago: a search returns each post once."""
    allowed = current.state.posts_allowed(current.now)
    with current.database.read() as connection:
        billed = post_store.list_stale_ids(
            connection, now=current.now, limit=MAX_LOOKUP_IDS, billed_only=True
        )
        unbilled = post_store.list_stale_ids(connection, now=current.now, limit=min(MAX_LOOKUP_IDS, allowed))
    ids = list(dict.fromkeys([*billed, *unbilled]))[:MAX_LOOKUP_IDS]
    if not ids or not current.can_request("lookup"):
        return
    current.state = current.state.record_request(current.now)
    try:
        page = current.api.lookup(ids, now=current.now)
    except XRequestError as refused:
        _record_refusal(current, "lookup", refused)
        if refused.is_invalid_request:
            with current.database.write() as connection:
                post_store.mark_read(connection, ids, current.now)
        return
    with current.database.write() as connection:
        cost = post_store.update_counts(connection, page.posts, current.now)
        post_store.delete_posts(connection, set(page.unavailable_ids) & set(ids), current.now)
        answered = [post.id for post in page.posts]
        post_store.mark_read(connection, set(ids) - set(answered), current.now)
        current.changed_topic_ids |= post_store.find_topic_ids(connection, answered)
        current.state = current.state.record_response("lookup", page, cost, current.now)
        x_rate_limits.store(connection, current.state)
    current.result = replace(current.result, counted=len(page.posts), billed=current.result.billed + cost)
    _log_page("lookup", page)


def _record_refusal(
    current: _Round, endpoint: Endpoint, refused: XRequestError, search: Search | None = None
) -> None:
    """Record a refusal. A query that X rejects as malformed waits and starts again from its first page. Any
    other refusal ends the round."""
    current.state = current.state.record_error(endpoint, refused, jitter(), current.now)
    with current.database.write() as connection:
        x_rate_limits.store(connection, current.state)
        if search is not None and refused.is_invalid_request:
            search_schedule.store_search(
                connection, search.from_start(), current.now, wait=search_schedule.INVALID_QUERY_WAIT
            )
    metrics.PROVIDER_CALLS.labels("x", refused.kind.value).inc()
    log.warning("posts_fetch_failed", endpoint=endpoint, kind=refused.kind.value, reason=refused.message)
    if not refused.is_invalid_request:
        current.result = replace(current.result, refused=refused.message)


def _update_scores(current: _Round) -> int:
    every_topic = current.now.minute % DECAY_INTERVAL_MINUTES == 0
    if not every_topic and not current.changed_topic_ids:
        return 0
    with current.database.write() as connection:
        return post_store.update_scores(
            connection, current.now, topic_ids=None if every_topic else current.changed_topic_ids
        )


def _log_page(endpoint: Endpoint, page: Page) -> None:
    metrics.PROVIDER_CALLS.labels("x", "ok").inc()
    if page.partial_errors:
        log.info(
            "posts_partly_fetched",
            endpoint=endpoint,
            errors=len(page.partial_errors),
            first=page.partial_errors[0],
        )
