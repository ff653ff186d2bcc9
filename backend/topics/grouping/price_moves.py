"""Detects whether an entity's price moved by three standard deviations around a story.

A move is the price change within one hour. Its scale is the standard deviation σ of the asset's own hourly
changes in the week before, with a minimum at the noise of pegged coins. A move of 3σ or more, up or down,
within two hours of the story is large. Prices are the stored closed half-hour candles, so that the result for
a past story never changes.
"""

import statistics
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from backend.entities.model import Entity
from backend.markets.candles import price_history
from backend.markets.candles.building import floor_to_slot
from backend.markets.candles.price_history import HALF_HOUR_SECONDS
from backend.markets.configuration import SIGMA_PEGGED
from backend.store.database import Database

SIGMAS = 3
AROUND = timedelta(hours=2)
"""Maximum time between the story and the end of a move."""
BASELINE = timedelta(days=7)
"""Length of the period before that which determines σ."""
MIN_CHANGES = 24
"""Hourly changes that are required to determine σ."""
MIN_SIGMA = SIGMA_PEGGED / 100
MAX_ASSETS = 3
"""Assets of a story that are checked, most important first."""
_HOUR, _STEP = timedelta(hours=1), timedelta(seconds=HALF_HOUR_SECONDS)

Closes = Mapping[datetime, Decimal]
"""Prices by the closing time of the candle."""


class PriceMoves:
    """Implements :data:`backend.topics.grouping.categories.PriceMoveCheck` for one regrouping at ``now``.

    ``realm`` is the market's name for its candles. Candles of the sample market say nothing about real
    prices.
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
        known_entities = (self._entities[entity_id] for entity_id in entities if entity_id in self._entities)
        assets = [asset for entity in known_entities if (asset := entity.market_asset) is not None]
        return any(
            self._has_moved(asset, floor_to_slot(at, HALF_HOUR_SECONDS)) for asset in assets[:MAX_ASSETS]
        )

    def _has_moved(self, asset: str, at: datetime) -> bool:
        if (asset, at) not in self._known:
            self._known[asset, at] = is_large(self._load_closes(asset, at), at)
        return self._known[asset, at]

    def _load_closes(self, asset: str, at: datetime) -> Closes:
        first, last = at - AROUND - BASELINE - _HOUR - _STEP, min(at + AROUND, self._now)
        with self._database.read() as connection:
            candles = price_history.load_candles(
                connection, self._realm, asset, HALF_HOUR_SECONDS, first, last
            )
        closes = {candle.open_time + _STEP: candle.close for candle in candles if candle.close > 0}
        return {closed: price for closed, price in closes.items() if closed <= last}


def is_large(closes: Closes, at: datetime) -> bool:
    """True if a one-hour change within two hours of ``at`` (a half hour of the clock) reaches 3σ. False with
    too few prices."""
    begins = at - AROUND
    past = (_compute_change(closes, end) for end in _list_instants(begins - BASELINE, begins, _HOUR))
    usual = [change for change in past if change is not None]
    if len(usual) < MIN_CHANGES:
        return False
    sigma = max(statistics.stdev(usual), MIN_SIGMA)
    around = (_compute_change(closes, end) for end in _list_instants(begins, at + AROUND, _STEP))
    return any(change is not None and abs(change) >= SIGMAS * sigma for change in around)


def _compute_change(closes: Closes, end: datetime) -> Decimal | None:
    """Return the relative price change in the hour that ends at ``end``."""
    before, after = closes.get(end - _HOUR), closes.get(end)
    return None if before is None or after is None else after / before - 1


def _list_instants(first: datetime, last: datetime, step: timedelta) -> list[datetime]:
    """List the times from ``first`` to ``last``, both included."""
    return [first + step * number for number in range((last - first) // step + 1)]
