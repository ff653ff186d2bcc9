"""Compares several assets: closes rebased to 100, volatilities, drawdowns and correlations. No I/O."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import pandas as pd

MIN_STEPS = 8
"""Below this number of steps, no volatility is computed; below it in common, no correlation."""
DAY_MS = 86_400_000

Candles = Sequence[Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``index[id]`` is 100 × close / first close at each of ``times``; ``None`` for a missing candle.

    The times begin when every asset with candles has its first one, so all lines start from 100 at
    the same moment. ``correlation[a][b]`` is Pearson's r of the logarithmic steps between
    neighbouring candles that both assets have; ``None`` if it cannot be computed. ``volatility`` is the
    sample standard deviation of an asset's steps, scaled to a day by the square root of time, and
    ``drawdown`` the largest fall of the close below an earlier one; both are percentages. All figures
    are floats for charts, not amounts of money.
    """

    times: tuple[datetime, ...]
    index: Mapping[str, tuple[float | None, ...]]
    correlation: Mapping[str, Mapping[str, float | None]]
    volatility: Mapping[str, float | None]
    drawdown: Mapping[str, float | None]
    without_candles: tuple[str, ...]
    """Ids of assets without_candles candles."""


def compare_assets(series: Mapping[str, Candles], step_ms: int) -> Comparison:
    """Compares assets by their candles, which are ``step_ms`` long."""
    closes = {asset: _read_closes(candles) for asset, candles in series.items()}
    available_closes = {asset: by_time for asset, by_time in closes.items() if by_time}
    without_candles = tuple(asset for asset in closes if asset not in available_closes)
    if not available_closes:
        return Comparison((), {}, {}, {}, {}, without_candles)
    table = pd.DataFrame(available_closes).sort_index().loc[max(map(min, available_closes.values())) :]
    index = 100 * table / table.bfill().iloc[0]
    steps = np.log(table).diff()
    correlation = steps.corr(min_periods=MIN_STEPS)
    volatility = 100 * steps.std().where(steps.count() >= MIN_STEPS) * math.sqrt(DAY_MS / step_ms)
    drawdown = 100 * (table / table.cummax() - 1).min()
    return Comparison(
        times=tuple(datetime.fromtimestamp(time / 1000, UTC) for time in table.index),
        index={asset: tuple(map(_nan_to_none, index[asset])) for asset in available_closes},
        correlation={
            a: {b: 1.0 if a == b else _nan_to_none(correlation.at[a, b]) for b in available_closes}
            for a in available_closes
        },
        volatility={asset: _nan_to_none(volatility[asset]) for asset in available_closes},
        drawdown={asset: _nan_to_none(drawdown[asset]) for asset in available_closes},
        without_candles=without_candles,
    )


def _read_closes(candles: Candles) -> dict[int, float]:
    return {int(candle[0] or 0): candle[4] for candle in candles if candle[4] is not None and candle[4] > 0}


def _nan_to_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
