"""Provides the sample market through the methods of a live data provider; two views, no network."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

import numpy as np

from backend.markets.model import (
    CANDLE_SECONDS_BY_SPAN,
    CANDLES_PER_SPAN,
    Candle,
    ChartSpan,
    FearGreed,
    MarketTotals,
    PricePoint,
    Quote,
    QuotesResult,
)
from backend.markets.sample.calibration import SampleAsset
from backend.markets.sample.decimal_conversion import to_dollars, to_instant, to_percent, to_price
from backend.markets.sample.event_schedule import VIEW_B
from backend.markets.sample.fear_greed import compute_fear_greed
from backend.markets.sample.market import OhlcTable, QuoteFields, SampleMarket, Totals
from backend.markets.sample.price_paths import LruCache
from backend.markets.sample.provider_views import VIEWS, compute_lags, compute_price_factors, raise_in_outage

HALF_HOUR_SECONDS = CANDLE_SECONDS_BY_SPAN["24h"]
FEAR_GREED_PROVIDER = "sample"
SAMPLE_RATES: Mapping[str, Decimal] = {
    code: Decimal(rate)
    for code, rate in {"EUR": "0.9091", "JPY": "142.9", "CNY": "7.2", "KRW": "1400", "GBP": "0.7692"}.items()
}
"""Fictitious amounts for one USD, which never change. They match the prices of the sample's pegged assets."""


class SampleProvider:
    """One view of ``market``. Fails at the scripted times; costs no quota.

    Quotes are those of the view (late, slightly different); candles are those of the market.
    """

    def __init__(self, view: str, market: SampleMarket) -> None:
        """``view``: one of :data:`backend.markets.provider_names.SAMPLE_PROVIDERS`."""
        if view not in VIEWS:
            raise ValueError(f"The sample market has no view {view!r}: it has {', '.join(VIEWS)}.")
        self.name = view
        self.market = market
        self._view = VIEWS[view]
        self._sparklines: LruCache[datetime, Mapping[str, tuple[Decimal, ...]]] = LruCache(2)

    def quotes(self, assets: Sequence[SampleAsset], now: datetime) -> QuotesResult:
        """Return the view's quotes of ``assets`` at ``now``; unknown assets are ``missing``."""
        market, view = self.market, self._view
        raise_in_outage(view, market.schedule, now)
        fields = market.quote_fields(now, compute_lags(view, market.universe, market.schedule, now))
        factors = compute_price_factors(view, market.universe, market.schedule, now, fields.as_of)
        known_assets = [asset for asset in assets if self._has_asset(asset.id)]
        asset_indexes = {asset.id: market.universe.index[asset.id] for asset in known_assets}
        closes = self._load_closes(now)
        return QuotesResult(
            provider=self.name,
            received_at=now,
            quotes={
                asset_id: self._build_quote(asset_id, fields, asset_index, factors, now)
                for asset_id, asset_index in asset_indexes.items()
            },
            sparklines={asset_id: closes[asset_id] for asset_id in asset_indexes},
            missing=tuple(asset.id for asset in assets if asset.id not in asset_indexes),
            credits=0,
        )

    def market_totals(self, now: datetime) -> MarketTotals:
        """Totals over all assets of the ranking and a share for the rest of the market."""
        raise_in_outage(self._view, self.market.schedule, now)
        as_of = now.replace(second=0, microsecond=0)
        totals, before = self.market.totals(as_of), self.market.totals(as_of - timedelta(days=1))
        return replace(
            self._build_totals(as_of, totals),
            market_cap_change_24h=to_percent(totals.market_cap / before.market_cap - 1),
            volume_change_24h=to_percent(totals.volume_24h / before.volume_24h - 1),
            rates=SAMPLE_RATES,
        )

    def fear_greed(self, now: datetime) -> FearGreed:
        """The sample index, which changes once an hour."""
        raise_in_outage(self._view, self.market.schedule, now)
        value, label, as_of = compute_fear_greed(self.market, now)
        return FearGreed(FEAR_GREED_PROVIDER, as_of, value, label)

    def ohlc(self, asset: SampleAsset, span: ChartSpan, now: datetime) -> tuple[Candle, ...]:
        """Build the candles of the span with the open one; fewer for a new asset."""
        raise_in_outage(self._view, self.market.schedule, now)
        if not self._has_asset(asset.id):
            return ()
        seconds = CANDLE_SECONDS_BY_SPAN[span]
        opened = now.timestamp() // seconds * seconds
        start = to_instant(opened - seconds * (CANDLES_PER_SPAN[span] - 1))
        return _build_candles(self.market.ohlc([asset.id], seconds, start, now), 0)

    def past_prices(self, asset: SampleAsset, span: ChartSpan, now: datetime) -> tuple[PricePoint, ...]:
        """Return the hourly prices of the span and the price at ``now``; fewer for a new asset.

        They come from a market of this asset alone, which has the same prices and takes a fraction of the
        time.
        """
        raise_in_outage(self._view, self.market.schedule, now)
        if not self._has_asset(asset.id):
            return ()
        market = SampleMarket(self.market.seed, (asset,), self.market.calibration)
        last = int(now.timestamp() // 3600)
        count = CANDLE_SECONDS_BY_SPAN[span] * CANDLES_PER_SPAN[span] // 3600
        closes = market.hourly_closes(now, count)[:, 0].tolist()
        points = [
            (to_instant(3600 * hour), to_price(close))
            for hour, close in enumerate(closes, start=last - count + 1)
            if close == close  # NaN: not yet listed
        ]
        return (*points, (now, to_price(market.price_at(asset.id, now))))

    def past_candles(
        self, assets: Sequence[SampleAsset], start: datetime, end: datetime
    ) -> Mapping[str, Sequence[Candle]]:
        """Build closed half-hour candles in [start, end) of every known asset, for an empty store."""
        known_ids = [asset.id for asset in assets if self._has_asset(asset.id)]
        last_close = to_instant(end.timestamp() // HALF_HOUR_SECONDS * HALF_HOUR_SECONDS)
        table = self.market.ohlc(known_ids, HALF_HOUR_SECONDS, start, last_close)
        return {
            asset_id: _build_candles(table, asset_index) for asset_index, asset_id in enumerate(known_ids)
        }

    def past_totals(self, start: datetime, end: datetime) -> tuple[MarketTotals, ...]:
        """Return the totals at the full hours in [start, end), without changes and rates."""
        first, last = math.ceil(start.timestamp() / 3600), math.ceil(end.timestamp() / 3600) - 1
        if last < first:
            return ()
        return tuple(
            self._build_totals(to_instant(3600 * hour), totals)
            for hour, totals in enumerate(self.market.hourly_totals(first, last), start=first)
        )

    def _build_totals(self, as_of: datetime, totals: Totals) -> MarketTotals:
        return MarketTotals(
            provider=self.name,
            as_of=as_of,
            market_cap=to_dollars(totals.market_cap),
            market_cap_change_24h=None,
            volume_24h=to_dollars(totals.volume_24h),
            volume_change_24h=None,
            btc_market_cap_percentage=to_percent(totals.btc_share),
            credits=0,
            eth_market_cap_percentage=to_percent(totals.eth_share),
        )

    def _has_asset(self, asset_id: str) -> bool:
        if self.name == VIEW_B and asset_id == self.market.calibration.event_assets.one_view_only:
            return False
        return (
            self.market.universe.index.get(asset_id, self.market.universe.visible)
            < self.market.universe.visible
        )

    def _build_quote(
        self, asset_id: str, fields: QuoteFields, asset_index: int, factors: np.ndarray, now: datetime
    ) -> Quote:
        factor = float(factors[asset_index])
        price = float(fields.price[asset_index]) * factor
        ath, rank = max(float(fields.ath[asset_index]), price), int(fields.rank[asset_index])
        hour, day, week, month = (to_percent(float(change)) for change in fields.changes[:, asset_index])
        return Quote(
            provider=self.name,
            asset_id=asset_id,
            external_id=asset_id,
            price=to_price(price),
            as_of=to_instant(float(fields.as_of[asset_index])),
            received_at=now,
            market_cap=to_dollars(float(fields.market_cap[asset_index]) * factor),
            market_cap_rank=rank or None,
            volume_24h=to_dollars(float(fields.volume_24h[asset_index])),
            pct_change_1h=hour,
            pct_change_24h=day,
            pct_change_7d=week,
            pct_change_30d=month,
            ath=to_price(ath),
            ath_change_percentage=to_percent(price / ath - 1),
            ath_date=to_instant(float(fields.ath_seconds[asset_index])),
        )

    def _load_closes(self, now: datetime) -> Mapping[str, tuple[Decimal, ...]]:
        """Hourly closes of a week by asset, computed once per hour; a new asset has fewer."""
        hour = to_instant(now.timestamp() // 3600 * 3600)
        return self._sparklines.get(hour, lambda: self._build_closes(hour))

    def _build_closes(self, hour: datetime) -> Mapping[str, tuple[Decimal, ...]]:
        columns = self.market.hourly_closes(hour).T.tolist()
        return {
            asset_id: tuple(to_price(close) for close in column if close == close)  # NaN: not yet listed
            for asset_id, column in zip(self.market.ids, columns, strict=True)
        }


def _build_candles(table: OhlcTable, asset_index: int) -> tuple[Candle, ...]:
    columns = [
        getattr(table, name)[:, asset_index].tolist()
        for name in ("open", "high", "low", "close", "volume", "listed")
    ]
    return tuple(
        Candle(
            to_instant(time),
            to_price(first),
            to_price(high),
            to_price(low),
            to_price(last),
            to_dollars(traded),
        )
        for time, first, high, low, last, traded, listed in zip(table.times.tolist(), *columns, strict=True)
        if listed
    )
