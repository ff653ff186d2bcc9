"""Schedules the polling of feeds: intervals, conditional headers and backoff, shared by all processes."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.store.database import Database, upsert
from backend.topics.feeds import polling_interval
from backend.topics.feeds.feed_list import Feed
from backend.topics.feeds.polling_interval import NO_HINTS, PollingHints
from backend.topics.tables import feeds

CLAIM_DURATION = timedelta(minutes=5)
"""A claimed feed is left to its process for this time; after a crash another process takes over then."""
DUE_TOLERANCE = timedelta(seconds=15)
"""A feed counts as due this much earlier, because scheduler ticks come a little late."""
MAX_CLOCK_SKEW = timedelta(minutes=1)
"""A last poll further in the future means that the clock has been set back since."""
MAX_WAIT = polling_interval.MAX_WAIT
THROTTLED_WAIT = timedelta(hours=1)
"""Minimum wait after status 429 without ``Retry-After``."""
RETRY_AFTER_STATUSES = frozenset({429, 503})
"""Statuses whose ``Retry-After`` counts."""
DEAD_AFTER, DEAD_FAILURES = timedelta(days=2), 5
"""A feed is dead after this many failures in a row and this long without a response."""
CLAIM_LOCK = 0x43_50_46_44  # "CPFD": any number that no other lock uses
_HEADER_VALUE = re.compile(r"[\x21-\x7e][\x20-\x7e]{0,510}")
_MAX_PROBLEM_CHARS = 300


@dataclass(frozen=True, slots=True)
class Due:
    """A feed that this process polls, with the validators and polling hints of its last response."""

    feed: Feed
    etag: str | None = None
    last_modified: str | None = None
    pace: PollingHints = NO_HINTS

    @property
    def conditions(self) -> dict[str, str]:
        headers = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in headers.items() if value}


@dataclass(frozen=True, slots=True)
class FeedState:
    """The stored state of a feed. ``failures`` counts failures in a row since its last response."""

    id: str
    url: str
    asked_at: datetime | None
    answered_at: datetime | None
    due_at: datetime
    failures: int
    problem: str | None

    def is_dead(self, now: datetime) -> bool:
        silent = self.answered_at is None or now - self.answered_at >= DEAD_AFTER
        return self.failures >= DEAD_FAILURES and silent


def claim_due(
    database: Database, configured: Sequence[Feed], *, now: datetime, force: bool = False
) -> list[Due]:
    """Claim the feeds that are due (or ``force``), so that no other process polls them meanwhile.

    A feed whose URL has changed is due at once and gets an unconditional request. ``Retry-After`` of a host
    is always respected, also for ``force``.
    """
    with database.write() as connection:  # on SQLite BEGIN IMMEDIATE is the lock
        if not database.is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(CLAIM_LOCK)))
        stored = {row.id: row for row in connection.execute(sa.select(feeds))}
        due_feeds = []
        for feed in configured:
            row = stored.get(feed.id)
            if row is None or row.url != feed.url:
                due_feeds.append(Due(feed))
            elif row.asked_at is not None and row.asked_at > now + MAX_CLOCK_SKEW:
                due_feeds.append(Due(feed, row.etag, row.last_modified, PollingHints.from_json(row.pace)))
            elif row.held_until is not None and row.held_until > now:
                continue
            elif force or row.due_at <= now + DUE_TOLERANCE:
                due_feeds.append(Due(feed, row.etag, row.last_modified, PollingHints.from_json(row.pace)))
        upsert(connection, feeds, [_build_claim(due, stored.get(due.feed.id), now) for due in due_feeds])
    return due_feeds


def record_response(
    connection: Connection,
    due: Due,
    headers: Mapping[str, str],
    *,
    now: datetime,
    pace: PollingHints | None = None,
) -> None:
    """Store a response. ``pace`` holds the hints of a full response, whose headers give the next validators;
    None for 304 Not Modified."""
    cadence = timedelta(minutes=due.feed.interval_minutes)
    current_pace = due.pace if pace is None else pace
    values = {
        "asked_at": now,
        "answered_at": now,
        "due_at": polling_interval.compute_next_poll(
            now, cadence, current_pace, polling_interval.parse_cache_time(headers)
        ),
        "failures": 0,
        "problem": None,
        "held_until": None,
    }
    if pace is not None:
        values["etag"] = _check_header_value(headers.get("etag"))
        values["last_modified"] = _check_header_value(headers.get("last-modified"))
        values["pace"] = pace.to_json()
        values["read_at"] = now
    connection.execute(sa.update(feeds).where(feeds.c.id == due.feed.id).values(**values))


def record_failure(
    connection: Connection,
    due: Due,
    problem: str,
    *,
    now: datetime,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Store a failure. The wait doubles with each failure in a row, up to a day, and is at least the
    ``Retry-After`` of ``headers``. The next request is unconditional, because the validators may belong to a
    response that could not be parsed."""
    retry_after = (
        polling_interval.parse_retry_after(headers or {}, now) if status in RETRY_AFTER_STATUSES else None
    )
    before = connection.scalar(sa.select(feeds.c.failures).where(feeds.c.id == due.feed.id)) or 0
    values = {
        "asked_at": now,
        "due_at": now + compute_wait(before + 1, due.feed.interval_minutes, status, retry_after),
        "held_until": None if retry_after is None else now + retry_after,
        "failures": before + 1,
        "problem": problem[:_MAX_PROBLEM_CHARS],
        "etag": None,
        "last_modified": None,
    }
    connection.execute(sa.update(feeds).where(feeds.c.id == due.feed.id).values(**values))


def compute_wait(
    failures: int, interval_minutes: int, status: int | None = None, retry_after: timedelta | None = None
) -> timedelta:
    """Compute the wait after ``failures`` failures in a row. ``status`` and ``retry_after`` are those of the
    last response, if any."""
    if status == 410:
        return MAX_WAIT  # 410 Gone
    doubled = timedelta(minutes=interval_minutes * (1 << min(failures, 12)))
    minimum = THROTTLED_WAIT if status == 429 and retry_after is None else retry_after or timedelta()
    return min(max(doubled, minimum), MAX_WAIT)


def load_states(connection: Connection, ids: Collection[str]) -> list[FeedState]:
    """Load the stored states of these feeds by id; a feed that was never polled has none."""
    columns = [feeds.c[name] for name in FeedState.__slots__]
    rows = connection.execute(sa.select(*columns).where(feeds.c.id.in_(list(ids))).order_by(feeds.c.id))
    return [FeedState(**row._asdict()) for row in rows]


def _build_claim(due: Due, row: sa.Row[tuple[object, ...]] | None, now: datetime) -> dict[str, object]:
    is_same_url = row is not None and row.url == due.feed.url
    return {
        "id": due.feed.id,
        "url": due.feed.url,
        "etag": due.etag,
        "last_modified": due.last_modified,
        "asked_at": now,
        "answered_at": row.answered_at if row is not None and is_same_url else None,
        "due_at": now + CLAIM_DURATION,
        "failures": row.failures if row is not None and is_same_url else 0,
        "problem": row.problem if row is not None and is_same_url else None,
        "pace": row.pace if row is not None and is_same_url else None,
        "read_at": row.read_at if row is not None and is_same_url else None,
        "held_until": None,
    }


def _check_header_value(value: str | None) -> str | None:
    """Return ``value`` if it can be sent in a request unchanged, else None."""
    return value if value is not None and _HEADER_VALUE.fullmatch(value) else None
