"""Several assets side by side: closes rebased to 100 and how their steps move together. Pure."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

MAX_ASSETS = 6
MIN_STEPS = 8
"""Fewer common steps than this say nothing about correlation, and none is given."""

Candles = Sequence[Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``index[id]`` is 100 × close / first close at each of ``times``; null where a candle is missing.

    The times are those at which every asset that has candles at all has begun, so that each line
    starts from 100 at the same moment. ``correlation[a][b]`` is Pearson's r of the logarithmic
    steps between neighbouring candles that both assets have, or null when it cannot be known.
    Drawing figures: floats, and no amount of money is read from them.
    """

    times: tuple[datetime, ...]
    index: Mapping[str, tuple[float | None, ...]]
    correlation: Mapping[str, Mapping[str, float | None]]
    without: tuple[str, ...]
    """Asked for, but there are no candles."""


def compare(series: Mapping[str, Candles]) -> Comparison:
    closes = {asset: _closes(candles) for asset, candles in series.items()}
    without = tuple(asset for asset, by_time in closes.items() if not by_time)
    known = {asset: by_time for asset, by_time in closes.items() if by_time}
    start = max((min(by_time) for by_time in known.values()), default=0)
    times = sorted({time for by_time in known.values() for time in by_time if time >= start})
    return Comparison(
        times=tuple(datetime.fromtimestamp(time / 1000, UTC) for time in times),
        index={asset: _rebased(by_time, times) for asset, by_time in known.items()},
        correlation={
            a: {b: 1.0 if a == b else _correlation(known[a], known[b], times) for b in known} for a in known
        },
        without=without,
    )


def _closes(candles: Candles) -> dict[int, float]:
    return {int(candle[0] or 0): candle[4] for candle in candles if candle[4] is not None and candle[4] > 0}


def _rebased(by_time: Mapping[int, float], times: Sequence[int]) -> tuple[float | None, ...]:
    base = next((by_time[time] for time in times if time in by_time), None)
    return tuple(
        None if base is None or time not in by_time else 100 * by_time[time] / base for time in times
    )


def _correlation(a: Mapping[int, float], b: Mapping[int, float], times: Sequence[int]) -> float | None:
    steps = [
        (math.log(a[now] / a[before]), math.log(b[now] / b[before]))
        for before, now in itertools.pairwise(times)
        if before in a and now in a and before in b and now in b
    ]
    if len(steps) < MIN_STEPS:
        return None
    n = len(steps)
    mean_a, mean_b = math.fsum(x for x, _ in steps) / n, math.fsum(y for _, y in steps) / n
    var_a = math.fsum((x - mean_a) ** 2 for x, _ in steps)
    var_b = math.fsum((y - mean_b) ** 2 for _, y in steps)
    if var_a <= 0 or var_b <= 0:
        return None  # a price that never moved has no correlation with anything
    joint = math.fsum((x - mean_a) * (y - mean_b) for x, y in steps)
    return max(-1.0, min(1.0, joint / math.sqrt(var_a) / math.sqrt(var_b)))
