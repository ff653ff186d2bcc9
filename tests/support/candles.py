"""Candles folded out of polls, as the store grows them."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from backend.markets.candles.building import add_price
from backend.markets.model import Candle


def from_polls(points: Iterable[tuple[datetime, Decimal]], seconds: int) -> list[Candle]:
    """Candles of ``seconds`` out of ``(instant, price)`` points in any order, ascending."""
    candles: list[Candle] = []
    for at, price in sorted(points, key=lambda point: point[0]):
        current = candles[-1] if candles else None
        grown = add_price(current, price, at, seconds)
        if current is not None and grown.open_time == current.open_time:
            candles[-1] = grown
        else:
            candles.append(grown)
    return candles
