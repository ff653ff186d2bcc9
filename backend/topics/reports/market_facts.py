"""Collects the published market figures of one moment, from which market reports are written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy.engine import Connection

from backend.entities.model import Entity, Language
from backend.markets.candles import price_history
from backend.markets.model import CANDLE_SECONDS_BY_SPAN, FearGreed, MarketTotals, PublishedPrice
from backend.markets.responses.snapshot import Snapshot
from backend.topics.model import Realm

MAX_ASSETS = 100
"""Reports cover only this many assets with the largest market cap, so that a pumped coin makes no news."""
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Coin:
    """An asset and its figures. ``week_high`` and ``week_low`` come from the closed candles of the last seven
    days; None if there are too few."""

    id: str
    entity: str | None
    names: Mapping[Language, str]
    symbol: str
    is_stable: bool
    """True if it represents another asset: a dollar, gold, a lent dollar with its interest."""
    is_dollar: bool
    """True if it is pegged to one dollar."""
    price: Decimal
    change: Decimal
    cap: Decimal
    volume: Decimal | None
    source: str
    week_high: Decimal | None
    week_low: Decimal | None

    def name(self, language: Language) -> str:
        return self.names.get(language) or self.names["en"]


@dataclass(frozen=True, slots=True)
class MarketFacts:
    """The figures of one moment. ``realm`` is ``sample`` or ``live``; the two are never mixed."""

    realm: Realm
    at: datetime
    coins: Sequence[Coin]
    """Sorted by market cap, the largest first, without stale figures."""
    totals: MarketTotals | None
    mood: FearGreed | None


def collect_facts(
    connection: Connection,
    snapshot: Snapshot,
    *,
    realm: Realm,
    history_realm: str,
    entities: Mapping[str, Entity],
    now: datetime,
) -> MarketFacts:
    """Collect the facts at ``now``. ``entities`` provide the names in the three languages. ``history_realm``
    is the realm of the stored candles."""
    by_asset = {
        entity.asset or entity.id: entity
        for entity in entities.values()
        if entity.asset or entity.type in ("asset", "stablecoin")
    }
    ranked = sorted(
        (entry for entry in snapshot.entries if _is_known(entry.figure)),
        key=lambda entry: (-(entry.figure.market_cap or 0), entry.asset.id),
    )[:MAX_ASSETS]
    seconds, coins = CANDLE_SECONDS_BY_SPAN["7d"], []
    for entry in ranked:
        published, entity = entry.figure, by_asset.get(entry.asset.id)
        week = price_history.load_candles(
            connection, history_realm, entry.asset.id, seconds, now - WEEK, now
        )[:-1]
        coins.append(
            Coin(
                id=entry.asset.id,
                entity=entity.id if entity else None,
                names={"en": entry.asset.name, **(entity.names if entity else {})},
                symbol=entry.asset.symbol,
                is_stable=entry.asset.pegged_to is not None
                or (entity is not None and entity.type == "stablecoin"),
                is_dollar=entry.asset.pegged_to == "usd",
                price=published.price or Decimal(0),
                change=published.pct_change_24h or Decimal(0),
                cap=published.market_cap or Decimal(0),
                volume=published.volume_24h,
                source=published.source or "",
                week_high=max((candle.high for candle in week), default=None) if len(week) >= 12 else None,
                week_low=min((candle.low for candle in week), default=None) if len(week) >= 12 else None,
            )
        )
    overview = snapshot.overview
    return MarketFacts(
        realm,
        now,
        coins,
        None if overview.totals_stale else overview.totals,
        None if overview.fear_greed_stale else overview.fear_greed,
    )


def _is_known(published: PublishedPrice) -> bool:
    required_values = (published.price, published.pct_change_24h, published.market_cap)
    return not published.stale and None not in required_values
