"""What the market's snapshot and single-asset answers read from the store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.markets.aggregation.state import IncidentKind
from backend.markets.candles.building import align
from backend.markets.candles.candle_json import EMPTY, put
from backend.markets.candles.price_history import HALF_HOUR, current_candles
from backend.markets.model import FearGreed, GlobalFigures, Published, Quote, Span
from backend.markets.responses.overview_json import Overview
from backend.markets.row_conversion import (
    fear_greed_from_row,
    global_figures_from_row,
    published_from_row,
    quote_from_row,
)
from backend.markets.tables import (
    candle_strips,
    incidents,
    market_figures,
    price_points,
    provider_quotes,
    published_figures,
)
from backend.store.database import Database

OVERVIEW_STALE_AFTER = timedelta(hours=3)
"""Three hourly polls: the slowest polling_plan that a quota leaves for the overview."""
SPREAD_SLOT_SECONDS = 300
FEAR_GREED_STALE_AFTER = timedelta(hours=36)
"""The index is set once a day; half a day more for a late one."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One reading of everything that the snapshot needs."""

    figures: Mapping[str, Published]
    strips: Mapping[tuple[str, Span], str]
    totals: Sequence[GlobalFigures]
    moods: Sequence[FearGreed]

    def overview(
        self, now: datetime, *, totals_from: Sequence[str] = (), mood_from: Sequence[str] = ()
    ) -> Overview:
        """Each block whole from one provider: the first in its preference that is fresh, else the newest."""
        totals = _choose(self.totals, now, OVERVIEW_STALE_AFTER, totals_from)
        mood = _choose(self.moods, now, FEAR_GREED_STALE_AFTER, mood_from)
        return Overview(
            totals=totals,
            totals_stale=totals is not None and now - totals.as_of > OVERVIEW_STALE_AFTER,
            fear_greed=mood,
            fear_greed_stale=mood is not None and now - mood.as_of > FEAR_GREED_STALE_AFTER,
        )

    def overview_changes(self) -> list[datetime]:
        """When each of the overview's figures grows stale by the clock alone."""
        last = [item.as_of + OVERVIEW_STALE_AFTER for item in self.totals]
        last += [item.as_of + FEAR_GREED_STALE_AFTER for item in self.moods]
        return [moment + timedelta.resolution for moment in last]


NOTHING = Stored({}, {}, (), ())


T = TypeVar("T", GlobalFigures, FearGreed)


def _choose(items: Sequence[T], now: datetime, stale_after: timedelta, preference: Sequence[str]) -> T | None:
    fresh = [item for item in items if now - item.as_of <= stale_after]
    if not fresh:
        return max(items, key=lambda item: item.as_of, default=None)
    order = {name: position for position, name in enumerate(preference)}
    return min(fresh, key=lambda item: order.get(item.provider, len(order)))


def load(database: Database, realm: str, asset_ids: Sequence[str], now: datetime) -> Stored:
    """``asset_ids``: whose open half-hour candles are wanted."""
    with database.read() as connection:
        figures = connection.execute(sa.select(published_figures).where(published_figures.c.realm == realm))
        published = {row["asset_id"]: published_from_row(row)[0] for row in figures.mappings()}
        strips = _strips(connection, realm)
        for asset_id, candle in current_candles(connection, realm, asset_ids, HALF_HOUR, now).items():
            strips[asset_id, "24h"] = put(strips.get((asset_id, "24h"), EMPTY), candle)
        stored = connection.execute(
            sa.select(market_figures).where(market_figures.c.realm == realm)
        ).mappings()
        totals, moods = [], []
        for row in stored:
            if row["kind"] == "global":
                totals.append(global_figures_from_row(row))
            else:
                moods.append(fear_greed_from_row(row))
    return Stored(published, strips, totals, moods)


def _strips(connection: Connection, realm: str) -> dict[tuple[str, Span], str]:
    columns = (candle_strips.c.asset_id, candle_strips.c.span, candle_strips.c.body)
    sampled = sa.and_(candle_strips.c.realm == realm, candle_strips.c.basis != "ohlc")
    rows = connection.execute(sa.select(*columns).where(sampled))
    return {(row.asset_id, cast(Span, row.span)): row.body for row in rows}


def quotes_of_asset(database: Database, realm: str, asset_id: str) -> list[Quote]:
    condition = sa.and_(provider_quotes.c.realm == realm, provider_quotes.c.asset_id == asset_id)
    with database.read() as connection:
        rows = connection.execute(
            sa.select(provider_quotes).where(condition).order_by(provider_quotes.c.provider)
        ).mappings()
        return [quote_from_row(row) for row in rows]


@dataclass(frozen=True, slots=True)
class IncidentQuery:
    """Which incidents to read: null filters leave all in."""

    assets: Sequence[str]
    since: datetime
    kind: IncidentKind | None = None
    is_open: bool | None = None
    limit: int = 1000


def incidents_of(database: Database, realm: str, wanted: IncidentQuery) -> list[dict[str, Any]]:
    """Incidents of ``wanted.assets`` that were open at any time since ``wanted.since``, newest first."""
    conditions = [
        incidents.c.realm == realm,
        incidents.c.asset_id.in_(wanted.assets),
        sa.or_(incidents.c.closed_at.is_(None), incidents.c.closed_at >= wanted.since),
    ]
    if wanted.kind is not None:
        conditions.append(incidents.c.kind == wanted.kind)
    if wanted.is_open is not None:
        closed_at = incidents.c.closed_at
        conditions.append(closed_at.is_(None) if wanted.is_open else closed_at.is_not(None))
    newest_first = (incidents.c.opened_at.desc(), incidents.c.id.desc())
    query = sa.select(incidents).where(*conditions).order_by(*newest_first).limit(wanted.limit)
    with database.read() as connection:
        return [dict(row) for row in connection.execute(query).mappings()]


def spreads_since(database: Database, realm: str, asset_id: str, since: datetime) -> dict[datetime, Decimal]:
    """The widest spread between the providers, in percent, of each slot of five minutes."""
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
            slot = align(row.at, SPREAD_SLOT_SECONDS)
            widest[slot] = max(widest.get(slot, row.spread_pct), row.spread_pct)
    return widest
