"""Computes how the assets of a topic moved around it: against the market, and against their own past."""

import statistics
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.markets.candles import price_history
from backend.markets.tables import candles
from backend.topics.insights.model import Move

MARKET_WINDOW = timedelta(hours=24)
"""Time before and after a topic for which the market is examined."""
MAX_PRICE_AGE = timedelta(hours=4)
"""Maximum age of a price at a point in time; for longer candles one candle."""
BASELINE = timedelta(days=30)
"""Length of the period before a topic whose moves show what is usual."""
MIN_BASELINE = timedelta(days=7)
MIN_SPANS = 24
"""Spans that are required to tell what is usual."""
MIN_COINS = 5
"""Other coins that are required to tell how the market moved."""

Closes = Mapping[datetime, Decimal]
"""Prices by the closing time of the candle."""


def find_move(
    connection: Connection,
    name: str,
    asset: str,
    others: Sequence[str],
    at: datetime,
    realm: str,
    now: datetime,
) -> Move | None:
    """Compute the move from the last price before ``at`` to the last within a day after it.

    The finest candles that contain both prices are used. A price has the time at which its candle ended.
    ``others`` are the assets that stand for the market. ``realm`` is that of the stored candles.
    """
    for seconds in price_history.INTERVALS_SECONDS:
        length = timedelta(seconds=seconds)
        reach = max(MAX_PRICE_AGE, length)
        loaded = price_history.load_candles(
            connection, realm, asset, seconds, at - BASELINE - length - reach, at + MARKET_WINDOW
        )
        closes = {candle.open_time + length: candle.close for candle in loaded if candle.close}
        before = [end for end in closes if at - reach <= end <= at]
        after = [end for end in closes if at < end <= min(now, at + MARKET_WINDOW)]
        if before and after:
            first, last = before[-1], after[-1]
            market = _find_market_change(connection, others, realm, seconds, (first, last))
            share = _find_usual_share(closes, first, last)
            return Move(name, closes[first], closes[last], first, last, market, share)
    return None


def _find_usual_share(closes: Closes, first: datetime, last: datetime) -> Decimal | None:
    """Return the share of equally long spans before ``first`` that moved at least as much."""
    span, oldest = last - first, min(closes)
    if first - oldest < max(MIN_BASELINE, 2 * span):
        return None
    changes = [
        abs(closes[end] / closes[end - span] - 1)
        for end in closes
        if end <= first and closes.get(end - span) is not None
    ]
    if len(changes) < MIN_SPANS:
        return None
    own = abs(closes[last] / closes[first] - 1)
    return Decimal(sum(change >= own for change in changes)) / len(changes)


def _find_market_change(
    connection: Connection,
    others: Sequence[str],
    realm: str,
    seconds: int,
    span: tuple[datetime, datetime],
) -> Decimal | None:
    """Return the median change of ``others`` in a span of time, in percent."""
    opened = [moment - timedelta(seconds=seconds) for moment in span]
    selected = sa.select(candles.c.asset_id, candles.c.open_time, candles.c.close).where(
        candles.c.realm == realm,
        candles.c.asset_id.in_(others),
        candles.c.seconds == seconds,
        candles.c.open_time.in_(opened),
    )
    prices: dict[str, dict[datetime, Decimal]] = {}
    for row in connection.execute(selected):
        prices.setdefault(row.asset_id, {})[row.open_time] = row.close
    changes = [
        (pair[opened[1]] / pair[opened[0]] - 1) * 100
        for pair in prices.values()
        if len(pair) == 2 and pair[opened[0]]
    ]
    return statistics.median(changes) if len(changes) >= MIN_COINS else None
