"""The sample market's own index of fear and greed, 0 to 100, from simulated figures alone.

Fifty plus what bitcoin's momentum adds (against a week ago and against its mean of thirty days),
less what an unusual volatility and money fleeing into bitcoin take away. Each part saturates, so
that none can fill the scale by itself.
"""

from datetime import UTC, datetime, timedelta

import numpy as np

from backend.markets.sample.market import SampleMarket

BANDS: tuple[tuple[int, str], ...] = (
    (20, "Extreme fear"),
    (40, "Fear"),
    (60, "Neutral"),
    (80, "Greed"),
    (101, "Extreme greed"),
)
"""Upper bound (exclusive) and word of each band of this index."""
_DAYS = 30
_WEEK = 168


def mood_at(market: SampleMarket, time: datetime) -> tuple[int, str, datetime]:
    """Value, word and the hour that both belong to."""
    hour = time.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    last = int(hour.timestamp() // 3600)
    closes = market.paths.hourly(last - 24 * _DAYS, last)[:, market.universe.index["bitcoin"]]
    returns = np.diff(closes)
    week, month = closes[-1] - closes[-1 - _WEEK], closes[-1] - closes.mean()
    unrest = np.log(returns[-_WEEK:].std() / returns.std())
    dominance = market.totals(hour)[2] - market.totals(hour - timedelta(days=7))[2]
    score = (
        50 + 17 * np.tanh(week / 0.10) + 15 * np.tanh(month / 0.14) - 12 * np.tanh(unrest / 0.6)
        - 8 * np.tanh(dominance / 0.03)
    )  # fmt: skip
    value = int(np.clip(round(float(score)), 1, 99))
    return value, next(word for bound, word in BANDS if value < bound), hour
