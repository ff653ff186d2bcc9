"""Asking feeds: those that are due, each with its conditions, and what comes of the answers.

The network is never inside a transaction: feeds are claimed in one, asked by a few threads without any, and
the articles of each answer stored in one of their own, together with the feed's next conditions. A process
that dies between two leaves a feed that is asked again five minutes later.
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
from backend.topics.feeds.polling_interval import Pace
from backend.topics.feeds.polling_schedule import Due
from backend.upstream import Fetched, UpstreamFailure, guarded_fetch

log = structlog.get_logger(__name__)

Fetch = Callable[..., Fetched]
"""Called as :func:`backend.upstream.guarded_fetch` is."""
Outcome = Literal["answered", "unchanged", "failed"]

MOST_BYTES = 2 * 1024 * 1024
SECONDS = 15.0
AT_ONCE = 6
TYPES = (
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
"""What feeds are sent as, rightly or not; what they are is told by their root element."""
_ACCEPT = "application/atom+xml, application/rss+xml, application/rdf+xml, application/xml;q=0.9, */*;q=0.5"


@dataclass(frozen=True, slots=True)
class FeedResult:
    """What came of one feed; ``problem`` is a sentence where it failed."""

    feed: Feed
    outcome: Outcome
    stored: article_store.Stored = field(default_factory=article_store.Stored)
    left_out: int = 0
    """Entries without a usable address or any text, repeated in one answer, or off the field."""
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class FeedReport:
    """What a round of asking brought, a result for each feed that was due."""

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
    def brought_news(self) -> bool:
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
class _Asked:
    """An answer that was read but not stored yet."""

    due: Due
    answer: Fetched | None = None
    drafted: entry_analysis.Drafted | None = None
    left_out: int = 0
    pace: Pace | None = None
    """Of a whole answer."""
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
    everything: bool = False,
    on_claimed: Callable[[int], None] = lambda _count: None,
    on_result: Callable[[FeedResult], None] = lambda _result: None,
) -> FeedReport:
    """Ask the feeds that are due (``everything``: all that are enabled) and store what is new.

    ``now`` is when the answers count as having come. Nothing is asked but in live mode. ``on_claimed`` hears
    how many feeds are asked, ``on_result`` of each as it is done. A feed that fails fails alone.

    :raises FeedListRefused: when the configured list has a mistake.
    """
    if settings.is_offline:
        return FeedReport()
    listed = configured if configured is not None else load_configured(settings)
    official = {feed.id for feed in listed if feed.is_official}
    claimed = polling_schedule.claim_due(database, listed.enabled, now=now, all_of_them=everything)
    on_claimed(len(claimed))
    results = []
    for asked in _all_asked(claimed, rules.current, fetch, settings.fetch_allow, now):
        result = _stored(database, asked, official, now)
        results.append(result)
        on_result(result)
    order = {feed.id: number for number, feed in enumerate(listed)}
    return FeedReport(tuple(sorted(results, key=lambda result: order[result.feed.id])))


def _all_asked(
    claimed: Sequence[Due], rules: RuleSet, fetch: Fetch, allow: Sequence[str], now: datetime
) -> Iterator[_Asked]:
    if not claimed:
        return
    with ThreadPoolExecutor(min(AT_ONCE, len(claimed)), thread_name_prefix="feeds") as pool:
        for done in as_completed(pool.submit(_asked, due, rules, fetch, allow, now) for due in claimed):
            yield done.result()


def _asked(due: Due, rules: RuleSet, fetch: Fetch, allow: Sequence[str], now: datetime) -> _Asked:
    try:
        answer = fetch(
            due.feed.url,
            accept=TYPES,
            max_bytes=MOST_BYTES,
            deadline=SECONDS,
            headers={"Accept": _ACCEPT, **due.conditions},
            allow=allow,
        )
        if answer.not_modified:
            return _Asked(due, answer)
        parsed = parsing.parse(
            answer.body, url=answer.url, language=due.feed.language, charset=_charset(answer)
        )
        drafted = entry_analysis.drafts_of(due.feed, parsed, rules, now=now)
    except UpstreamFailure as failure:
        return _Asked(due, problem=failure.message, failure=failure)
    except parsing.NotAFeed as refusal:
        return _Asked(due, problem=f"{due.feed.name} {refusal}.")
    except Exception as error:
        # What one feed holds must not keep the others from being read.
        log.exception("feed_read_failed", feed=due.feed.id)
        return _Asked(due, problem=f"{due.feed.name} sent what could not be read ({type(error).__name__}).")
    left_out = parsed.left_out + drafted.off_topic + drafted.repeated
    return _Asked(due, answer, drafted, left_out, parsed.pace)


def _stored(database: Database, asked: _Asked, official: set[str], now: datetime) -> FeedResult:
    due, feed = asked.due, asked.due.feed
    with database.write() as connection:
        if asked.answer is None:
            problem = asked.problem or ""
            status, headers = (asked.failure.status, asked.failure.headers) if asked.failure else (None, None)
            polling_schedule.failed(connection, due, problem, now=now, status=status, headers=headers)
            log.info("feed_failed", feed=feed.id, problem=problem)
            return FeedResult(feed, "failed", problem=problem)
        if asked.drafted is None:
            polling_schedule.answered(connection, due, asked.answer.headers, now=now)
            return FeedResult(feed, "unchanged")
        stored = article_store.store(connection, feed.id, asked.drafted.drafts, official=official, now=now)
        polling_schedule.answered(connection, due, asked.answer.headers, now=now, pace=asked.pace)
    return FeedResult(feed, "answered", stored, asked.left_out)


def _charset(answer: Fetched) -> str | None:
    header = Message()
    header["content-type"] = answer.headers.get("content-type", "")
    return header.get_content_charset()
