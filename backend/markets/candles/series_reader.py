"""The candles of one opened asset: true OHLC where it can be had, else our own sampled ones.

A series asked for again before the provider computes a new one is answered from the store. A
provider that may not be asked (breaker, budget) or does not answer leaves what we have, labelled
with its basis.
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
from backend.markets.candles.candle_json import EMPTY, put, strip_of, window
from backend.markets.candles.price_history import HALF_HOUR, current_candles
from backend.markets.configuration import Market
from backend.markets.model import (
    NOT_ALLOWED,
    SPAN_SECONDS,
    Candle,
    ErrorKind,
    ProviderError,
    Span,
    source_label,
)
from backend.markets.numbers import format_timestamp
from backend.markets.provider_state import ProviderState, change_state, load_states, store_states
from backend.markets.tables import candle_strips
from backend.store.database import Database, upsert
from backend.upstream.jitter import jitter

log = structlog.get_logger(__name__)


class CandleReader:
    """Reads, and where needed fetches, the candles of one asset at a time."""

    def __init__(self, database: Database, market: Market) -> None:
        self._database = database
        self._market = market
        self._realm = market.sources.realm
        self._fetching: dict[tuple[str, Span], threading.Lock] = {}
        self._guard = threading.Lock()

    def read(self, asset: Asset, span: Span, now: datetime) -> bytes:
        """The answer of ``GET /assets/{id}/candles``."""
        true = self._ohlc(asset, span, now)
        found = true if true and true["body"] != EMPTY else self._sampled(asset, span, now)
        return orjson.dumps(
            {
                "id": asset.id,
                "span": span,
                "interval_seconds": SPAN_SECONDS[span],
                "basis": found["basis"],
                "source": found["source"],
                "last_updated": found["as_of"] and format_timestamp(found["as_of"]),
                "candles": orjson.Fragment(window(found["body"], span, now)),
            }
        )

    def around(self, asset: Asset, at: datetime) -> bytes:
        """The answer of ``GET /assets/{id}/candles/around``: what is kept, at no provider's cost."""
        with self._database.read() as connection:
            found = price_history.around(connection, self._realm, asset.id, at)
        return orjson.dumps(
            {
                "id": asset.id,
                "at": format_timestamp(at),
                "interval_seconds": found.seconds,
                "basis": "polls",
                "source": "sample" if self._realm.startswith("sample") and found.candles else None,
                "candles": orjson.Fragment(strip_of(found.candles)),
            }
        )

    def _ohlc(self, asset: Asset, span: Span, now: datetime) -> dict[str, Any] | None:
        if not asset.enabled:
            return None
        stored = self._fresh_ohlc(asset.id, span, now)
        if stored:
            return stored
        with self._one_at_a_time(asset.id, span):
            # Another request may have fetched it meanwhile.
            return self._fresh_ohlc(asset.id, span, now) or self._fetch(asset, span, now)

    def _fresh_ohlc(self, asset_id: str, span: Span, now: datetime) -> dict[str, Any] | None:
        stored = self._stored(asset_id, span, "ohlc")
        if stored is None or now - stored["as_of"] >= self._market.sources.ohlc_fresh_for:
            return None
        return stored

    def _fetch(self, asset: Asset, span: Span, now: datetime) -> dict[str, Any] | None:
        source = self._market.sources.ohlc
        if not self._may_ask(source.name, now):
            return None
        cost = 0 if self._market.sources.history else 1
        try:
            candles = source.ohlc(asset, span, now)
        except ProviderError as error:
            log.info("candles_fetch_failed", provider=source.name, fault=error.kind.value)
            if error.kind not in (ErrorKind.NOT_FOUND, *NOT_ALLOWED):
                self._tell_breaker(error, now)
                return None
            # A plan without this endpoint, or an id that is gone, says nothing of the provider:
            # an empty series is kept, so that it is not asked for again at once.
            return self._keep(asset.id, span, (), now)
        return self._keep(asset.id, span, candles, now, learnt=lambda state: state.answered(None, cost, now))

    def _keep(
        self,
        asset_id: str,
        span: Span,
        candles: Sequence[Candle],
        now: datetime,
        *,
        learnt: Callable[[ProviderState], ProviderState] | None = None,
    ) -> dict[str, Any]:
        provider = self._market.sources.ohlc.name
        row = {
            "realm": self._realm,
            "asset_id": asset_id,
            "span": span,
            "basis": "ohlc",
            "source": source_label((provider,)) or "",
            "as_of": now,
            "body": strip_of(candles),
        }
        with self._database.write() as connection:
            upsert(connection, candle_strips, [row])
            if learnt is not None:
                states = load_states(connection, self._market, lock=True)
                store_states(connection, self._realm, {provider: learnt(states[provider])})
        return row

    def _tell_breaker(self, error: ProviderError, now: datetime) -> None:
        share = jitter()
        change_state(
            self._database, self._market, error.provider, lambda state: state.failed(error, share, now)
        )

    def _may_ask(self, provider: str, now: datetime) -> bool:
        with self._database.read() as connection:
            state = load_states(connection, self._market)[provider]
        planned = self._market.polling_plan.schedules[provider].credits_per_month
        return state.breaker.is_allowed(now) and state.budget.can_spend_on_demand(1, now, planned)

    def _sampled(self, asset: Asset, span: Span, now: datetime) -> dict[str, Any]:
        if span == "7d":
            stored = self._stored(asset.id, "7d", "sparkline")
            return stored or {"basis": "sparkline", "source": None, "as_of": None, "body": EMPTY}
        stored = self._stored(asset.id, "24h", "polls")
        body = stored["body"] if stored else EMPTY
        with self._database.read() as connection:
            current = current_candles(connection, self._realm, [asset.id], HALF_HOUR, now).get(asset.id)
        if current is not None:
            body = put(body, current)
        as_of = now if current is not None else stored and stored["as_of"]
        return {
            "basis": "polls",
            "source": stored and stored["source"],
            "as_of": stored and as_of,
            "body": body,
        }

    def _stored(self, asset_id: str, span: Span, basis: str) -> dict[str, Any] | None:
        condition = sa.and_(
            candle_strips.c.realm == self._realm,
            candle_strips.c.asset_id == asset_id,
            candle_strips.c.span == span,
            candle_strips.c.basis == basis,
        )
        with self._database.read() as connection:
            row = connection.execute(sa.select(candle_strips).where(condition)).mappings().one_or_none()
        return None if row is None else dict(row)

    def _one_at_a_time(self, asset_id: str, span: Span) -> threading.Lock:
        with self._guard:
            return self._fetching.setdefault((asset_id, span), threading.Lock())
