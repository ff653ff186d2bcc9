"""Reads the candles of one asset: a provider's history if available, else our own candles.

A fetched series is stored and serves all requests as long as it is current. If the provider may not be called
(breaker, budget), does not respond or refuses, the stored series or our own candles are returned, whichever
reach further back. The response says which they are and how old.
"""

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import orjson
import structlog

from backend.markets.assets.model import Asset
from backend.markets.candles import price_history
from backend.markets.candles.building import build_from_prices
from backend.markets.candles.candle_json import EMPTY_ARRAY, encode_candles, split_rows, trim_to_span
from backend.markets.candles.candle_series import CandleSeries, load_local_series, load_stored_series
from backend.markets.configuration import Market
from backend.markets.model import (
    CANDLE_SECONDS_BY_SPAN,
    NOT_ALLOWED,
    Candle,
    ChartSpan,
    ErrorKind,
    ProviderError,
    source_label,
)
from backend.markets.numbers import format_timestamp
from backend.markets.provider_state import load_states, store_states, update_state
from backend.markets.sources_by_mode import FetchRule
from backend.markets.tables import candle_series_json
from backend.store.database import Database, upsert
from backend.upstream.jitter import jitter

log = structlog.get_logger(__name__)
FETCHED: Final = "ohlc"
"""The basis under which every fetched series is stored; the span's rule knows what was fetched."""
RETRY_REFUSED_AFTER = timedelta(minutes=15)
"""How long a span is not requested after the provider refused it or did not know the asset."""


class CandleReader:
    """Reads and, if needed, fetches the candles of one asset at a time."""

    def __init__(self, database: Database, market: Market) -> None:
        self._database = database
        self._market = market
        self._realm = market.sources.realm
        self._fetch_locks: dict[tuple[str, ChartSpan], threading.Lock] = {}
        self._locks_guard = threading.Lock()
        self._refused_at: dict[tuple[str, ChartSpan], datetime] = {}

    def read(self, asset: Asset, span: ChartSpan, now: datetime) -> bytes:
        """Build the response of ``GET /assets/{id}/candles``."""
        series = self._find_series(asset, span, now)
        return orjson.dumps(
            {
                "id": asset.id,
                "span": span,
                "interval_seconds": CANDLE_SECONDS_BY_SPAN[span],
                "basis": series.basis,
                "source": series.source,
                "last_updated": series.as_of and format_timestamp(series.as_of),
                "candles": orjson.Fragment(trim_to_span(series.body, span, now)),
            }
        )

    def around(self, asset: Asset, at: datetime) -> bytes:
        """Build the response of ``GET /assets/{id}/candles/around`` from the store alone."""
        with self._database.read() as connection:
            series = price_history.find_candles_around(connection, self._realm, asset.id, at)
        return orjson.dumps(
            {
                "id": asset.id,
                "at": format_timestamp(at),
                "interval_seconds": series.interval_seconds,
                "basis": "polls",
                "source": "sample" if self._realm.startswith("sample") and series.candles else None,
                "candles": orjson.Fragment(encode_candles(series.candles)),
            }
        )

    def _find_series(self, asset: Asset, span: ChartSpan, now: datetime) -> CandleSeries:
        rule = self._market.sources.fetch_rules.get(span) if asset.enabled else None
        current = None if rule is None else self._find_current(asset, span, rule, now)
        if current is not None and current.body != EMPTY_ARRAY:
            return current
        kept = None if rule is None else self._load_fetched(asset.id, span, rule)
        with self._database.read() as connection:
            own = load_local_series(connection, self._realm, asset.id, span, now)
        if kept is None or _count_candles(kept, span, now) <= _count_candles(own, span, now):
            return own
        return replace(kept, source=source_label((self._market.sources.ohlc.name,), stale=True))

    def _find_current(
        self, asset: Asset, span: ChartSpan, rule: FetchRule, now: datetime
    ) -> CandleSeries | None:
        """Load the provider's current series, or fetch it; None or empty if the provider gives none."""
        stored = self._load_current(asset.id, span, rule, now)
        if stored:
            return stored
        lock = self._get_fetch_lock(asset.id, span)
        has_waited = not lock.acquire(blocking=False)
        if has_waited:
            lock.acquire()
        try:
            # Another request may have fetched it meanwhile. If its call failed, this one does not repeat it.
            stored = self._load_current(asset.id, span, rule, now)
            return stored if stored or has_waited else self._fetch(asset, span, rule, now)
        finally:
            lock.release()

    def _load_current(
        self, asset_id: str, span: ChartSpan, rule: FetchRule, now: datetime
    ) -> CandleSeries | None:
        stored = self._load_fetched(asset_id, span, rule)
        if stored is None or stored.as_of is None or now - stored.as_of >= rule.fresh_for:
            return None
        return stored

    def _load_fetched(self, asset_id: str, span: ChartSpan, rule: FetchRule) -> CandleSeries | None:
        """Load the series that was last fetched, of any age."""
        with self._database.read() as connection:
            stored = load_stored_series(connection, self._realm, asset_id, span, FETCHED)
        return None if stored is None else replace(stored, basis=rule.basis)

    def _fetch(self, asset: Asset, span: ChartSpan, rule: FetchRule, now: datetime) -> CandleSeries | None:
        source = self._market.sources.ohlc
        refused_at = self._refused_at.get((asset.id, span))
        if refused_at is not None and now - refused_at < RETRY_REFUSED_AFTER:
            return None
        if not self._can_fetch(source.name, now):
            return None
        candles: Sequence[Candle]
        try:
            if rule.basis == "ohlc":
                candles = source.ohlc(asset, span, now)
            else:
                candles = build_from_prices(
                    source.past_prices(asset, span, now), CANDLE_SECONDS_BY_SPAN[span]
                )
        except ProviderError as error:
            log.info("candles_fetch_failed", provider=source.name, fault=error.kind.value)
            if error.kind in (ErrorKind.NOT_FOUND, *NOT_ALLOWED):
                # A plan without this endpoint, or an unknown id, is no failure of the provider.
                self._refused_at[asset.id, span] = now
            else:
                self._record_failure(error, now)
            return None
        return self._store(asset.id, span, rule, candles, now)

    def _store(
        self, asset_id: str, span: ChartSpan, rule: FetchRule, candles: Sequence[Candle], now: datetime
    ) -> CandleSeries:
        provider = self._market.sources.ohlc.name
        cost = 0 if self._market.sources.history else 1
        series = CandleSeries(rule.basis, source_label((provider,)) or "", now, encode_candles(candles))
        row = {
            "realm": self._realm,
            "asset_id": asset_id,
            "span": span,
            "basis": FETCHED,
            "source": series.source,
            "as_of": now,
            "body": series.body,
        }
        with self._database.write() as connection:
            upsert(connection, candle_series_json, [row])
            states = load_states(connection, self._market, lock=True)
            state = states[provider].record_success(None, cost, now)
            store_states(connection, self._realm, {provider: state})
        return series

    def _record_failure(self, error: ProviderError, now: datetime) -> None:
        jitter_share = jitter()
        update_state(
            self._database,
            self._market,
            error.provider,
            lambda state: state.record_failure(error, jitter_share, now),
        )

    def _can_fetch(self, provider: str, now: datetime) -> bool:
        with self._database.read() as connection:
            state = load_states(connection, self._market)[provider]
        planned = self._market.polling_plan.schedules[provider].credits_per_month
        return state.breaker.is_allowed(now) and state.budget.can_spend_on_demand(1, now, planned)

    def _get_fetch_lock(self, asset_id: str, span: ChartSpan) -> threading.Lock:
        with self._locks_guard:
            return self._fetch_locks.setdefault((asset_id, span), threading.Lock())


def _count_candles(series: CandleSeries, span: ChartSpan, now: datetime) -> int:
    return len(split_rows(trim_to_span(series.body, span, now)))
