"""Builds candles from polled prices, as the store does."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from backend.markets.candles.building import add_price
from backend.markets.model import Candle


def build_candles(points: Iterable[tuple[datetime, Decimal]], seconds: int) -> list[Candle]:
    """Build ascending candles of ``seconds`` from ``(instant, price)`` points in any order."""
    candles: list[Candle] = []
    for at, price in sorted(points, key=lambda point: point[0]):
        current = candles[-1] if candles else None
        updated = add_price(current, price, at, seconds)
        if current is not None and updated.open_time == current.open_time:
            candles[-1] = updated
        else:
            candles.append(updated)
    return candles
