"""Whether the price of somebody whom a story tells of moved by three standard deviations around it.

A move is the change of price within one hour. What is usual is told by the asset's own hourly changes of the
week before: their standard deviation σ, though never less than what a pegged coin's noise makes. Three of
them or more, up or down, within two hours of the story is a large move. Prices are the closed half-hour
candles that the market stores, so the answer for a story of the past stays the same.
"""

import statistics
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from backend.entities.model import Entity
from backend.markets.candles import price_history
from backend.markets.candles.building import align
from backend.markets.candles.price_history import HALF_HOUR
from backend.markets.configuration import SIGMA_PEGGED
from backend.store.database import Database

SIGMAS = 3
AROUND = timedelta(hours=2)
"""How far before and after the story a move may end."""
USUAL = timedelta(days=7)
"""How long before that its usual changes are taken from."""
FEWEST_CHANGES = 24
"""Hourly changes that are needed to say what is usual."""
LEAST_SIGMA = SIGMA_PEGGED / 100
MOST_ASSETS = 3
"""Assets of a story that are looked at: those that it tells of most."""
_HOUR, _STEP = timedelta(hours=1), timedelta(seconds=HALF_HOUR)

Closes = Mapping[datetime, Decimal]
"""Prices by the instant at which a candle closed."""


class PriceMoves:
    """Answers as :data:`backend.topics.grouping.categories.Moved` does, for one regrouping at ``now``.

    ``realm`` is the name under which the market keeps its candles: those of the sample market tell nothing of
    the real one.
    """

    def __init__(
        self, database: Database, realm: str, entities: Mapping[str, Entity], *, now: datetime
    ) -> None:
        self._database = database
        self._realm = realm
        self._entities = entities
        self._now = now
        self._known: dict[tuple[str, datetime], bool] = {}

    def __call__(self, entities: Sequence[str], at: datetime) -> bool:
        named = (self._entities[one] for one in entities if one in self._entities)
        assets = [asset for entity in named if (asset := entity.market_asset) is not None]
        return any(self._moved(asset, align(at, HALF_HOUR)) for asset in assets[:MOST_ASSETS])

    def _moved(self, asset: str, at: datetime) -> bool:
        if (asset, at) not in self._known:
            self._known[asset, at] = is_large(self._closes(asset, at), at)
        return self._known[asset, at]

    def _closes(self, asset: str, at: datetime) -> Closes:
        first, last = at - AROUND - USUAL - _HOUR - _STEP, min(at + AROUND, self._now)
        with self._database.read() as connection:
            candles = price_history.candles_between(connection, self._realm, asset, HALF_HOUR, first, last)
        closes = {candle.open_time + _STEP: candle.close for candle in candles if candle.close > 0}
        return {closed: price for closed, price in closes.items() if closed <= last}


def is_large(closes: Closes, at: datetime) -> bool:
    """Whether a change of one hour within two of ``at`` (a half hour of the clock) is three times as large
    as is usual; False where too few prices are known to say."""
    begins = at - AROUND
    past = (_change(closes, end) for end in _instants(begins - USUAL, begins, _HOUR))
    usual = [change for change in past if change is not None]
    if len(usual) < FEWEST_CHANGES:
        return False
    sigma = max(statistics.stdev(usual), LEAST_SIGMA)
    around = (_change(closes, end) for end in _instants(begins, at + AROUND, _STEP))
    return any(change is not None and abs(change) >= SIGMAS * sigma for change in around)


def _change(closes: Closes, end: datetime) -> Decimal | None:
    """The share by which the price changed in the hour that ends at ``end``."""
    before, after = closes.get(end - _HOUR), closes.get(end)
    return None if before is None or after is None else after / before - 1


def _instants(first: datetime, last: datetime, step: timedelta) -> list[datetime]:
    """From ``first`` to ``last``, both included."""
    return [first + step * number for number in range((last - first) // step + 1)]
