"""Which stored prices and candles are kept as they grow old. Pure.

Every point for three hours, the last of each five minutes for two days, then none: by then the
half-hour candles tell it, which stay 90 days; 4-hour candles stay two years and daily ones for ever.
The newest point always stays.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from backend.markets.candles.building import align

EVERY_POINT_FOR = timedelta(hours=3)
SOME_POINTS_FOR = timedelta(hours=48)
SLOT_SECONDS = 300
CANDLES_FOR: Mapping[int, timedelta | None] = {
    1800: timedelta(days=90),
    14_400: timedelta(days=730),
    86_400: None,
}
"""How long candles of so many seconds stay; null is for ever."""

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """What is kept at one moment; each cutoff is itself kept.

    Points from ``every_from`` on stay, all of them; of those from ``some_from`` on the last of each
    slot of ``slot_seconds``; older ones go. ``candles_from`` is the same for candles by their length
    in seconds, null where they stay for ever.
    """

    every_from: datetime
    some_from: datetime
    slot_seconds: int
    candles_from: Mapping[int, datetime | None]


def cutoffs(now: datetime) -> Cutoffs:
    """The cutoffs at ``now``, on slot boundaries, so that no slot is thinned before it is complete."""
    return Cutoffs(
        every_from=align(now - EVERY_POINT_FOR, SLOT_SECONDS),
        some_from=align(now - SOME_POINTS_FOR, SLOT_SECONDS),
        slot_seconds=SLOT_SECONDS,
        candles_from={
            seconds: None if kept is None else align(now - kept, seconds)
            for seconds, kept in CANDLES_FOR.items()
        },
    )


def keep(instants: Iterable[datetime], now: datetime) -> list[datetime]:
    """Those of ``instants`` (when points were taken) that stay at ``now``, ascending, without repeats."""
    return keep_points(instants, now, at=lambda instant: instant)


def keep_points(points: Iterable[P], now: datetime, at: Callable[[P], datetime]) -> list[P]:
    """Like :func:`keep` for points of any kind; ``at`` tells a point's time. Of twins the last stays."""
    by_time = {at(point): point for point in points}
    limits = cutoffs(now)
    last_in_slot = {align(moment, limits.slot_seconds): moment for moment in sorted(by_time)}
    newest = max(by_time, default=None)
    return [
        by_time[moment]
        for moment in sorted(by_time)
        if moment >= limits.every_from
        or moment == newest
        or (moment >= limits.some_from and last_in_slot[align(moment, limits.slot_seconds)] == moment)
    ]


def drop(instants: Iterable[datetime], now: datetime) -> list[datetime]:
    """Those of ``instants`` that go at ``now``, ascending: what :func:`keep` does not keep."""
    every = set(instants)
    return sorted(every.difference(keep(every, now)))
