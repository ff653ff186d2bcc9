"""Applies the scripted events to prices: shapes over the cycle, with a strength for each asset.

The scripted log offset of an asset is the sum of shapes, functions of time alone, times the asset's
coefficients. Every shape is zero at both ends of the cycle, so that cycles join. The crash has the
proportions of 2025-10-10 on one venue (bitcoin: wick -11.5 %, close -0.9 %; median alt: -62 %, -18.5 %), the
depeg those of a large stablecoin in March 2023.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from backend.markets.sample.calibration import EventAssets
from backend.markets.sample.event_schedule import (
    COLLAPSE_HOURS,
    COLLAPSE_START,
    CRASH_HOUR,
    CYCLE_HOURS,
    DAY,
    DEPEG_HOURS,
    DEPEG_START,
    EPOCH_SECONDS,
)
from backend.markets.sample.random_numbers import Floats
from backend.markets.sample.universe import Universe

Points = Sequence[tuple[float, float]]

VOLATILITY: Points = (
    (0, 0.62), (6.5 * DAY, 0.62), (7.5 * DAY, 0.85), (CRASH_HOUR - 2, 0.9), (CRASH_HOUR - 1, 1.6),
    (CRASH_HOUR, 0.25), (CRASH_HOUR + 0.99, 0.25), (CRASH_HOUR + 1, 2.4), (CRASH_HOUR + 12, 1.9),
    (19 * DAY, 1.4), (24 * DAY, 0.95), (28 * DAY, 0.75), (CYCLE_HOURS, 0.62),
)  # fmt: skip
"""Factor on the volatility. In the crash hour the script dominates and ordinary noise is small."""

_TREND: Points = (
    (7 * DAY, 0), (8.5 * DAY, 0.3), (9.5 * DAY, 0.18), (11 * DAY, 0.6), (12 * DAY, 0.5), (14.5 * DAY, 1.0),
    (CRASH_HOUR, 0.94), (CRASH_HOUR + 1, 0.94), (CRASH_HOUR + 30, 0.55), (18.5 * DAY, 0.72),
    (20 * DAY, 0.5), (22 * DAY, 0.65), (24.5 * DAY, 0.3), (26 * DAY, 0.38), (29.5 * DAY, 0),
)  # fmt: skip
_STEP = 1 / 12
_WICK: Points = tuple(
    (CRASH_HOUR + step * _STEP, depth)
    for step, depth in enumerate((0, 0.04, 0.02, 0.17, 0.29, 0.66, 1.0, 0.58, 0.69, 0.38, 0.24, 0.27, 0))
)
_CLOSE: Points = (
    *((CRASH_HOUR + step * _STEP, min(1.0, step / 6)) for step in range(13)),
    (CRASH_HOUR + 20, 0.78), (18 * DAY, 0.62), (21 * DAY, 0.3), (25 * DAY, 0.12), (29 * DAY, 0),
)  # fmt: skip
_DEPEG: Points = tuple(
    (DEPEG_START + hour, share)
    for hour, share in (
        (0, 0), (3, 0.05), (6, 0.3), (8, 0.42), (10, 0.93), (10.5, 1.0), (11, 0.97), (14, 0.68), (20, 0.74),
        (30, 0.52), (38, 0.55), (48, 0.3), (58, 0.09), (66, 0.04), (DEPEG_HOURS, 0),
    )
)  # fmt: skip
_COLLAPSE: Points = tuple(
    (COLLAPSE_START + hour, share)
    for hour, share in (
        (0, 0), (10, 0.01), (18, 0.14), (26, 0.06), (40, 0.24), (52, 0.55), (60, 0.42), (76, 0.8), (96, 1.0),
        (180, 0.95), (300, 1.0), (440, 0.97), (470, 0.8), (490, 0.4), (505, 0.08), (COLLAPSE_HOURS, 0),
    )
)  # fmt: skip
DEPEG_LOW, COLLAPSE_LOW = 0.877, 0.1
_NOISE_FACTORS = {"depeg": 30.0, "collapse": 600.0}
"""Factor on a peg's own noise while it falls; a third of it at the bottom."""


def cycle_hours(seconds: Floats) -> Floats:
    """Convert instants (Unix seconds) to hours since the start of their cycle."""
    return np.asarray(np.mod((seconds - EPOCH_SECONDS) / 3600, CYCLE_HOURS), dtype=np.float64)


def _interpolate_shape(points: Points, cycle_hour: Floats) -> Floats:
    hours, values = zip(*points, strict=True)
    return np.asarray(np.interp(cycle_hour, hours, values), dtype=np.float64)


def volatility(seconds: Floats) -> Floats:
    """Factor on the hourly volatility, with a mean square of one over the cycle."""
    return np.asarray(_interpolate_shape(VOLATILITY, cycle_hours(seconds)) / _RMS, dtype=np.float64)


class Script:
    """The scripted log offset of every asset of one universe."""

    def __init__(self, event_assets: EventAssets, universe: Universe) -> None:
        self._universe = universe
        bottom = universe.wick - universe.close
        self._shapes: list[tuple[Points, Floats]] = [
            (_TREND, universe.trend),
            (_CLOSE, universe.close),
            (_WICK, bottom),
        ]
        self._declines: list[tuple[Points, int, float, float]] = []
        for name, points, asset_id, low in (
            ("depeg", _DEPEG, event_assets.depeg, DEPEG_LOW),
            ("collapse", _COLLAPSE, event_assets.collapse, COLLAPSE_LOW),
        ):
            column = universe.index.get(asset_id)
            if column is not None and universe.base[column] < 0:
                self._declines.append((points, column, float(np.log(low)), _NOISE_FACTORS[name]))

    def apply(self, base: Floats, seconds: Floats) -> Floats:
        """``base`` (instants, assets) of unscripted log prices, with the script's moves added."""
        cycle_hour = cycle_hours(seconds)
        result = base.copy()
        for points, strength in self._shapes:
            shape = _interpolate_shape(points, cycle_hour)
            if shape.any():
                result += shape[:, None] * strength
        for points, column, depth, noise_factor in self._declines:
            shape = _interpolate_shape(points, cycle_hour)
            if shape.any():
                anchor = self._universe.log_anchor[column]
                noise = base[:, column] - anchor
                result[:, column] = (
                    anchor + depth * shape + noise * (1 + noise_factor * shape * (1.1 - shape))
                )
        return result

    def turbulence(self, hours_seconds: Floats) -> Floats:
        """(hours, assets): log depth of the wick within each hour, which increases the volume."""
        middle = _interpolate_shape(_WICK, cycle_hours(hours_seconds + 1800))
        return np.asarray(middle[:, None] * np.abs(self._universe.wick), dtype=np.float64)


def _compute_rms() -> float:
    hours: npt.NDArray[np.float64] = np.arange(CYCLE_HOURS, dtype=np.float64)
    return float(np.sqrt(np.mean(_interpolate_shape(VOLATILITY, hours) ** 2)))


_RMS = _compute_rms()
