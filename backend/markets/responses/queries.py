"""Reads the stored data of the market snapshot and of responses about single assets.

``realm`` is ``live``, or the name of one sample or replay; rows of one are never mixed with those of another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.markets.aggregation.state import IncidentKind
from backend.markets.candles.building import floor_to_slot
from backend.markets.candles.candle_json import EMPTY_ARRAY, append_candle
from backend.markets.candles.price_history import HALF_HOUR_SECONDS, load_open_candles
from backend.markets.model import FearGreed, MarketTotals, PublishedPrice, Quote, Span
from backend.markets.responses.overview_json import Overview
from backend.markets.row_conversion import (
    fear_greed_from_row,
    market_totals_from_row,
    published_price_from_row,
    quote_from_row,
)
from backend.markets.tables import (
    candle_series_json,
    incidents,
    market_figures,
    price_points,
    provider_quotes,
    published_figures,
)
from backend.store.database import Database

OVERVIEW_STALE_AFTER = timedelta(hours=3)
"""Three missed polls: with most quotas the overview is polled at least once an hour."""
SPREAD_SLOT_SECONDS = 300
FEAR_GREED_STALE_AFTER = timedelta(hours=36)
"""The index changes once a day; half a day is added for a late update."""


@dataclass(frozen=True, slots=True)
class SnapshotRows:
    """All stored rows that a snapshot needs, read at one time."""

    published_prices: Mapping[str, PublishedPrice]
    candle_json: Mapping[tuple[str, Span], str]
    totals: Sequence[MarketTotals]
    fear_greed: Sequence[FearGreed]

    def build_overview(
        self, now: datetime, *, totals_providers: Sequence[str] = (), fear_greed_providers: Sequence[str] = ()
    ) -> Overview:
        """Build the overview.

        Each block comes from the first fresh provider in the order of preference; if none is fresh, from the
        newest row. ``totals_providers`` and ``fear_greed_providers`` are provider names in that order.
        """
        totals = _choose_row(self.totals, now, OVERVIEW_STALE_AFTER, totals_providers)
        with_rates = [item for item in self.totals if item.rates]
        rates = _choose_row(with_rates, now, OVERVIEW_STALE_AFTER, totals_providers)
        index = _choose_row(self.fear_greed, now, FEAR_GREED_STALE_AFTER, fear_greed_providers)
        return Overview(
            totals=totals,
            totals_stale=totals is not None and now - totals.as_of > OVERVIEW_STALE_AFTER,
            fear_greed=index,
            fear_greed_stale=index is not None and now - index.as_of > FEAR_GREED_STALE_AFTER,
            rates=rates,
            rates_stale=rates is not None and now - rates.as_of > OVERVIEW_STALE_AFTER,
        )

    def list_overview_expiry_times(self) -> list[datetime]:
        """List the times when the figures of the overview become stale."""
        last = [item.as_of + OVERVIEW_STALE_AFTER for item in self.totals]
        last += [item.as_of + FEAR_GREED_STALE_AFTER for item in self.fear_greed]
        return [moment + timedelta.resolution for moment in last]


EMPTY_SNAPSHOT = SnapshotRows({}, {}, (), ())


T = TypeVar("T", MarketTotals, FearGreed)


def _choose_row(
    items: Sequence[T], now: datetime, stale_after: timedelta, preference: Sequence[str]
) -> T | None:
    fresh_items = [item for item in items if now - item.as_of <= stale_after]
    if not fresh_items:
        return max(items, key=lambda item: item.as_of, default=None)
    order = {name: position for position, name in enumerate(preference)}
    return min(fresh_items, key=lambda item: order.get(item.provider, len(order)))


def load_snapshot_rows(
    database: Database, realm: str, asset_ids: Sequence[str], now: datetime
) -> SnapshotRows:
    """Load the rows of a snapshot. ``asset_ids``: assets whose open half-hour candle is included."""
    with database.read() as connection:
        rows = connection.execute(sa.select(published_figures).where(published_figures.c.realm == realm))
        published_prices = {row["asset_id"]: published_price_from_row(row)[0] for row in rows.mappings()}
        candle_json = _load_candle_json(connection, realm)
        for asset_id, candle in load_open_candles(
            connection, realm, asset_ids, HALF_HOUR_SECONDS, now
        ).items():
            candle_json[asset_id, "24h"] = append_candle(
                candle_json.get((asset_id, "24h"), EMPTY_ARRAY), candle
            )
        stored = connection.execute(
            sa.select(market_figures).where(market_figures.c.realm == realm)
        ).mappings()
        totals, fear_greed = [], []
        for row in stored:
            if row["kind"] == "global":
                totals.append(market_totals_from_row(row))
            else:
                fear_greed.append(fear_greed_from_row(row))
    return SnapshotRows(published_prices, candle_json, totals, fear_greed)


def _load_candle_json(connection: Connection, realm: str) -> dict[tuple[str, Span], str]:
    columns = (candle_series_json.c.asset_id, candle_series_json.c.span, candle_series_json.c.body)
    sampled = sa.and_(candle_series_json.c.realm == realm, candle_series_json.c.basis != "ohlc")
    rows = connection.execute(sa.select(*columns).where(sampled))
    return {(row.asset_id, cast(Span, row.span)): row.body for row in rows}


def load_quotes(database: Database, realm: str, asset_id: str) -> list[Quote]:
    condition = sa.and_(provider_quotes.c.realm == realm, provider_quotes.c.asset_id == asset_id)
    with database.read() as connection:
        rows = connection.execute(
            sa.select(provider_quotes).where(condition).order_by(provider_quotes.c.provider)
        ).mappings()
        return [quote_from_row(row) for row in rows]


@dataclass(frozen=True, slots=True)
class IncidentQuery:
    """Filters of the incidents to load; None means no filter."""

    assets: Sequence[str]
    since: datetime
    kind: IncidentKind | None = None
    is_open: bool | None = None
    limit: int = 1000


def load_incidents(database: Database, realm: str, query: IncidentQuery) -> list[dict[str, Any]]:
    """Load incidents of ``query.assets`` that were open at any time since ``query.since``, newest first."""
    conditions = [
        incidents.c.realm == realm,
        incidents.c.asset_id.in_(query.assets),
        sa.or_(incidents.c.closed_at.is_(None), incidents.c.closed_at >= query.since),
    ]
    if query.kind is not None:
        conditions.append(incidents.c.kind == query.kind)
    if query.is_open is not None:
        closed_at = incidents.c.closed_at
        conditions.append(closed_at.is_(None) if query.is_open else closed_at.is_not(None))
    newest_first = (incidents.c.opened_at.desc(), incidents.c.id.desc())
    statement = sa.select(incidents).where(*conditions).order_by(*newest_first).limit(query.limit)
    with database.read() as connection:
        return [dict(row) for row in connection.execute(statement).mappings()]


def load_spreads(database: Database, realm: str, asset_id: str, since: datetime) -> dict[datetime, Decimal]:
    """Load the widest spread between the providers, in percent, of each five-minute slot."""
    condition = sa.and_(
        price_points.c.realm == realm,
        price_points.c.asset_id == asset_id,
        price_points.c.at >= since,
        price_points.c.spread_pct.is_not(None),
    )
    widest: dict[datetime, Decimal] = {}
    with database.read() as connection:
        for row in connection.execute(
            sa.select(price_points.c.at, price_points.c.spread_pct).where(condition)
        ):
            slot = floor_to_slot(row.at, SPREAD_SLOT_SECONDS)
            widest[slot] = max(widest.get(slot, row.spread_pct), row.spread_pct)
    return widest
