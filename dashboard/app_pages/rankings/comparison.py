"""Several assets side by side: closes rebased to 100 and how their steps move together. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import pandas as pd

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
    known = {asset: by_time for asset, by_time in closes.items() if by_time}
    without = tuple(asset for asset in closes if asset not in known)
    if not known:
        return Comparison((), {}, {}, without)
    table = pd.DataFrame(known).sort_index().loc[max(map(min, known.values())) :]
    index = 100 * table / table.bfill().iloc[0]
    correlation = np.log(table).diff().corr(min_periods=MIN_STEPS)
    return Comparison(
        times=tuple(datetime.fromtimestamp(time / 1000, UTC) for time in table.index),
        index={asset: tuple(map(_or_null, index[asset])) for asset in known},
        correlation={a: {b: 1.0 if a == b else _or_null(correlation.at[a, b]) for b in known} for a in known},
        without=without,
    )


def _closes(candles: Candles) -> dict[int, float]:
    return {int(candle[0] or 0): candle[4] for candle in candles if candle[4] is not None and candle[4] > 0}


def _or_null(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
