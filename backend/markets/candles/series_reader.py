"""Reads the candles of one asset: true OHLC if a provider gives it, else our sampled candles.

A series requested again before the provider computes a new one comes from the store. If the provider may not
be called (breaker, budget) or does not respond, the stored candles are returned, labelled with their basis.
"""

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import orjson
import sqlalchemy as sa
import structlog

from backend.markets.assets.model import Asset
from backend.markets.candles import price_history
from backend.markets.candles.candle_json import EMPTY_ARRAY, append_candle, encode_candles, trim_to_span
from backend.markets.candles.price_history import HALF_HOUR_SECONDS, load_open_candles
from backend.markets.configuration import Market
from backend.markets.model import (
    CANDLE_SECONDS_BY_SPAN,
    NOT_ALLOWED,
    Candle,
    ErrorKind,
    ProviderError,
    Span,
    source_label,
)
from backend.markets.numbers import format_timestamp
from backend.markets.provider_state import ProviderState, load_states, store_states, update_state
from backend.markets.tables import candle_series_json
from backend.store.database import Database, upsert
from backend.upstream.jitter import jitter

log = structlog.get_logger(__name__)


class CandleReader:
    """Reads and, if needed, fetches the candles of one asset at a time."""

    def __init__(self, database: Database, market: Market) -> None:
        self._database = database
        self._market = market
        self._realm = market.sources.realm
        self._fetch_locks: dict[tuple[str, Span], threading.Lock] = {}
        self._locks_guard = threading.Lock()

    def read(self, asset: Asset, span: Span, now: datetime) -> bytes:
        """Build the response of ``GET /assets/{id}/candles``."""
        ohlc = self._find_ohlc(asset, span, now)
        series = ohlc if ohlc and ohlc["body"] != EMPTY_ARRAY else self._load_sampled(asset, span, now)
        return orjson.dumps(
            {
                "id": asset.id,
                "span": span,
                "interval_seconds": CANDLE_SECONDS_BY_SPAN[span],
                "basis": series["basis"],
                "source": series["source"],
                "last_updated": series["as_of"] and format_timestamp(series["as_of"]),
                "candles": orjson.Fragment(trim_to_span(series["body"], span, now)),
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

    def _find_ohlc(self, asset: Asset, span: Span, now: datetime) -> dict[str, Any] | None:
        if not asset.enabled:
            return None
        stored = self._load_fresh_ohlc(asset.id, span, now)
        if stored:
            return stored
        with self._fetch_lock(asset.id, span):
            # Another request may have fetched it meanwhile.
            return self._load_fresh_ohlc(asset.id, span, now) or self._fetch_ohlc(asset, span, now)

    def _load_fresh_ohlc(self, asset_id: str, span: Span, now: datetime) -> dict[str, Any] | None:
        stored = self._load_stored(asset_id, span, "ohlc")
        if stored is None or now - stored["as_of"] >= self._market.sources.ohlc_fresh_for:
            return None
        return stored

    def _fetch_ohlc(self, asset: Asset, span: Span, now: datetime) -> dict[str, Any] | None:
        source = self._market.sources.ohlc
        if not self._can_fetch(source.name, now):
            return None
        cost = 0 if self._market.sources.history else 1
        try:
            candles = source.ohlc(asset, span, now)
        except ProviderError as error:
            log.info("candles_fetch_failed", provider=source.name, fault=error.kind.value)
            if error.kind not in (ErrorKind.NOT_FOUND, *NOT_ALLOWED):
                self._record_failure(error, now)
                return None
            # A plan without this endpoint, or an unknown id, is no failure of the provider. An empty
            # series is stored, so that it is not requested again at once.
            return self._store_ohlc(asset.id, span, (), now)
        return self._store_ohlc(
            asset.id, span, candles, now, update=lambda state: state.record_success(None, cost, now)
        )

    def _store_ohlc(
        self,
        asset_id: str,
        span: Span,
        candles: Sequence[Candle],
        now: datetime,
        *,
        update: Callable[[ProviderState], ProviderState] | None = None,
    ) -> dict[str, Any]:
        provider = self._market.sources.ohlc.name
        row = {
            "realm": self._realm,
            "asset_id": asset_id,
            "span": span,
            "basis": "ohlc",
            "source": source_label((provider,)) or "",
            "as_of": now,
            "body": encode_candles(candles),
        }
        with self._database.write() as connection:
            upsert(connection, candle_series_json, [row])
            if update is not None:
                states = load_states(connection, self._market, lock=True)
                store_states(connection, self._realm, {provider: update(states[provider])})
        return row

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

    def _load_sampled(self, asset: Asset, span: Span, now: datetime) -> dict[str, Any]:
        if span == "7d":
            stored = self._load_stored(asset.id, "7d", "sparkline")
            return stored or {"basis": "sparkline", "source": None, "as_of": None, "body": EMPTY_ARRAY}
        stored = self._load_stored(asset.id, "24h", "polls")
        body = stored["body"] if stored else EMPTY_ARRAY
        with self._database.read() as connection:
            current = load_open_candles(connection, self._realm, [asset.id], HALF_HOUR_SECONDS, now).get(
                asset.id
            )
        if current is not None:
            body = append_candle(body, current)
        as_of = now if current is not None else stored and stored["as_of"]
        return {
            "basis": "polls",
            "source": stored and stored["source"],
            "as_of": stored and as_of,
            "body": body,
        }

    def _load_stored(self, asset_id: str, span: Span, basis: str) -> dict[str, Any] | None:
        condition = sa.and_(
            candle_series_json.c.realm == self._realm,
            candle_series_json.c.asset_id == asset_id,
            candle_series_json.c.span == span,
            candle_series_json.c.basis == basis,
        )
        with self._database.read() as connection:
            row = connection.execute(sa.select(candle_series_json).where(condition)).mappings().one_or_none()
        return None if row is None else dict(row)

    def _fetch_lock(self, asset_id: str, span: Span) -> threading.Lock:
        with self._locks_guard:
            return self._fetch_locks.setdefault((asset_id, span), threading.Lock())
