"""Computes the sample market's fear and greed index, 0 to 100, from simulated figures alone.

The index is fifty, plus bitcoin's momentum (against a week ago and against its mean of thirty days), minus
unusual volatility and a rising share of bitcoin. Each part saturates, so that none fills the scale alone.
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
"""Exclusive upper bound and label of each band of this index."""
_DAYS = 30
_WEEK = 168


def compute_fear_greed(market: SampleMarket, time: datetime) -> tuple[int, str, datetime]:
    """Compute the value, its label, and the hour of both."""
    hour = time.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    last = int(hour.timestamp() // 3600)
    closes = market.paths.hourly(last - 24 * _DAYS, last)[:, market.universe.index["bitcoin"]]
    returns = np.diff(closes)
    week, month = closes[-1] - closes[-1 - _WEEK], closes[-1] - closes.mean()
    unrest = np.log(returns[-_WEEK:].std() / returns.std())
    dominance = market.totals(hour).btc_share - market.totals(hour - timedelta(days=7)).btc_share
    score = (
        50 + 17 * np.tanh(week / 0.10) + 15 * np.tanh(month / 0.14) - 12 * np.tanh(unrest / 0.6)
        - 8 * np.tanh(dominance / 0.03)
    )  # fmt: skip
    value = int(np.clip(round(float(score)), 1, 99))
    return value, next(word for bound, word in BANDS if value < bound), hour
