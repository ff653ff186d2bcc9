"""Defines which stored prices, candles and totals are kept as they age. No I/O.

All points are kept for three hours, then the last of each five minutes up to two days, then none: half-hour
candles replace them. Half-hour candles are kept for 90 days, 4-hour candles for two years, daily candles for
ever. The newest point is always kept. Hourly totals of the market are kept for 30 days.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from backend.markets.candles.building import floor_to_slot

ALL_POINTS_PERIOD = timedelta(hours=3)
SAMPLED_POINTS_PERIOD = timedelta(hours=48)
SLOT_SECONDS = 300
CANDLE_RETENTION: Mapping[int, timedelta | None] = {
    1800: timedelta(days=90),
    14_400: timedelta(days=730),
    86_400: None,
}
"""Retention of candles by their length in seconds; None: for ever."""
TOTALS_RETENTION = timedelta(days=30)
"""Retention of the market's hourly totals: the longest span that is served."""

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """The start of each retention period at one moment; each start itself is kept.

    All points from ``all_points_from`` on are kept. Of those from ``sampled_points_from`` on, the last of
    each slot of ``slot_seconds`` is kept. Older ones expire. ``candles_from`` maps the length of candles in
    seconds to the start of their period, None: for ever.
    """

    all_points_from: datetime
    sampled_points_from: datetime
    slot_seconds: int
    candles_from: Mapping[int, datetime | None]


def compute_cutoffs(now: datetime) -> Cutoffs:
    """Compute the cutoffs at ``now``, aligned to slots, so that only complete slots are thinned."""
    return Cutoffs(
        all_points_from=floor_to_slot(now - ALL_POINTS_PERIOD, SLOT_SECONDS),
        sampled_points_from=floor_to_slot(now - SAMPLED_POINTS_PERIOD, SLOT_SECONDS),
        slot_seconds=SLOT_SECONDS,
        candles_from={
            seconds: None if retention is None else floor_to_slot(now - retention, seconds)
            for seconds, retention in CANDLE_RETENTION.items()
        },
    )


def select_kept(instants: Iterable[datetime], now: datetime) -> list[datetime]:
    """Select the ``instants`` of points that are kept at ``now``, ascending, without duplicates."""
    return select_kept_points(instants, now, at=lambda instant: instant)


def select_kept_points(points: Iterable[P], now: datetime, at: Callable[[P], datetime]) -> list[P]:
    """Like :func:`select_kept`, with ``at`` giving the time of a point. The last duplicate is kept."""
    by_time = {at(point): point for point in points}
    limits = compute_cutoffs(now)
    last_in_slot = {floor_to_slot(moment, limits.slot_seconds): moment for moment in sorted(by_time)}
    newest = max(by_time, default=None)
    return [
        by_time[moment]
        for moment in sorted(by_time)
        if moment >= limits.all_points_from
        or moment == newest
        or (
            moment >= limits.sampled_points_from
            and last_in_slot[floor_to_slot(moment, limits.slot_seconds)] == moment
        )
    ]


def select_expired(instants: Iterable[datetime], now: datetime) -> list[datetime]:
    """Select the ``instants`` that expire at ``now``, ascending."""
    all_instants = set(instants)
    return sorted(all_instants.difference(select_kept(all_instants, now)))
