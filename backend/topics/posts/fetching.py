"""One round of reading posts: what is due and may be asked, a page at a time.

The network is never inside a transaction. Each answer is stored in a transaction of its own together with
what it cost, so that a process that dies forgets one page at the most and spends nothing unseen. The first
refusal ends the round; the topics stay as they are.
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
from backend.topics.posts.model import Page, XRefused
from backend.topics.posts.search_schedule import Search
from backend.topics.posts.x_api import FEWEST, MOST, MOST_IDS, Endpoint, XApi
from backend.topics.posts.x_rate_limits import XState
from backend.upstream.jitter import jitter

log = structlog.get_logger(__name__)

MOST_SEARCHES = 6
"""Pages of one round."""
FADES_EVERY_MINUTES = 10
"""How often scores are reckoned anew of topics whose posts did not change."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a round brought: pages of searches, posts that were billed, posts counted anew, topics whose score
    was written; and why X was not asked further, if it refused."""

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
    read: Read = field(default_factory=Read)
    touched: set[int] = field(default_factory=set)

    def may_ask(self, endpoint: Endpoint) -> bool:
        most = self.settings.x_requests_per_15_minutes
        return self.read.refused is None and self.state.may_ask(endpoint, self.now, most)


def read_posts(
    settings: Settings,
    database: Database,
    entities: Mapping[str, Entity],
    api: XApi,
    *,
    now: datetime,
    is_first: bool = False,
) -> Read:
    """Search what is due, count again what is stale, and bring scores up to date.

    ``is_first``: the first round of a process asks at once where X had refused."""
    post_store.follow_merges(database)
    with database.read() as connection:
        known = x_rate_limits.load(connection, settings)
    if is_first:
        known = known.restarted()
    this = _Round(settings, database, api, entities, now, known)
    for search in search_schedule.due(database, entities, now=now, many=MOST_SEARCHES):
        _search(this, search)
    _count_again(this)
    return replace(this.read, scored=_score(this))


def _search(this: _Round, search: Search) -> None:
    many = min(MOST, this.state.posts_allowed(this.now))
    if search.query is None:
        with this.database.write() as connection:
            search_schedule.note(connection, search, this.now)
        return
    if many < FEWEST or not this.may_ask("search"):
        return
    this.state = this.state.asked(this.now)
    try:
        page = this.api.search(
            search.query,
            now=this.now,
            many=many,
            since_id=search.since_id,
            start=search.start,
            next_token=search.next_token,
        )
    except XRefused as refused:
        _refused(this, "search", refused, search)
        return
    with this.database.write() as connection:
        cost = post_store.record(connection, search.topic, page.posts, this.entities, this.now)
        search_schedule.note(connection, search.after(page), this.now)
        this.state = this.state.answered("search", page, cost, this.now)
        x_rate_limits.store(connection, this.state)
    this.touched.add(search.topic_id)
    this.read = replace(this.read, pages=this.read.pages + 1, billed=this.read.billed + cost)
    _told("search", page)


def _count_again(this: _Round) -> None:
    """Ask what X counts now of posts that were read a while ago: a search gives each post once."""
    allowed = this.state.posts_allowed(this.now)
    with this.database.read() as connection:
        free = post_store.stale(connection, now=this.now, many=MOST_IDS, free=True)
        others = post_store.stale(connection, now=this.now, many=min(MOST_IDS, allowed), free=False)
    ids = list(dict.fromkeys([*free, *others]))[:MOST_IDS]
    if not ids or not this.may_ask("lookup"):
        return
    this.state = this.state.asked(this.now)
    try:
        page = this.api.lookup(ids, now=this.now)
    except XRefused as refused:
        _refused(this, "lookup", refused)
        if refused.invalid:
            with this.database.write() as connection:
                post_store.rest(connection, ids, this.now)
        return
    with this.database.write() as connection:
        cost = post_store.count_again(connection, page.posts, this.now)
        post_store.take_away(connection, set(page.gone) & set(ids), this.now)
        answered = [post.id for post in page.posts]
        post_store.rest(connection, set(ids) - set(answered), this.now)
        this.touched |= post_store.topics_of(connection, answered)
        this.state = this.state.answered("lookup", page, cost, this.now)
        x_rate_limits.store(connection, this.state)
    this.read = replace(this.read, counted=len(page.posts), billed=this.read.billed + cost)
    _told("lookup", page)


def _refused(this: _Round, endpoint: Endpoint, refused: XRefused, search: Search | None = None) -> None:
    """A query that X takes for malformed rests, from the beginning; any other refusal ends the round."""
    this.state = this.state.refused(endpoint, refused, jitter(), this.now)
    with this.database.write() as connection:
        x_rate_limits.store(connection, this.state)
        if search is not None and refused.invalid:
            search_schedule.note(connection, search.afresh(), this.now, wait=search_schedule.REFUSED)
    metrics.PROVIDER_CALLS.labels("x", refused.kind.value).inc()
    log.warning("posts_fetch_failed", endpoint=endpoint, fault=refused.kind.value, words=refused.message)
    if not refused.invalid:
        this.read = replace(this.read, refused=refused.message)


def _score(this: _Round) -> int:
    everything = this.now.minute % FADES_EVERY_MINUTES == 0
    if not everything and not this.touched:
        return 0
    with this.database.write() as connection:
        return post_store.score(connection, this.now, of=None if everything else this.touched)


def _told(endpoint: Endpoint, page: Page) -> None:
    metrics.PROVIDER_CALLS.labels("x", "ok").inc()
    if page.troubles:
        log.info(
            "posts_partly_fetched", endpoint=endpoint, missing=len(page.troubles), first=page.troubles[0]
        )
