"""Builds candles from polled prices and sparklines. No I/O.

A candle opens at a multiple of its length since the Unix epoch (4-hour candles at 00:00, 04:00 … UTC).
Candles are sampled: their high and low are those of the polled prices, not of every trade. A slot without a
price has no candle.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from backend.markets.model import Candle, PricePoint
from backend.markets.numbers import is_sane, json_number

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
MILLISECOND = timedelta(milliseconds=1)


def floor_to_slot(at: datetime, slot_seconds: int) -> datetime:
    """Round ``at`` down to the start of its slot of ``slot_seconds``."""
    if slot_seconds <= 0:
        raise ValueError("The length of a candle must be above zero seconds.")
    length = timedelta(seconds=slot_seconds)
    return EPOCH + (at - EPOCH) // length * length


def add_price(candle: Candle | None, price: Decimal, at: datetime, interval_seconds: int) -> Candle:
    """Return ``candle`` with ``price`` at ``at`` added; a new candle if ``at`` is in a later slot.

    A price of an earlier slot changes nothing, because that slot is closed.
    """
    slot_start = floor_to_slot(at, interval_seconds)
    if candle is None or slot_start > candle.open_time:
        return Candle(slot_start, price, price, price, price)
    if slot_start < candle.open_time:
        return candle
    return Candle(
        candle.open_time,
        candle.open,
        max(candle.high, price),
        min(candle.low, price),
        price,
        candle.volume,
    )


def build_from_prices(points: Iterable[PricePoint], interval_seconds: int) -> list[Candle]:
    """Build candles from prices in USD at single moments, ascending.

    A price belongs to the candle that it ends or falls into, so a price exactly on a boundary closes the
    earlier candle. A candle opens at the preceding price if that is at most two candles away, else at its own
    first price. The first and the last candle may be partial.
    """
    candles: list[Candle] = []
    before: PricePoint | None = None
    for at, price in points:
        slot_start = floor_to_slot(at - timedelta.resolution, interval_seconds)
        if candles and candles[-1].open_time == slot_start:
            candles[-1] = add_price(candles[-1], price, slot_start, interval_seconds)
        else:
            is_near = before is not None and at - before[0] <= 2 * timedelta(seconds=interval_seconds)
            first = before[1] if before is not None and is_near else price
            candles.append(Candle(slot_start, first, max(first, price), min(first, price), price))
        before = (at, price)
    return candles


def build_from_sparkline(
    closes: Sequence[Decimal | None], end: datetime, interval_seconds: int = 14_400, count: int = 42
) -> list[Candle]:
    """Build the latest ``count`` candles from hourly closes; the last one ends near ``end``.

    The closes have no times, and there may be slightly more or fewer than 168. They count as one hour apart,
    counted back from ``end``. Closes that are null or not above zero are gaps.
    """
    points = [
        (end - (len(closes) - 1 - position) * HOUR, close)
        for position, close in enumerate(closes)
        if close is not None and is_sane(close) and close > 0
    ]
    return build_from_prices(points, interval_seconds)[-count:] if count > 0 else []


def encode_candle(candle: Candle) -> bytes:
    """Encode ``[open_time_ms,open,high,low,close,volume]`` as JSON with all digits."""
    prices = (candle.open, candle.high, candle.low, candle.close)
    volume = b"null" if candle.volume is None else json_number(candle.volume)
    opened = b"%d" % ((candle.open_time - EPOCH) // MILLISECOND)
    return b"[" + b",".join((opened, *map(json_number, prices), volume)) + b"]"
