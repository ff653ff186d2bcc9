"""How often a feed may be asked: what it says itself, and what its host says. Pure.

A feed says it in ``ttl`` (minutes for which it may be kept), ``skipHours`` and ``skipDays`` (hours of the day
in GMT, and days of the week, in which nothing new comes), by RSS 2.0 of the RSS Advisory Board; its host in
``Cache-Control: max-age`` less ``Age`` (RFC 9111) and, refusing, in ``Retry-After`` (RFC 9110 section
10.2.3). All of it is obeyed within bounds, so that no slip of a publisher's silences a feed for long.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import orjson
from lxml import etree

LONGEST_KEPT = timedelta(hours=6)
"""However long a feed says that it may be kept."""
LONGEST_WAIT = timedelta(hours=24)
"""However long a feed skips, or a host asks to be left alone."""
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age\s*=\s*\"?(\d{1,9})", re.IGNORECASE)
_NEVER_KEPT = re.compile(r"(?:^|[\s,])(?:no-cache|no-store)\b(?!\s*=)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pace:
    """What a feed says of itself. ``skip_hours`` are hours in GMT, ``skip_days`` days with Monday as 0;
    what would leave no hour or day at all is not taken for meant."""

    ttl_minutes: int = 0
    skip_hours: frozenset[int] = frozenset()
    skip_days: frozenset[int] = frozenset()

    def to_json(self) -> str:
        """Sorted, so that one pace is one text."""
        body = {"ttl": self.ttl_minutes, "hours": sorted(self.skip_hours), "days": sorted(self.skip_days)}
        return orjson.dumps(body).decode()

    @classmethod
    def from_json(cls, text: str | None) -> "Pace":
        if text is None:
            return ANY_TIME
        body = orjson.loads(text)
        return cls(body["ttl"], frozenset(body["hours"]), frozenset(body["days"]))


ANY_TIME = Pace()


def pace_of(root: etree._Element) -> Pace:
    """What the channel of a feed says; nothing where it is no RSS or says nothing usable."""
    channel = next(root.iterchildren("{*}channel"), None)
    if channel is None:
        return ANY_TIME
    ttl = _number(channel.findtext("{*}ttl"), 10_000_000)
    hours = (_number(hour.text, 24) for hour in channel.iterfind("{*}skipHours/{*}hour"))
    skipped = frozenset(hour % 24 for hour in hours if hour is not None)  # 24 was midnight in RSS 0.91
    named = ((day.text or "").strip().lower() for day in channel.iterfind("{*}skipDays/{*}day"))
    days = frozenset(_DAYS.index(day) for day in named if day in _DAYS)
    return Pace(
        ttl or 0,
        skipped if len(skipped) < 24 else frozenset(),
        days if len(days) < 7 else frozenset(),
    )


def kept_for(headers: Mapping[str, str]) -> timedelta:
    """How long the answer with these headers stays as it is by its own word; nothing where it says none."""
    said = headers.get("cache-control", "")
    found = _MAX_AGE.search(said)
    if found is None or _NEVER_KEPT.search(said):
        return timedelta()
    age = _number(headers.get("age"), 1_000_000_000) or 0
    return timedelta(seconds=max(0, int(found[1]) - age))


def retry_after(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    """How long a refusing host asks to be left alone, up to a day; None where it does not say."""
    said = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", said):
        return min(timedelta(seconds=int(said)), LONGEST_WAIT)
    try:
        moment = parsedate_to_datetime(said)
    except (ValueError, OverflowError):
        return None
    until = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return min(max(until - now, timedelta()), LONGEST_WAIT)


def next_time(now: datetime, cadence: timedelta, pace: Pace, kept: timedelta) -> datetime:
    """When to ask again after an answer at ``now``: not before the cadence, nor before what the feed or its
    host said, nor in an hour or on a day that it skips."""
    said = min(max(timedelta(minutes=pace.ttl_minutes), kept), LONGEST_KEPT)
    due = now + max(cadence, said)
    latest = max(due, now + LONGEST_WAIT)
    while due < latest and (due.hour in pace.skip_hours or due.weekday() in pace.skip_days):
        due = due.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return min(due, latest)


def _number(text: str | None, most: int) -> int | None:
    """A whole number up to ``most``; None for anything else."""
    said = (text or "").strip()
    if not re.fullmatch(r"[0-9]{1,10}", said):
        return None
    return int(said) if int(said) <= most else None
