"""Computes the sparkline of a total of the market: its path, its extremes and its span. No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Literal, NamedTuple

from dashboard.client.market_schemas import TotalsPoint
from dashboard.frame.formats import parse_decimal

TotalsField = Literal["market_cap", "volume_24h", "btc_market_cap_percentage"]
SpanUnit = Literal["minutes", "hours", "days"]
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
PERIOD = timedelta(days=7)
"""The width of a sparkline."""
MAX_HOURLY_SPACING = timedelta(minutes=90)
"""Points up to this far apart are connected, even across an hour without a point: hourly polls drift."""
MIN_KNOWN_SPACINGS = 8
MAX_SPACING_RATIO = 1.5
"""Points are also connected up to this multiple of their median spacing, if at least
:data:`MIN_KNOWN_SPACINGS` are known: a small quota of calls makes polls rarer."""
MIN_RELATIVE_RANGE = 0.005
"""The height covers at least this share of the value, so that a steady figure looks steady."""


class FieldValue(NamedTuple):
    at: datetime
    value: Decimal


class RoundedSpan(NamedTuple):
    number: int
    unit: SpanUnit


@dataclass(frozen=True, slots=True)
class SparklineData:
    """The SVG path of a field, its first, last, lowest and highest value, and the span from the first to now.

    ``until`` is the time of the last value if values are missing after it. ``has_gaps`` tells that values are
    missing between the first and the last one.
    """

    first: Decimal
    last: Decimal
    low: Decimal
    high: Decimal
    span: RoundedSpan
    until: datetime | None
    has_gaps: bool
    path: str


def compute_sparkline(
    points: Sequence[TotalsPoint], field: TotalsField, now: datetime, width: int, height: int
) -> SparklineData | None:
    """Computes the sparkline of ``field`` over the last seven days; ``None`` for fewer than two values.

    Past values are at their times, so a younger history leaves the left part empty.
    """
    known = [
        FieldValue(datetime.fromisoformat(point["at"]), value)
        for point in points
        if (value := parse_decimal(point[field])) is not None
    ]
    end = max((now, *(point.at for point in known)))  # a provider's clock may be ahead
    shown = [point for point in known if point.at >= end - PERIOD]
    if len(shown) < 2:
        return None
    max_spacing = find_max_spacing(shown)
    segments = split_at_gaps(shown, max_spacing)
    is_complete = are_connected(end - PERIOD, shown[0].at, max_spacing)
    is_current = are_connected(shown[-1].at, end, max_spacing)
    values = [point.value for point in shown]
    return SparklineData(
        first=values[0],
        last=values[-1],
        low=min(values),
        high=max(values),
        span=round_span(PERIOD if is_complete else end - shown[0].at),
        until=None if is_current else shown[-1].at,
        has_gaps=len(segments) > 1,
        path=_build_path(segments, end - PERIOD, width, height),
    )


def round_span(span: timedelta) -> RoundedSpan:
    """Rounds to minutes up to 59, to hours up to 47, else to days.

    A span below :data:`PERIOD` is never rounded up to it.
    """
    minutes, hours, days = (_round_half_up(span, unit) for unit in (MINUTE, HOUR, DAY))
    if minutes < HOUR // MINUTE:
        return RoundedSpan(max(1, minutes), "minutes")
    if hours < 2 * DAY // HOUR:
        return RoundedSpan(hours, "hours")
    return RoundedSpan(PERIOD.days if span >= PERIOD else min(days, PERIOD.days - 1), "days")


def find_max_spacing(points: Sequence[FieldValue]) -> timedelta:
    """Finds how far apart connected points may be; see :data:`MAX_SPACING_RATIO`."""
    spacings = sorted(later.at - earlier.at for earlier, later in pairwise(points))
    if len(spacings) < MIN_KNOWN_SPACINGS:
        return MAX_HOURLY_SPACING
    return max(MAX_HOURLY_SPACING, MAX_SPACING_RATIO * spacings[len(spacings) // 2])


def split_at_gaps(points: Sequence[FieldValue], max_spacing: timedelta) -> list[list[FieldValue]]:
    """Splits ascending points, one at most in each hour (UTC), where hours are missing."""
    segments: list[list[FieldValue]] = []
    for point in points:
        if segments and are_connected(segments[-1][-1].at, point.at, max_spacing):
            segments[-1].append(point)
        else:
            segments.append([point])
    return segments


def are_connected(earlier: datetime, later: datetime, max_spacing: timedelta) -> bool:
    """True if no hour is missing between two times."""
    return later - earlier <= max_spacing or _floor_to_hour(later) - _floor_to_hour(earlier) <= HOUR


def _round_half_up(span: timedelta, unit: timedelta) -> int:
    return (span + unit / 2) // unit


def _floor_to_hour(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def _build_path(segments: Sequence[Sequence[FieldValue]], start: datetime, width: int, height: int) -> str:
    """Builds a path with one part for each segment; a part of one point is drawn as a dot."""
    values = [float(point.value) for segment in segments for point in segment]  # for the screen only
    low, high = min(values), max(values)
    middle = (low + high) / 2
    scale = (height - 2) / max(high - low, MIN_RELATIVE_RANGE * middle, 1e-9)

    def format_coordinates(point: FieldValue) -> str:
        x = width * ((point.at - start) / PERIOD)
        return f"{x:.1f} {height / 2 - (float(point.value) - middle) * scale:.1f}"

    parts = []
    for segment in segments:
        coordinates = [format_coordinates(point) for point in segment]
        parts.append("M" + "L".join(coordinates if len(coordinates) > 1 else coordinates * 2))
    return "".join(parts)
