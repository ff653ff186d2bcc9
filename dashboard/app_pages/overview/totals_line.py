"""Computes the lines of the market's past totals. No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Literal, NamedTuple

from dashboard.client.market_schemas import TotalsPoint
from dashboard.frame.formats import parse_decimal

TotalsFigure = Literal["market_cap", "volume_24h", "btc_market_cap_percentage"]
PERIOD = timedelta(days=7)
HOUR = timedelta(hours=1)
MIN_GAP = timedelta(minutes=90)
"""Points up to this far apart are connected, even across an hour without a point: hourly polls drift."""
MIN_SPACINGS = 8
GAP_SPACINGS = 1.5
"""So are points up to this many usual spacings (their median, if at least :data:`MIN_SPACINGS` are known)
apart: a small quota of calls makes polls rarer."""
MIN_RELATIVE_RANGE = 0.005
"""The height covers at least this share of the value, so that a steady figure looks steady."""


class LinePoint(NamedTuple):
    at: datetime
    value: Decimal


@dataclass(frozen=True, slots=True)
class TotalsLine:
    """The first, last, lowest and highest value of a figure, and its SVG path."""

    first: Decimal
    last: Decimal
    low: Decimal
    high: Decimal
    path: str


def build_line(
    points: Sequence[TotalsPoint], figure: TotalsFigure, now: datetime, width: int, height: int
) -> TotalsLine | None:
    """Builds the line of ``figure`` over the last seven days; ``None`` for fewer than two known values.

    Past values are at their times, so a history that is younger leaves the left part of the place empty.
    """
    known = [
        LinePoint(datetime.fromisoformat(point["at"]), value)
        for point in points
        if (value := parse_decimal(point[figure])) is not None
    ]
    end = max((now, *(point.at for point in known)))  # a provider's clock may be ahead
    shown = [point for point in known if point.at >= end - PERIOD]
    if len(shown) < 2:
        return None
    values = [point.value for point in shown]
    return TotalsLine(
        first=values[0],
        last=values[-1],
        low=min(values),
        high=max(values),
        path=_build_path(split_at_gaps(shown), end - PERIOD, width, height),
    )


def split_at_gaps(points: Sequence[LinePoint]) -> list[list[LinePoint]]:
    """Splits ascending points, one at most in each hour (UTC), where hours are missing."""
    segments: list[list[LinePoint]] = []
    spacings = sorted(later.at - earlier.at for earlier, later in pairwise(points))
    is_usual_known = len(spacings) >= MIN_SPACINGS
    longest = max(MIN_GAP, GAP_SPACINGS * spacings[len(spacings) // 2]) if is_usual_known else MIN_GAP
    for point in points:
        if segments and _is_next(segments[-1][-1].at, point.at, longest):
            segments[-1].append(point)
        else:
            segments.append([point])
    return segments


def _is_next(earlier: datetime, later: datetime, longest: timedelta) -> bool:
    return later - earlier <= longest or _floor_to_hour(later) - _floor_to_hour(earlier) <= HOUR


def _floor_to_hour(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def _build_path(segments: Sequence[Sequence[LinePoint]], start: datetime, width: int, height: int) -> str:
    """Builds a path with one part for each segment; a part of one point is drawn as a dot."""
    values = [float(point.value) for segment in segments for point in segment]  # for the screen only
    low, high = min(values), max(values)
    middle = (low + high) / 2
    scale = (height - 2) / max(high - low, MIN_RELATIVE_RANGE * middle, 1e-9)

    def place(point: LinePoint) -> str:
        x = width * ((point.at - start) / PERIOD)
        return f"{x:.1f} {height / 2 - (float(point.value) - middle) * scale:.1f}"

    parts = []
    for segment in segments:
        places = [place(point) for point in segment]
        parts.append("M" + "L".join(places if len(places) > 1 else places * 2))
    return "".join(parts)
