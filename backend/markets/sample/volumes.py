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

    def last_24h_by_hour(self, first: int, last: int) -> Floats:
        """(last - first + 1, assets): :meth:`last_24h` at the hour marks, computed together."""
        hours = self._compute_hours(first - 24, last - 1)
        count = last - first + 1
        total = np.zeros((count, hours.shape[1]))
        for back in range(1, 25):
            total += hours[24 - back : 24 - back + count]
        return total

    def _compute_hour(self, hour: int) -> Floats:
        return np.asarray(self._compute_hours(hour, hour)[0], dtype=np.float64)

    def _compute_hours(self, first: int, last: int) -> Floats:
        """(last - first + 1, assets): USD traded in each hour."""
        hours = np.arange(first, last + 1, dtype=np.int64)
        starts = hours.astype(np.float64) * 3600
        price_move = np.abs(np.diff(self._paths.hourly(first, last + 1), axis=0))
        price_move += self._script.turbulence(starts)
        drawn = random_numbers.normal(self._paths.universe.keys, hours[:, None], Stream.VOLUME)
        traded = (
            self._typical_volume
            * (_FLOOR + price_move / self._scale) ** VOLUME_EXPONENT
            * np.exp(_NOISE_SD * drawn)
        )
        width = len(self._typical_volume)
        halted = np.stack([~np.isnan(self._paths.halted_since(np.full(width, start))) for start in starts])
        return np.where(halted, 0.0, traded)
