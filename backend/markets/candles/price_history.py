"""Stores price points and the candles built from them.

Each refresh adds the published prices to the open candles of 30 minutes, 4 hours and a day. The stored JSON
arrays are rendered again only for closed candles; the reader adds the open half-hour candle.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.markets.candles.building import EPOCH, add_price, align, build_from_sparkline
from backend.markets.candles.candle_json import encode_candles
from backend.markets.model import SPAN_COUNT, SPAN_SECONDS, Candle, PublishedPrice, QuotesResult, source_label
from backend.markets.tables import candle_strips, candles, price_points
from backend.store.database import upsert

HALF_HOUR_SECONDS = SPAN_SECONDS["24h"]
HistoryCandles = Mapping[str, Sequence[Candle]]
"""Half-hour candles by asset id."""
RESOLUTIONS_SECONDS = (HALF_HOUR_SECONDS, SPAN_SECONDS["7d"], 86_400)
CANDLES_PER_SIDE = 24
MIN_CANDLES_AROUND = 3
MAX_INSTANT = datetime(9000, 1, 1, tzinfo=UTC)
SPARKLINE_RENDER_INTERVAL = timedelta(minutes=5)
"""A sparkline's closes are hourly, so rendering it more often changes almost nothing."""


def store_points(
    connection: Connection, realm: str, figures: Iterable[PublishedPrice], now: datetime
) -> None:
    rows = [
        {
            "realm": realm,
            "asset_id": figure.asset_id,
            "at": now,
            "price": figure.price,
            "spread_pct": figure.spread_pct,
            "source": figure.source,
        }
        for figure in figures
        if figure.price is not None and not figure.stale
    ]
    upsert(connection, price_points, rows)


def update_candles(connection: Connection, realm: str, prices: Mapping[str, Decimal], now: datetime) -> None:
    """Add ``prices`` (by asset id) to the open candle of each resolution."""
    rows: list[dict[str, Any]] = []
    for seconds in RESOLUTIONS_SECONDS:
        open_candles = load_open_candles(connection, realm, list(prices), seconds, now)
        for asset_id, price in prices.items():
            candle = add_price(open_candles.get(asset_id), price, now, seconds)
            rows.append(candle_to_row(realm, asset_id, seconds, candle))
    upsert(connection, candles, rows)


def load_open_candles(
    connection: Connection, realm: str, asset_ids: Sequence[str], seconds: int, now: datetime
) -> dict[str, Candle]:
    """Load the candles that are open at ``now``, by asset id."""
    condition = sa.and_(
        candles.c.realm == realm,
        candles.c.asset_id.in_(asset_ids),  # in the order of the primary key: one seek per asset
        candles.c.seconds == seconds,
        candles.c.open_time == align(now, seconds),
    )
    rows = connection.execute(sa.select(candles).where(condition)).mappings()
    return {row["asset_id"]: candle_from_row(row) for row in rows}


def load_candles(
    connection: Connection, realm: str, asset_id: str, seconds: int, start: datetime, end: datetime
) -> list[Candle]:
    """Load candles with ``start <= open_time < end``, ascending."""
    condition = sa.and_(
        candles.c.realm == realm,
        candles.c.asset_id == asset_id,
        candles.c.seconds == seconds,
        candles.c.open_time >= start,
        candles.c.open_time < end,
    )
    rows = connection.execute(sa.select(candles).where(condition).order_by(candles.c.open_time)).mappings()
    return [candle_from_row(row) for row in rows]


class CandlesAround(NamedTuple):
    """The finest stored candles around an instant and their length in seconds; null without candles."""

    seconds: int | None
    candles: list[Candle]


def find_candles_around(connection: Connection, realm: str, asset_id: str, at: datetime) -> CandlesAround:
    """Find up to :data:`CANDLES_PER_SIDE` candles before the one at ``at``, and as many after it.

    Half-hour candles if enough are stored (see :mod:`backend.markets.retention_policy`), else 4-hour candles,
    else daily ones. Candles without one near ``at`` are not used.
    """
    if not EPOCH <= at < MAX_INSTANT:
        return CandlesAround(None, [])
    for seconds in RESOLUTIONS_SECONDS:
        length = timedelta(seconds=seconds)
        middle = align(at, seconds)
        candles = load_candles(
            connection,
            realm,
            asset_id,
            seconds,
            middle - CANDLES_PER_SIDE * length,
            middle + (CANDLES_PER_SIDE + 1) * length,
        )
        near = any(abs(candle.open_time - middle) <= length for candle in candles)
        if near and len(candles) >= MIN_CANDLES_AROUND:
            return CandlesAround(seconds, candles)
    return CandlesAround(None, [])


def render_half_hours(connection: Connection, realm: str, sources: Mapping[str, str], now: datetime) -> None:
    """Render each asset's closed half-hour candles of the last day, if they changed.

    ``sources``: source label of the figures by asset id.
    """
    opened = align(now, HALF_HOUR_SECONDS)
    rendered_count = connection.execute(
        sa.select(sa.func.count())
        .select_from(candle_strips)
        .where(
            candle_strips.c.realm == realm,
            candle_strips.c.span == "24h",
            candle_strips.c.basis == "polls",
            candle_strips.c.as_of == opened,
        )
    ).scalar_one()
    if rendered_count >= len(sources):
        return
    start = opened - timedelta(seconds=HALF_HOUR_SECONDS * SPAN_COUNT["24h"])
    rows = [
        {
            "realm": realm,
            "asset_id": asset_id,
            "span": "24h",
            "basis": "polls",
            "source": source,
            "as_of": opened,
            "body": encode_candles(
                load_candles(connection, realm, asset_id, HALF_HOUR_SECONDS, start, opened)
            ),
        }
        for asset_id, source in sources.items()
    ]
    upsert(connection, candle_strips, rows)


def render_sparklines(connection: Connection, realm: str, poll: QuotesResult, now: datetime) -> None:
    """Render four-hour candles of the last week from the hourly closes of ``poll``."""
    source, sparklines = source_label((poll.provider,)) or "", poll.sparklines
    newest, strip_count = connection.execute(
        sa.select(sa.func.max(candle_strips.c.as_of), sa.func.count()).where(
            candle_strips.c.realm == realm, candle_strips.c.basis == "sparkline"
        )
    ).one()
    if newest is not None and strip_count >= len(sparklines) and now - newest < SPARKLINE_RENDER_INTERVAL:
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
    upsert(connection, candle_strips, rows)


def backfill(connection: Connection, realm: str, past: HistoryCandles) -> None:
    """Store half-hour candles of the past."""
    rows = [
        candle_to_row(realm, asset_id, HALF_HOUR_SECONDS, candle)
        for asset_id, series in past.items()
        for candle in series
    ]
    upsert(connection, candles, rows)


def find_gap_start(connection: Connection, realm: str, now: datetime) -> datetime | None:
    """Find where the half-hour candles of the last day become incomplete; None if they are complete."""
    opened = align(now, HALF_HOUR_SECONDS)
    newest = connection.execute(
        sa.select(sa.func.max(candle_strips.c.as_of)).where(
            candle_strips.c.realm == realm, candle_strips.c.span == "24h", candle_strips.c.basis == "polls"
        )
    ).scalar_one()
    start = opened - timedelta(seconds=HALF_HOUR_SECONDS * SPAN_COUNT["24h"])
    if newest is None or newest < start:
        return start
    return newest if newest < opened - timedelta(seconds=HALF_HOUR_SECONDS) else None


def candle_to_row(realm: str, asset_id: str, seconds: int, candle: Candle) -> dict[str, Any]:
    return {
        "realm": realm,
        "asset_id": asset_id,
        "seconds": seconds,
        "open_time": candle.open_time,
        "open": candle.open,
        "high": candle.high,
        "low": candle.low,
        "close": candle.close,
        "volume": candle.volume,
    }


def candle_from_row(row: Mapping[Any, Any]) -> Candle:
    return Candle(**{name: row[name] for name in ("open_time", "open", "high", "low", "close", "volume")})
