"""History that we keep ourselves: price points, and the candles that grow from them.

Each refresh folds the published prices into the open candle of 30 minutes, 4 hours and a day. The
strips that answers carry are re-rendered only when they change in a way that lasts: the open
half-hour candle is added by the reader.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.markets.candles.building import EPOCH, align, fold, from_sparkline
from backend.markets.candles.candle_json import strip_of
from backend.markets.model import SPAN_COUNT, SPAN_SECONDS, Candle, Published, QuotesResult, source_label
from backend.markets.tables import candle_strips, candles, price_points
from backend.store.database import upsert

HALF_HOUR = SPAN_SECONDS["24h"]
Past = Mapping[str, Sequence[Candle]]
"""Half-hour candles by asset id."""
RESOLUTIONS = (HALF_HOUR, SPAN_SECONDS["7d"], 86_400)
AROUND = 24
FEWEST_AROUND = 3
LATEST = datetime(9000, 1, 1, tzinfo=UTC)
SPARKLINE_EVERY = timedelta(minutes=5)
"""A sparkline's closes are hourly: rendering it more often changes next to nothing."""


def add_points(connection: Connection, realm: str, figures: Iterable[Published], now: datetime) -> None:
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


def grow_candles(connection: Connection, realm: str, prices: Mapping[str, Decimal], now: datetime) -> None:
    """Fold ``prices`` (by asset id) into the open candle of each resolution."""
    rows: list[dict[str, Any]] = []
    for seconds in RESOLUTIONS:
        open_ones = current_candles(connection, realm, list(prices), seconds, now)
        for asset_id, price in prices.items():
            candle = fold(open_ones.get(asset_id), price, now, seconds)
            rows.append(candle_to_row(realm, asset_id, seconds, candle))
    upsert(connection, candles, rows)


def current_candles(
    connection: Connection, realm: str, asset_ids: Sequence[str], seconds: int, now: datetime
) -> dict[str, Candle]:
    """The candle that is open at ``now``, by asset id, of those that have one."""
    condition = sa.and_(
        candles.c.realm == realm,
        candles.c.asset_id.in_(asset_ids),  # the primary key's order: one seek an asset
        candles.c.seconds == seconds,
        candles.c.open_time == align(now, seconds),
    )
    rows = connection.execute(sa.select(candles).where(condition)).mappings()
    return {row["asset_id"]: candle_from_row(row) for row in rows}


def candles_between(
    connection: Connection, realm: str, asset_id: str, seconds: int, start: datetime, end: datetime
) -> list[Candle]:
    """Stored candles with ``start <= open_time < end``, ascending."""
    condition = sa.and_(
        candles.c.realm == realm,
        candles.c.asset_id == asset_id,
        candles.c.seconds == seconds,
        candles.c.open_time >= start,
        candles.c.open_time < end,
    )
    rows = connection.execute(sa.select(candles).where(condition).order_by(candles.c.open_time)).mappings()
    return [candle_from_row(row) for row in rows]


class Around(NamedTuple):
    """The finest stored candles around an instant, each of ``seconds``; null where there are none."""

    seconds: int | None
    candles: list[Candle]


def around(connection: Connection, realm: str, asset_id: str, at: datetime) -> Around:
    """Up to :data:`AROUND` candles before the one of ``at``, and as many behind it.

    Half-hour candles if enough are left of them (see :mod:`backend.markets.retention_policy`), else 4-hour
    ones, else daily ones. Candles of which none is near ``at`` do not tell of it.
    """
    if not EPOCH <= at < LATEST:
        return Around(None, [])
    for seconds in RESOLUTIONS:
        length = timedelta(seconds=seconds)
        middle = align(at, seconds)
        found = candles_between(
            connection, realm, asset_id, seconds, middle - AROUND * length, middle + (AROUND + 1) * length
        )
        near = any(abs(candle.open_time - middle) <= length for candle in found)
        if near and len(found) >= FEWEST_AROUND:
            return Around(seconds, found)
    return Around(None, [])


def close_half_hours(connection: Connection, realm: str, sources: Mapping[str, str], now: datetime) -> None:
    """Render each asset's closed half-hour candles of the last day, when that has changed.

    ``sources``: asset id to the source word of its figures.
    """
    opened = align(now, HALF_HOUR)
    done = connection.execute(
        sa.select(sa.func.count())
        .select_from(candle_strips)
        .where(
            candle_strips.c.realm == realm,
            candle_strips.c.span == "24h",
            candle_strips.c.basis == "polls",
            candle_strips.c.as_of == opened,
        )
    ).scalar_one()
    if done >= len(sources):
        return
    start = opened - timedelta(seconds=HALF_HOUR * SPAN_COUNT["24h"])
    rows = [
        {
            "realm": realm,
            "asset_id": asset_id,
            "span": "24h",
            "basis": "polls",
            "source": source,
            "as_of": opened,
            "body": strip_of(candles_between(connection, realm, asset_id, HALF_HOUR, start, opened)),
        }
        for asset_id, source in sources.items()
    ]
    upsert(connection, candle_strips, rows)


def render_sparklines(connection: Connection, realm: str, poll: QuotesResult, now: datetime) -> None:
    """Four-hour candles of the last week out of the poll's hourly closes."""
    source, sparklines = source_label((poll.provider,)) or "", poll.sparklines
    newest, known = connection.execute(
        sa.select(sa.func.max(candle_strips.c.as_of), sa.func.count()).where(
            candle_strips.c.realm == realm, candle_strips.c.basis == "sparkline"
        )
    ).one()
    if newest is not None and known >= len(sparklines) and now - newest < SPARKLINE_EVERY:
        return
    rows = [
        {
            "realm": realm,
            "asset_id": asset_id,
            "span": "7d",
            "basis": "sparkline",
            "source": source,
            "as_of": now,
            "body": strip_of(from_sparkline(closes, now)),
        }
        for asset_id, closes in sparklines.items()
        if closes
    ]
    upsert(connection, candle_strips, rows)


def backfill(connection: Connection, realm: str, past: Past) -> None:
    """Store half-hour candles of the past where none are."""
    rows = [
        candle_to_row(realm, asset_id, HALF_HOUR, candle)
        for asset_id, series in past.items()
        for candle in series
    ]
    upsert(connection, candles, rows)


def missing_from(connection: Connection, realm: str, now: datetime) -> datetime | None:
    """Where the last day's half-hour candles begin to lack, or null when they do not."""
    opened = align(now, HALF_HOUR)
    newest = connection.execute(
        sa.select(sa.func.max(candle_strips.c.as_of)).where(
            candle_strips.c.realm == realm, candle_strips.c.span == "24h", candle_strips.c.basis == "polls"
        )
    ).scalar_one()
    start = opened - timedelta(seconds=HALF_HOUR * SPAN_COUNT["24h"])
    if newest is None or newest < start:
        return start
    return newest if newest < opened - timedelta(seconds=HALF_HOUR) else None


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
