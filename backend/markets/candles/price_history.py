"""Stores price points and the candles built from them.

Each refresh adds the published prices to the open candles of 30 minutes, 4 hours and a day. The stored JSON
holds closed candles only and is rebuilt when one closes; :mod:`.series_reader` adds the open half-hour
candle. ``realm`` is ``live``, or the name of one sample or replay; rows of one are never mixed with those of
another.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.markets.candles.building import EPOCH, add_price, build_from_sparkline, floor_to_slot
from backend.markets.candles.candle_json import encode_candles
from backend.markets.model import (
    CANDLE_SECONDS_BY_SPAN,
    CANDLES_PER_SPAN,
    Candle,
    PricePoint,
    PublishedPrice,
    QuotesResult,
    source_label,
)
from backend.markets.tables import candle_series_json, candles, price_points
from backend.store.database import upsert

HALF_HOUR_SECONDS = CANDLE_SECONDS_BY_SPAN["24h"]
CandlesByAsset = Mapping[str, Sequence[Candle]]
"""Half-hour candles by asset id."""
INTERVALS_SECONDS = (HALF_HOUR_SECONDS, CANDLE_SECONDS_BY_SPAN["7d"], 86_400)
CANDLES_PER_SIDE = 24
MIN_CANDLES_AROUND = 3
MAX_INSTANT = datetime(9000, 1, 1, tzinfo=UTC)
SPARKLINE_STORE_INTERVAL = timedelta(minutes=5)
"""A sparkline's closes are hourly, so storing its candles more often changes almost nothing."""


def store_price_points(
    connection: Connection, realm: str, published_prices: Iterable[PublishedPrice], now: datetime
) -> None:
    rows = [
        {
            "realm": realm,
            "asset_id": published.asset_id,
            "at": now,
            "price": published.price,
            "spread_pct": published.spread_pct,
            "source": published.source,
        }
        for published in published_prices
        if published.price is not None and not published.stale
    ]
    upsert(connection, price_points, rows)


def update_candles(connection: Connection, realm: str, prices: Mapping[str, Decimal], now: datetime) -> None:
    """Add ``prices`` (by asset id) to the open candle of each interval."""
    rows: list[dict[str, Any]] = []
    for interval_seconds in INTERVALS_SECONDS:
        open_candles = load_open_candles(connection, realm, list(prices), interval_seconds, now)
        for asset_id, price in prices.items():
            candle = add_price(open_candles.get(asset_id), price, now, interval_seconds)
            rows.append(candle_to_row(realm, asset_id, interval_seconds, candle))
    upsert(connection, candles, rows)


def load_open_candles(
    connection: Connection, realm: str, asset_ids: Sequence[str], interval_seconds: int, now: datetime
) -> dict[str, Candle]:
    """Load the candles that are open at ``now``, by asset id."""
    condition = sa.and_(
        candles.c.realm == realm,
        candles.c.asset_id.in_(asset_ids),  # in the order of the primary key: one seek per asset
        candles.c.seconds == interval_seconds,
        candles.c.open_time == floor_to_slot(now, interval_seconds),
    )
    rows = connection.execute(sa.select(candles).where(condition)).mappings()
    return {row["asset_id"]: candle_from_row(row) for row in rows}


def load_candles(
    connection: Connection, realm: str, asset_id: str, interval_seconds: int, start: datetime, end: datetime
) -> list[Candle]:
    """Load candles with ``start <= open_time < end``, ascending."""
    condition = sa.and_(
        candles.c.realm == realm,
        candles.c.asset_id == asset_id,
        candles.c.seconds == interval_seconds,
        candles.c.open_time >= start,
        candles.c.open_time < end,
    )
    rows = connection.execute(sa.select(candles).where(condition).order_by(candles.c.open_time)).mappings()
    return [candle_from_row(row) for row in rows]


def load_points(
    connection: Connection, realm: str, asset_id: str, start: datetime, end: datetime
) -> list[PricePoint]:
    """Load the stored prices of one asset with ``start <= at <= end``, ascending."""
    query = sa.select(price_points.c.at, price_points.c.price).where(
        price_points.c.realm == realm,
        price_points.c.asset_id == asset_id,
        price_points.c.at.between(start, end),
    )
    return [(row.at, row.price) for row in connection.execute(query.order_by(price_points.c.at))]


class CandlesAround(NamedTuple):
    """The shortest stored candles around an instant, and their length: None if there are no candles."""

    interval_seconds: int | None
    candles: list[Candle]


def find_candles_around(connection: Connection, realm: str, asset_id: str, at: datetime) -> CandlesAround:
    """Find up to :data:`CANDLES_PER_SIDE` candles before the one at ``at``, and as many after it.

    Half-hour candles if enough are stored (see :mod:`backend.markets.retention_policy`), else 4-hour candles,
    else daily ones. A length is skipped if none of its candles
    is within one length of ``at``.
    """
    if not EPOCH <= at < MAX_INSTANT:
        return CandlesAround(None, [])
    for interval_seconds in INTERVALS_SECONDS:
        length = timedelta(seconds=interval_seconds)
        middle = floor_to_slot(at, interval_seconds)
        candles = load_candles(
            connection,
            realm,
            asset_id,
            interval_seconds,
            middle - CANDLES_PER_SIDE * length,
            middle + (CANDLES_PER_SIDE + 1) * length,
        )
        near = any(abs(candle.open_time - middle) <= length for candle in candles)
        if near and len(candles) >= MIN_CANDLES_AROUND:
            return CandlesAround(interval_seconds, candles)
    return CandlesAround(None, [])


def store_half_hour_json(
    connection: Connection, realm: str, sources: Mapping[str, str], now: datetime
) -> None:
    """Store each asset's closed half-hour candles of the last day as JSON, if one has closed.

    ``sources`` maps each asset id to the label of the source of its price.
    """
    current_open_time = floor_to_slot(now, HALF_HOUR_SECONDS)
    stored_count = connection.execute(
        sa.select(sa.func.count())
        .select_from(candle_series_json)
        .where(
            candle_series_json.c.realm == realm,
            candle_series_json.c.span == "24h",
            candle_series_json.c.basis == "polls",
            candle_series_json.c.as_of == current_open_time,
        )
    ).scalar_one()
    if stored_count >= len(sources):
        return
    start = current_open_time - timedelta(seconds=HALF_HOUR_SECONDS * CANDLES_PER_SPAN["24h"])
    rows = [
        {
            "realm": realm,
            "asset_id": asset_id,
            "span": "24h",
            "basis": "polls",
            "source": source,
            "as_of": current_open_time,
            "body": encode_candles(
                load_candles(connection, realm, asset_id, HALF_HOUR_SECONDS, start, current_open_time)
            ),
        }
        for asset_id, source in sources.items()
    ]
    upsert(connection, candle_series_json, rows)


def store_weekly_candles_json(
    connection: Connection, realm: str, quotes: QuotesResult, now: datetime
) -> None:
    """Store the four-hour candles of the last week as JSON, built from the sparklines (hourly closes)."""
    source, sparklines = source_label((quotes.provider,)) or "", quotes.sparklines
    newest, series_count = connection.execute(
        sa.select(sa.func.max(candle_series_json.c.as_of), sa.func.count()).where(
            candle_series_json.c.realm == realm, candle_series_json.c.basis == "sparkline"
        )
    ).one()
    if newest is not None and series_count >= len(sparklines) and now - newest < SPARKLINE_STORE_INTERVAL:
        return
    rows = [
        {
            "realm": realm,
            "asset_id": asset_id,
            "span": "7d",
            "basis": "sparkline",
            "source": source,
            "as_of": now,
            "body": encode_candles(build_from_sparkline(closes, now)),
        }
        for asset_id, closes in sparklines.items()
        if closes
    ]
    upsert(connection, candle_series_json, rows)


def backfill(connection: Connection, realm: str, candles_by_asset: CandlesByAsset) -> None:
    """Store half-hour candles of past days, which a provider returned."""
    rows = [
        candle_to_row(realm, asset_id, HALF_HOUR_SECONDS, candle)
        for asset_id, series in candles_by_asset.items()
        for candle in series
    ]
    upsert(connection, candles, rows)


def find_gap_start(connection: Connection, realm: str, now: datetime) -> datetime | None:
    """Find where the half-hour candles of the last day become incomplete; None if they are complete."""
    current_open_time = floor_to_slot(now, HALF_HOUR_SECONDS)
    newest = connection.execute(
        sa.select(sa.func.max(candle_series_json.c.as_of)).where(
            candle_series_json.c.realm == realm,
            candle_series_json.c.span == "24h",
            candle_series_json.c.basis == "polls",
        )
    ).scalar_one()
    start = current_open_time - timedelta(seconds=HALF_HOUR_SECONDS * CANDLES_PER_SPAN["24h"])
    if newest is None or newest < start:
        return start
    return newest if newest < current_open_time - timedelta(seconds=HALF_HOUR_SECONDS) else None


def candle_to_row(realm: str, asset_id: str, interval_seconds: int, candle: Candle) -> dict[str, Any]:
    return {
        "realm": realm,
        "asset_id": asset_id,
        "seconds": interval_seconds,
        "open_time": candle.open_time,
        "open": candle.open,
        "high": candle.high,
        "low": candle.low,
        "close": candle.close,
        "volume": candle.volume,
    }


def candle_from_row(row: Mapping[Any, Any]) -> Candle:
    return Candle(**{name: row[name] for name in ("open_time", "open", "high", "low", "close", "volume")})
