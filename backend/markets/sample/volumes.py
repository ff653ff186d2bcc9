"""Computes traded volume in USD, which rises with the square root of the price move as in real markets."""

import numpy as np

from backend.markets.sample import random_numbers
from backend.markets.sample.price_paths import LruCache, PricePaths
from backend.markets.sample.random_numbers import Floats, Stream
from backend.markets.sample.scenario import Script

VOLUME_EXPONENT = 0.5
_FLOOR = 0.12
"""Move, in hourly standard deviations, that determines the volume when the price stands still."""
_NOISE_SD = 0.55
_TYPICAL = 0.95
_MAX_CACHED_HOURS = 240


class Volumes:
    """Hourly volumes of a universe, a function of the paths and of hashed noise."""

    def __init__(self, paths: PricePaths, script: Script) -> None:
        self._paths = paths
        self._script = script
        universe = paths.universe
        anchor_cap = universe.supply * np.exp(universe.log_anchor)
        self._typical_volume = anchor_cap * universe.turnover / 24 / _TYPICAL
        self._scale = np.where(universe.pegged, 0.0002, universe.sigma)
        self._hours: LruCache[int, Floats] = LruCache(_MAX_CACHED_HOURS)

    def hour(self, hour: int) -> Floats:
        """(assets,): USD traded in the hour that begins ``hour`` hours after the Unix epoch."""
        return self._hours.get(hour, lambda: self._compute_hour(hour))

    def last_24h(self, seconds: float) -> Floats:
        """(assets,): USD traded in the 24 hours up to ``seconds`` (Unix), evenly within each hour."""
        hour, share = int(seconds // 3600), (seconds % 3600) / 3600
        full_hours = sum(
            (self.hour(hour - back) for back in range(1, 24)), start=np.zeros_like(self._typical_volume)
        )
        return np.asarray(
            full_hours + share * self.hour(hour) + (1 - share) * self.hour(hour - 24), dtype=np.float64
        )

    def _compute_hour(self, hour: int) -> Floats:
        ends = self._paths.hourly(hour, hour + 1)
        start = np.array([hour * 3600.0])
        price_move = np.abs(ends[1] - ends[0]) + self._script.turbulence(start)[0]
        drawn = random_numbers.normal(
            self._paths.universe.keys, np.array(hour, dtype=np.int64), Stream.VOLUME
        )
        traded = (
            self._typical_volume
            * (_FLOOR + price_move / self._scale) ** VOLUME_EXPONENT
            * np.exp(_NOISE_SD * drawn)
        )
        halted = ~np.isnan(self._paths.halted_since(np.full(len(self._typical_volume), start[0])))
        return np.where(halted, 0.0, traded)
