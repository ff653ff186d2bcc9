"""Defines when the sample market shows each scripted event, in a repeating cycle of thirty days.

Cycles count from :data:`EPOCH`, independent of the seed. Offsets are hours from the start of the cycle. An
event may continue into the next cycle.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import numpy as np

from backend.markets.provider_names import SAMPLE_PROVIDERS
from backend.markets.sample.calibration import EventAssets
from backend.markets.sample.random_numbers import Floats

EPOCH = datetime(2024, 1, 1, tzinfo=UTC)
EPOCH_SECONDS = EPOCH.timestamp()
CYCLE_HOURS = 720
DAY = 24

CRASH_HOUR = 15 * DAY + 21
DEPEG_START, DEPEG_HOURS = 18 * DAY, 72
COLLAPSE_START, COLLAPSE_HOURS = 8 * DAY, 516
LISTED_DAYS = 6
VIEW_A, VIEW_B = SAMPLE_PROVIDERS


def unix_seconds(time: datetime) -> float:
    """Convert to seconds since the Unix epoch. Raises :class:`ValueError` without a time zone."""
    if time.tzinfo is None:
        raise ValueError(f"The instant {time.isoformat()} needs a time zone.")
    return time.timestamp()


class EventKind(StrEnum):
    """Phases of the market, then events of single assets, then events of providers."""

    CALM = "calm"
    TREND = "trend"
    CRASH = "crash"
    RECOVERY = "recovery"
    RANGE = "range"
    DEPEG = "depeg"
    COLLAPSE = "collapse"
    LISTING = "listing"
    HALT = "halt"
    DIVERGENCE = "divergence"
    CONFLICT = "conflict"
    LAG = "lag"
    OUTAGE = "outage"
    THROTTLE = "throttle"


@dataclass(frozen=True, slots=True)
class Event:
    """One event in [starts, ends): ``assets`` are ids, ``provider`` is the name of a view."""

    kind: EventKind
    starts: datetime
    ends: datetime
    summary: str
    assets: tuple[str, ...] = ()
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """A recurring event: it starts at ``start``, lasts ``hours``, and repeats every ``every`` hours."""

    kind: EventKind
    start: float
    hours: float
    summary: str
    assets: tuple[str, ...] = ()
    provider: str | None = None
    every: int = CYCLE_HOURS

    def occurrence(self, number: int) -> Event:
        starts = EPOCH + timedelta(hours=self.start + number * self.every)
        ends = starts + timedelta(hours=self.hours)
        return Event(self.kind, starts, ends, self.summary, self.assets, self.provider)

    def number_at(self, time: datetime) -> int:
        """The number of the last occurrence that started by ``time``."""
        return (time - EPOCH - timedelta(hours=self.start)) // timedelta(hours=self.every)

    def started(self, seconds: Floats) -> Floats:
        """Start of the occurrence that contains each instant, in Unix seconds; NaN outside of all."""
        first = EPOCH_SECONDS + 3600 * self.start
        since = np.mod(seconds - first, 3600 * self.every)
        return np.where(since < 3600 * self.hours, seconds - since, np.nan)

    def at(self, time: datetime) -> Iterator[Event]:
        """Yield the occurrences at ``time``; a window longer than its period can overlap itself."""
        last = self.number_at(time)
        for number in (last - 1, last):
            event = self.occurrence(number)
            if event.starts <= time < event.ends:
                yield event


def build_windows(event_assets: EventAssets) -> tuple[Window, ...]:
    """Build the whole schedule, in the order of :class:`EventKind`."""
    kind = EventKind
    halted, divergent, conflicting = event_assets.halted, event_assets.divergent, event_assets.conflicting
    return (
        Window(kind.CALM, 0, 7 * DAY, "A calm week: little volatility."),
        Window(kind.TREND, 7 * DAY, CRASH_HOUR - 7 * DAY, "The market climbs."),
        Window(kind.CRASH, CRASH_HOUR, 1, "One hour: alts fall by well over half and regain most of it."),
        Window(kind.RECOVERY, CRASH_HOUR + 1, 23 * DAY - CRASH_HOUR - 1, "High volatility, alts recover."),
        Window(kind.RANGE, 23 * DAY, 7 * DAY, "The market moves sideways and quietens."),
        Window(
            kind.DEPEG,
            DEPEG_START,
            DEPEG_HOURS,
            "A stablecoin falls to 0.877 and returns.",
            (event_assets.depeg,),
        ),
        Window(
            kind.COLLAPSE,
            COLLAPSE_START,
            COLLAPSE_HOURS,
            "An algorithmic coin falls to 0.1.",
            (event_assets.collapse,),
        ),
        Window(kind.LISTING, 0, DAY, "Listed six days ago.", (event_assets.listing,), every=DAY),
        # The two daily halts overlap by an hour at both ends. So one of the two assets is always frozen,
        # and neither so long that its price is withdrawn.
        Window(kind.HALT, 0, 13, "Trading is halted until the afternoon.", (halted[0],), every=DAY),
        Window(kind.HALT, 12, 13, "Trading is halted until the night.", (halted[1],), every=DAY),
        Window(kind.HALT, 5 * DAY, 4 * DAY, "Trading is suspended for days.", (event_assets.suspended,)),
        # The three divergences overlap too, so one asset is always divergent.
        *(
            Window(kind.DIVERGENCE, n * 10 * DAY, 10 * DAY + 12, "The two views disagree.", (asset,))
            for n, asset in enumerate(divergent)
        ),
        Window(kind.CONFLICT, 2 * DAY + 12, 5 * DAY, "The two views are in conflict.", (conflicting[0],)),
        Window(kind.CONFLICT, 17 * DAY, 6 * DAY, "The two views are in conflict.", (conflicting[1],)),
        Window(kind.LAG, DAY, 28 * DAY, "One view is 40 minutes behind.", (event_assets.lagging,), VIEW_B),
        Window(kind.OUTAGE, 4 * DAY + 4, 0.75, "The first view does not answer.", provider=VIEW_A),
        Window(kind.OUTAGE, 12 * DAY + 12, 0.75, "The second view does not answer.", provider=VIEW_B),
        # Outages of the two views never overlap: a service first started then would have no prices.
        Window(kind.OUTAGE, 24 * DAY + 14, 0.5, "The first view does not answer.", provider=VIEW_A),
        Window(kind.OUTAGE, 24 * DAY + 15, 0.5, "The second view does not answer.", provider=VIEW_B),
        Window(kind.THROTTLE, 9.5, 0.1, "The second view throttles its caller.", provider=VIEW_B, every=DAY),
    )


class Schedule:
    """The event windows for one set of assets. Instants have time zones."""

    def __init__(self, event_assets: EventAssets) -> None:
        self.event_assets = event_assets
        self.windows = build_windows(event_assets)

    def active(self, kind: EventKind, time: datetime, provider: str | None = None) -> Sequence[Event]:
        """List the events of ``kind`` at ``time``, of one provider if given."""
        return [
            event
            for window in self.windows
            if window.kind is kind and (provider is None or window.provider == provider)
            for event in window.at(time)
        ]

    def listed_at(self, time: datetime) -> datetime:
        """The listing time of the newly listed asset as seen at ``time``: midnight six days before."""
        midnight = time.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight - timedelta(days=LISTED_DAYS)
