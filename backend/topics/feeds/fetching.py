"""Fetches the feeds that are due with conditional requests, and stores their articles.

No request runs inside a transaction. One transaction claims the feeds, a few threads fetch them, and one
transaction for each response stores its articles together with the feed's next conditions. If a process dies
in between, the feed is fetched again five minutes later.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from datetime import datetime
from email.message import Message
from typing import Literal

import structlog

from backend.articles.engine import RuleSet
from backend.articles.rules.active_rules import ActiveRules
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.feeds import article_store, entry_analysis, parsing, polling_schedule
from backend.topics.feeds.feed_list import Feed, FeedList, load_configured
from backend.topics.feeds.polling_interval import PollingHints
from backend.topics.feeds.polling_schedule import Due
from backend.upstream import Fetched, UpstreamFailure, guarded_fetch

log = structlog.get_logger(__name__)

Fetch = Callable[..., Fetched]
"""Has the signature of :func:`backend.upstream.guarded_fetch`."""
Outcome = Literal["answered", "unchanged", "failed"]

MAX_BODY_BYTES = 2 * 1024 * 1024
FETCH_TIMEOUT_SECONDS = 15.0
MAX_CONCURRENT_FETCHES = 6
ACCEPTED_CONTENT_TYPES = (
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "application/xml",
    "text/xml",
    "application/x-rss+xml",
    "text/plain",
    "text/html",
    "application/octet-stream",
)
"""Accepted content types, right and wrong ones: the root element decides the format."""
_ACCEPT = "application/atom+xml, application/rss+xml, application/rdf+xml, application/xml;q=0.9, */*;q=0.5"


@dataclass(frozen=True, slots=True)
class FeedResult:
    """The result of one feed; ``problem`` is a sentence if it failed."""

    feed: Feed
    outcome: Outcome
    stored: article_store.StoreCounts = field(default_factory=article_store.StoreCounts)
    left_out: int = 0
    """Entries without a usable URL or text, repeated in one response, or off topic."""
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class FeedReport:
    """The results of one refresh, one for each feed that was due."""

    results: tuple[FeedResult, ...] = ()

    def count(self, outcome: Outcome) -> int:
        return sum(1 for result in self.results if result.outcome == outcome)

    @property
    def added(self) -> int:
        return sum(result.stored.added for result in self.results)

    @property
    def changed(self) -> int:
        return sum(result.stored.changed for result in self.results)

    @property
    def has_changes(self) -> bool:
        return self.added + self.changed > 0

    def as_dict(self) -> dict[str, object]:
        return {
            **{outcome: self.count(outcome) for outcome in ("answered", "unchanged", "failed")},
            "added": self.added,
            "changed": self.changed,
            "known": sum(result.stored.known for result in self.results),
            "duplicates": sum(result.stored.duplicates for result in self.results),
            "left_out": sum(result.left_out for result in self.results),
        }


@dataclass(frozen=True, slots=True)
class _FetchedFeed:
    """A response that is parsed but not stored yet."""

    due: Due
    response: Fetched | None = None
    drafts: entry_analysis.DraftResult | None = None
    left_out: int = 0
    pace: PollingHints | None = None
    """The polling hints of a full response."""
    problem: str | None = None
    failure: UpstreamFailure | None = None


def refresh_feeds(
    settings: Settings,
    database: Database,
    rules: ActiveRules,
    *,
    now: datetime,
    fetch: Fetch = guarded_fetch,
    configured: FeedList | None = None,
    force: bool = False,
    on_claimed: Callable[[int], None] = lambda _count: None,
    on_result: Callable[[FeedResult], None] = lambda _result: None,
) -> FeedReport:
    """Fetch the feeds that are due and store new articles. ``force``: fetch all enabled feeds.

    ``now`` counts as the time of the responses. Feeds are fetched in live mode only. ``on_claimed`` receives
    the number of feeds, ``on_result`` each result. A failing feed does not affect the others.

    :raises InvalidFeedListError: when the configured list has an error.
    """
    if settings.is_offline:
        return FeedReport()
    feed_list = configured if configured is not None else load_configured(settings)
    official = {feed.id for feed in feed_list if feed.is_official}
    claimed = polling_schedule.claim_due(database, feed_list.enabled, now=now, force=force)
    on_claimed(len(claimed))
    results = []
    for fetched in _fetch_all(claimed, rules.current, fetch, settings.fetch_allow, now):
        result = _store_result(database, fetched, official, now)
        results.append(result)
        on_result(result)
    order = {feed.id: number for number, feed in enumerate(feed_list)}
    return FeedReport(tuple(sorted(results, key=lambda result: order[result.feed.id])))


def _fetch_all(
    claimed: Sequence[Due], rules: RuleSet, fetch: Fetch, allow: Sequence[str], now: datetime
) -> Iterator[_FetchedFeed]:
    if not claimed:
        return
    with ThreadPoolExecutor(min(MAX_CONCURRENT_FETCHES, len(claimed)), thread_name_prefix="feeds") as pool:
        for future in as_completed(
            pool.submit(_fetch_feed, due, rules, fetch, allow, now) for due in claimed
        ):
            yield future.result()


def _fetch_feed(due: Due, rules: RuleSet, fetch: Fetch, allow: Sequence[str], now: datetime) -> _FetchedFeed:
    try:
        response = fetch(
            due.feed.url,
            accept=ACCEPTED_CONTENT_TYPES,
            max_bytes=MAX_BODY_BYTES,
            deadline_seconds=FETCH_TIMEOUT_SECONDS,
            headers={"Accept": _ACCEPT, **due.conditions},
            allow=allow,
        )
        if response.not_modified:
            return _FetchedFeed(due, response)
        parsed = parsing.parse(
            response.body, url=response.url, language=due.feed.language, charset=_find_charset(response)
        )
        drafts = entry_analysis.build_drafts(due.feed, parsed, rules, now=now)
    except UpstreamFailure as failure:
        return _FetchedFeed(due, problem=failure.message, failure=failure)
    except parsing.NotAFeedError as error:
        return _FetchedFeed(due, problem=f"{due.feed.name} {error}.")
    except Exception as error:
        # The content of one feed must not stop the others.
        log.exception("feed_read_failed", feed=due.feed.id)
        return _FetchedFeed(
            due, problem=f"{due.feed.name} sent what could not be read ({type(error).__name__})."
        )
    left_out = parsed.left_out + drafts.off_topic + drafts.repeated
    return _FetchedFeed(due, response, drafts, left_out, parsed.pace)


def _store_result(database: Database, fetched: _FetchedFeed, official: set[str], now: datetime) -> FeedResult:
    due, feed = fetched.due, fetched.due.feed
    with database.write() as connection:
        if fetched.response is None:
            problem = fetched.problem or ""
            status, headers = (
                (fetched.failure.status, fetched.failure.headers) if fetched.failure else (None, None)
            )
            polling_schedule.record_failure(connection, due, problem, now=now, status=status, headers=headers)
            log.info("feed_fetch_failed", feed=feed.id, problem=problem)
            return FeedResult(feed, "failed", problem=problem)
        if fetched.drafts is None:
            polling_schedule.record_response(connection, due, fetched.response.headers, now=now)
            return FeedResult(feed, "unchanged")
        stored = article_store.store_articles(
            connection, feed.id, fetched.drafts.drafts, official=official, now=now
        )
        polling_schedule.record_response(
            connection, due, fetched.response.headers, now=now, pace=fetched.pace
        )
    return FeedResult(feed, "answered", stored, fetched.left_out)


def _find_charset(response: Fetched) -> str | None:
    header = Message()
    header["content-type"] = response.headers.get("content-type", "")
    return header.get_content_charset()
