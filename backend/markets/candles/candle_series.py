"""Loads the candles of one asset and span from the store, without calling a provider."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.markets.candles import price_history
from backend.markets.candles.building import build_from_prices, floor_to_slot
from backend.markets.candles.candle_json import EMPTY_ARRAY, append_candle, encode_candles
from backend.markets.candles.price_history import HALF_HOUR_SECONDS
from backend.markets.model import CANDLE_SECONDS_BY_SPAN, CANDLES_PER_SPAN, CandleBasis, ChartSpan
from backend.markets.tables import candle_series_json, price_points


@dataclass(frozen=True, slots=True)
class CandleSeries:
    """Candles of one span, encoded as the JSON array of the response, with their source and time."""

    basis: CandleBasis
    source: str | None = None
    as_of: datetime | None = None
    body: str = EMPTY_ARRAY


def load_stored_series(
    connection: Connection, realm: str, asset_id: str, span: ChartSpan, basis: CandleBasis
) -> CandleSeries | None:
    """Load the series that was stored for ``span`` and ``basis``."""
    columns = (candle_series_json.c.source, candle_series_json.c.as_of, candle_series_json.c.body)
    query = sa.select(*columns).where(
        candle_series_json.c.realm == realm,
        candle_series_json.c.asset_id == asset_id,
        candle_series_json.c.span == span,
        candle_series_json.c.basis == basis,
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else CandleSeries(basis, row.source, row.as_of, row.body)


def load_local_series(
    connection: Connection, realm: str, asset_id: str, span: ChartSpan, now: datetime
) -> CandleSeries:
    """Load candles that need no provider call: our polls, or the sparkline for 7d; they may be empty."""
    if span == "7d":
        stored = load_stored_series(connection, realm, asset_id, span, "sparkline")
        return stored or CandleSeries("sparkline")
    if span == "24h":
        return _load_day(connection, realm, asset_id, now)
    newest = connection.execute(
        sa.select(price_points.c.at, price_points.c.source)
        .where(
            price_points.c.realm == realm,
            price_points.c.asset_id == asset_id,
            price_points.c.at <= now,
        )
        .order_by(price_points.c.at.desc())
        .limit(1)
    ).one_or_none()
    if newest is None:
        return CandleSeries("polls")
    seconds = CANDLE_SECONDS_BY_SPAN[span]
    start = floor_to_slot(now, seconds) - timedelta(seconds=seconds * CANDLES_PER_SPAN[span])
    if span == "1h":
        points = price_history.load_points(connection, realm, asset_id, start, now)
        candles = build_from_prices(points, seconds)
    else:
        end = now + timedelta.resolution
        candles = price_history.load_candles(connection, realm, asset_id, seconds, start, end)
    return CandleSeries("polls", newest.source, newest.at, encode_candles(candles))


def _load_day(connection: Connection, realm: str, asset_id: str, now: datetime) -> CandleSeries:
    """Load the half-hour candles of the last day, and the unfinished one."""
    stored = load_stored_series(connection, realm, asset_id, "24h", "polls") or CandleSeries("polls")
    current = price_history.load_open_candles(connection, realm, [asset_id], HALF_HOUR_SECONDS, now)
    if asset_id not in current:
        return stored
    as_of = now if stored.as_of else None
    return CandleSeries("polls", stored.source, as_of, append_candle(stored.body, current[asset_id]))
