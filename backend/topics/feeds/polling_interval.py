"""Computes how often a feed may be polled, from hints in the feed and in the HTTP headers. No I/O.

A feed gives ``ttl`` (minutes that it may be cached), ``skipHours`` and ``skipDays`` (hours of the day in GMT,
and days of the week, without new entries), by RSS 2.0 of the RSS Advisory Board. Its host gives
``Cache-Control: max-age`` less ``Age`` (RFC 9111) and, with an error, ``Retry-After`` (RFC 9110 section
10.2.3). All hints are respected within bounds, so that a publisher's error cannot stop a feed for long.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import orjson
from lxml import etree

MAX_CACHE_TIME = timedelta(hours=6)
"""Limit on the time that a feed asks to be cached."""
MAX_WAIT = timedelta(hours=24)
"""Limit on skipped hours and days, and on ``Retry-After``."""
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age\s*=\s*\"?(\d{1,9})", re.IGNORECASE)
_UNCACHEABLE = re.compile(r"(?:^|[\s,])(?:no-cache|no-store)\b(?!\s*=)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PollingHints:
    """The polling hints of a feed. ``skip_hours`` are hours in GMT, ``skip_days`` days with Monday as 0.
    Hints that would skip every hour or every day are ignored."""

    ttl_minutes: int = 0
    skip_hours: frozenset[int] = frozenset()
    skip_days: frozenset[int] = frozenset()

    def to_json(self) -> str:
        """Return sorted JSON, so that equal hints have equal texts."""
        body = {"ttl": self.ttl_minutes, "hours": sorted(self.skip_hours), "days": sorted(self.skip_days)}
        return orjson.dumps(body).decode()

    @classmethod
    def from_json(cls, text: str | None) -> "PollingHints":
        if text is None:
            return NO_HINTS
        body = orjson.loads(text)
        return cls(body["ttl"], frozenset(body["hours"]), frozenset(body["days"]))


NO_HINTS = PollingHints()


def parse_polling_hints(root: etree._Element) -> PollingHints:
    """Parse the hints of a feed's channel; no hints if it is not RSS or has nothing usable."""
    channel = next(root.iterchildren("{*}channel"), None)
    if channel is None:
        return NO_HINTS
    ttl = _parse_number(channel.findtext("{*}ttl"), 10_000_000)
    hours = (_parse_number(hour.text, 24) for hour in channel.iterfind("{*}skipHours/{*}hour"))
    skipped = frozenset(hour % 24 for hour in hours if hour is not None)  # 24 was midnight in RSS 0.91
    day_names = ((day.text or "").strip().lower() for day in channel.iterfind("{*}skipDays/{*}day"))
    days = frozenset(_DAYS.index(day) for day in day_names if day in _DAYS)
    return PollingHints(
        ttl or 0,
        skipped if len(skipped) < 24 else frozenset(),
        days if len(days) < 7 else frozenset(),
    )


def parse_cache_time(headers: Mapping[str, str]) -> timedelta:
    """Return how long a response with these headers stays fresh; zero without such headers."""
    text_value = headers.get("cache-control", "")
    max_age_match = _MAX_AGE.search(text_value)
    if max_age_match is None or _UNCACHEABLE.search(text_value):
        return timedelta()
    age = _parse_number(headers.get("age"), 1_000_000_000) or 0
    return timedelta(seconds=max(0, int(max_age_match[1]) - age))


def parse_retry_after(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    """Parse ``Retry-After``, up to a day; None without a valid header."""
    text_value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text_value):
        return min(timedelta(seconds=int(text_value)), MAX_WAIT)
    try:
        moment = parsedate_to_datetime(text_value)
    except (ValueError, OverflowError):
        return None
    until = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return min(max(until - now, timedelta()), MAX_WAIT)


def compute_next_poll(
    now: datetime, cadence: timedelta, pace: PollingHints, cache_time: timedelta
) -> datetime:
    """Compute the next poll after a response at ``now``: after the feed's interval and the hints of the feed
    and its host, and outside of skipped hours and days."""
    text_value = min(max(timedelta(minutes=pace.ttl_minutes), cache_time), MAX_CACHE_TIME)
    due = now + max(cadence, text_value)
    latest = max(due, now + MAX_WAIT)
    while due < latest and (due.hour in pace.skip_hours or due.weekday() in pace.skip_days):
        due = due.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return min(due, latest)


def _parse_number(text: str | None, maximum: int) -> int | None:
    """Parse a whole number up to ``maximum``; None for anything else."""
    text_value = (text or "").strip()
    if not re.fullmatch(r"[0-9]{1,10}", text_value):
        return None
    return int(text_value) if int(text_value) <= maximum else None
