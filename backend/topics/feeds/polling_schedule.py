"""When each feed is asked again: cadence, conditions and back-off, shared by all processes."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.store.database import Database, upsert
from backend.topics.feeds import polling_interval
from backend.topics.feeds.feed_list import Feed
from backend.topics.feeds.polling_interval import ANY_TIME, Pace
from backend.topics.tables import feeds

CLAIM = timedelta(minutes=5)
"""How long a feed is left to the process that asks it; one that dies is followed by another then."""
EARLY = timedelta(seconds=15)
"""A feed counts as due so much before, since ticks of the clock come a little late."""
AHEAD = timedelta(minutes=1)
"""What was asked later than that after now was so by a clock that has been put back since."""
LONGEST_WAIT = polling_interval.LONGEST_WAIT
THROTTLED = timedelta(hours=1)
"""The least wait after a host said that it is asked too often, and not until when to wait."""
TELLING = frozenset({429, 503})
"""Statuses with which a host says when it may be asked again."""
DEAD_AFTER, DEAD_FAILURES = timedelta(days=2), 5
"""A feed is dead that failed so often in a row and has not answered for so long."""
CLAIM_LOCK = 0x43_50_46_44  # "CPFD": any number that nothing else locks on
_SENDABLE = re.compile(r"[\x21-\x7e][\x20-\x7e]{0,510}")
_LONGEST_PROBLEM = 300


@dataclass(frozen=True, slots=True)
class Due:
    """A feed that this process is to ask, with the conditions that its last answer gave, and the pace."""

    feed: Feed
    etag: str | None = None
    last_modified: str | None = None
    pace: Pace = ANY_TIME

    @property
    def conditions(self) -> dict[str, str]:
        given = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in given.items() if value}


@dataclass(frozen=True, slots=True)
class FeedState:
    """What is stored of a feed. ``failures`` in a row since it last answered."""

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
    database: Database, configured: Sequence[Feed], *, now: datetime, all_of_them: bool = False
) -> list[Due]:
    """The feeds whose time has come (or ``all_of_them``), which no other process asks meanwhile.

    A feed with another address than last time is asked at once, and whole. One whose host asked to be left
    alone is not asked before that is over, by nobody.
    """
    with database.write() as connection:  # on SQLite BEGIN IMMEDIATE is the lock
        if not database.is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(CLAIM_LOCK)))
        stored = {row.id: row for row in connection.execute(sa.select(feeds))}
        found = []
        for feed in configured:
            row = stored.get(feed.id)
            if row is None or row.url != feed.url:
                found.append(Due(feed))
            elif row.asked_at is not None and row.asked_at > now + AHEAD:
                found.append(Due(feed, row.etag, row.last_modified, Pace.from_json(row.pace)))
            elif row.held_until is not None and row.held_until > now:
                continue
            elif all_of_them or row.due_at <= now + EARLY:
                found.append(Due(feed, row.etag, row.last_modified, Pace.from_json(row.pace)))
        upsert(connection, feeds, [_claimed(due, stored.get(due.feed.id), now) for due in found])
    return found


def answered(
    connection: Connection, due: Due, headers: Mapping[str, str], *, now: datetime, pace: Pace | None = None
) -> None:
    """Note an answer with its headers. ``pace`` is that of a whole one, whose headers give the next
    conditions; None where nothing had changed."""
    cadence = timedelta(minutes=due.feed.cadence_minutes)
    known = due.pace if pace is None else pace
    values = {
        "asked_at": now,
        "answered_at": now,
        "due_at": polling_interval.next_time(now, cadence, known, polling_interval.kept_for(headers)),
        "failures": 0,
        "problem": None,
        "held_until": None,
    }
    if pace is not None:
        values["etag"] = _sendable(headers.get("etag"))
        values["last_modified"] = _sendable(headers.get("last-modified"))
        values["pace"] = pace.to_json()
        values["read_at"] = now
    connection.execute(sa.update(feeds).where(feeds.c.id == due.feed.id).values(**values))


def failed(
    connection: Connection,
    due: Due,
    problem: str,
    *,
    now: datetime,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Note a failure: the wait doubles with each one in a row, up to a day, and is at least as long as the
    host asks in ``headers``. The next request is whole, since what the conditions stand for may be what
    could not be read."""
    told = polling_interval.retry_after(headers or {}, now) if status in TELLING else None
    before = connection.scalar(sa.select(feeds.c.failures).where(feeds.c.id == due.feed.id)) or 0
    values = {
        "asked_at": now,
        "due_at": now + wait_after(before + 1, due.feed.cadence_minutes, status, told),
        "held_until": None if told is None else now + told,
        "failures": before + 1,
        "problem": problem[:_LONGEST_PROBLEM],
        "etag": None,
        "last_modified": None,
    }
    connection.execute(sa.update(feeds).where(feeds.c.id == due.feed.id).values(**values))


def wait_after(
    failures: int, cadence_minutes: int, status: int | None = None, told: timedelta | None = None
) -> timedelta:
    """How long a feed is left alone after so many failures in a row, the last with an HTTP ``status`` and
    perhaps with the host's own word on it."""
    if status == 410:
        return LONGEST_WAIT  # gone, as the host itself says
    doubled = timedelta(minutes=cadence_minutes * (1 << min(failures, 12)))
    least = THROTTLED if status == 429 and told is None else told or timedelta()
    return min(max(doubled, least), LONGEST_WAIT)


def states(connection: Connection, ids: Collection[str]) -> list[FeedState]:
    """What is stored of these feeds, by id; of one that was never asked there is nothing."""
    columns = [feeds.c[name] for name in FeedState.__slots__]
    rows = connection.execute(sa.select(*columns).where(feeds.c.id.in_(list(ids))).order_by(feeds.c.id))
    return [FeedState(**row._asdict()) for row in rows]


def _claimed(due: Due, row: sa.Row[tuple[object, ...]] | None, now: datetime) -> dict[str, object]:
    same = row is not None and row.url == due.feed.url
    return {
        "id": due.feed.id,
        "url": due.feed.url,
        "etag": due.etag,
        "last_modified": due.last_modified,
        "asked_at": now,
        "answered_at": row.answered_at if row is not None and same else None,
        "due_at": now + CLAIM,
        "failures": row.failures if row is not None and same else 0,
        "problem": row.problem if row is not None and same else None,
        "pace": row.pace if row is not None and same else None,
        "read_at": row.read_at if row is not None and same else None,
        "held_until": None,
    }


def _sendable(value: str | None) -> str | None:
    """``value`` if it can go into a request as it is."""
    return value if value is not None and _SENDABLE.fullmatch(value) else None
