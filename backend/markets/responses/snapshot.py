"""Serves the market from one immutable snapshot, which is replaced when the data changes.

The change watcher's thread builds a snapshot, never a request: after any process commits a refresh, and when
a figure becomes stale. Each response is built at most once per snapshot. Responses requested recently are
built together with the snapshot, so that no reader waits.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cached_property

import orjson

from backend.formats.timestamps import Clock, utc_now
from backend.http.prepared_responses import Prepared
from backend.markets.aggregation.freshness import apply_staleness, next_staleness_change
from backend.markets.assets.model import Asset
from backend.markets.assets.registry import AssetRegistry
from backend.markets.assets.symbol_lookup import assign_legacy_keys
from backend.markets.candles.candle_json import trim_to_span
from backend.markets.configuration import Market
from backend.markets.model import PublishedPrice, Span
from backend.markets.reasons import build_reason
from backend.markets.responses import asset_json, queries
from backend.markets.responses.overview_json import Overview, encode_overview
from backend.markets.responses.price_json import PricedAsset, build_figure_facts, build_price_record
from backend.markets.responses.rankings_json import Order, SortKey, encode_ranked_token, sort_positions
from backend.markets.responses.rates_json import encode_rates
from backend.runtime import metrics
from backend.store.database import Database

CHANGE_TOPIC = "markets"
"""Topic of the change counter."""

BITCOIN = "bitcoin"
"""Id of the asset whose price is the rate of BTC."""

MAX_CACHED_RESPONSES = 512
"""Maximum number of cached responses, so that arbitrary query strings cannot fill the memory."""

MAX_REBUILT_RESPONSES = 32
"""Maximum number of responses that are built with each snapshot; the latest requested stay."""


def build_empty_price(asset: Asset) -> PublishedPrice:
    return PublishedPrice(
        asset_id=asset.id,
        price=None,
        providers=(),
        stale=False,
        last_updated=None,
        rule="none",
        reason=build_reason("nothing_yet"),
    )


@dataclass(frozen=True)
class Snapshot:
    """The data of the market endpoints at one moment."""

    registry: AssetRegistry
    published_prices: Mapping[str, PublishedPrice]
    candle_json: Mapping[tuple[str, Span], str]
    overview: Overview
    built_at: datetime
    next_change: datetime | None
    _responses: dict[object, Prepared] = field(default_factory=dict)
    _fragments: dict[Span | None, list[bytes]] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @cached_property
    def entries(self) -> tuple[PricedAsset, ...]:
        """Enabled assets in the order of the configuration."""
        return tuple(PricedAsset(asset, self.figure(asset)) for asset in self.registry.enabled)

    @cached_property
    def market_caps(self) -> Mapping[str, Decimal | None]:
        return {asset.id: self.figure(asset).market_cap for asset in self.registry.all}

    def figure(self, asset: Asset) -> PublishedPrice:
        return self.published_prices.get(asset.id) or build_empty_price(asset)

    def rankings(self, sort: SortKey, order: Order, span: Span | None, limit: int | None) -> Prepared:
        count = len(self.entries)
        row_count = count if limit is None else min(limit, count)

        def build() -> bytes:
            fragments = self._build_ranked_rows(span)
            positions = sort_positions(self.entries, sort, order)[:row_count]
            return b"[" + b",".join(fragments[position] for position in positions) + b"]"

        return self._build_once(("rankings", sort, order, span, row_count), build)

    def prices(self) -> Prepared:
        def build() -> bytes:
            return orjson.dumps({entry.asset.id: build_price_record(entry) for entry in self.entries})

        return self._build_once("prices", build, negotiated=True)

    def figures_facts(self) -> Prepared:
        def build() -> bytes:
            return orjson.dumps({entry.asset.id: build_figure_facts(entry) for entry in self.entries})

        return self._build_once("figures", build)

    def legacy_prices(self) -> Prepared:
        def build() -> bytes:
            keyed = assign_legacy_keys(self.registry.enabled, self.market_caps)
            return orjson.dumps(
                {
                    key: build_price_record(PricedAsset(asset, self.figure(asset)))
                    for key, asset in keyed.items()
                }
            )

        return self._build_once("prices/all", build, DEPRECATED_PRICES)

    def assets(self, which: str) -> Prepared:
        def build() -> bytes:
            chosen = [
                asset for asset in self.registry if which == "all" or asset.enabled == (which == "enabled")
            ]
            entries = [PricedAsset(asset, self.figure(asset)) for asset in chosen]
            positions = sort_positions(entries, "market_cap", "desc")
            return (
                b"[" + b",".join(asset_json.encode_asset(entries[position]) for position in positions) + b"]"
            )

        return self._build_once(("assets", which), build)

    def market_overview(self) -> Prepared:
        return self._build_once("overview", lambda: encode_overview(self.overview))

    def rates(self) -> Prepared:
        def build() -> bytes:
            return encode_rates(self.overview, self.published_prices.get(BITCOIN))

        return self._build_once("rates", build)

    def _build_ranked_rows(self, span: Span | None) -> list[bytes]:
        with self._lock:
            if span not in self._fragments:
                self._fragments[span] = [
                    encode_ranked_token(entry, span, span and self.candle_json.get((entry.asset.id, span)))
                    for entry in self.entries
                ]
            return self._fragments[span]

    def _build_once(
        self,
        key: object,
        build: Callable[[], bytes],
        extra: Sequence[tuple[bytes, bytes]] = (),
        *,
        negotiated: bool = False,
    ) -> Prepared:
        with self._lock:
            response = self._responses.get(key)
            if response is None:
                response = Prepared(build(), extra=extra, negotiated=negotiated)
                if len(self._responses) < MAX_CACHED_RESPONSES:
                    self._responses[key] = response
        response.compress()
        return response


RequestKey = tuple[str, bytes]
"""A path and a query string as received."""
ResponseBuilder = Callable[[Snapshot], Prepared]

ALWAYS_BUILT: Mapping[RequestKey, ResponseBuilder] = {
    ("/rankings", b""): lambda snapshot: snapshot.rankings("market_cap", "desc", None, None),
    ("/rankings", b"with_candles=7d"): lambda snapshot: snapshot.rankings("market_cap", "desc", "7d", None),
    ("/rankings", b"with_candles=24h"): lambda snapshot: snapshot.rankings("market_cap", "desc", "24h", None),
    ("/prices", b""): Snapshot.prices,
    ("/prices/all", b""): Snapshot.legacy_prices,
    ("/markets/figures", b""): Snapshot.figures_facts,
    ("/assets", b""): lambda snapshot: snapshot.assets("enabled"),
    ("/crypto/market-overview", b""): Snapshot.market_overview,
    ("/markets/rates", b""): Snapshot.rates,
}

DEPRECATED_SINCE = b"@1767225600"  # 2026-01-01T00:00:00Z, RFC 9745 section 2.1
DEPRECATED_PRICES = (
    (b"deprecation", DEPRECATED_SINCE),
    (b"link", b'</prices>; rel="successor-version"'),
)


class MarketView:
    """Holds the current snapshot and its cached responses by request."""

    def __init__(self, database: Database, market: Market, *, now: Clock = utc_now) -> None:
        self._database = database
        self._market = market
        self._now = now
        self._lock = threading.Lock()
        self._stored = queries.EMPTY_SNAPSHOT
        self._builders: dict[RequestKey, ResponseBuilder] = {}
        self._responses: dict[RequestKey, Prepared] = {}
        self.snapshot = self._build_snapshot()
        self._replace_snapshot()

    def reload(self) -> None:
        """Load the stored data and replace the snapshot and its responses."""
        ids = [asset.id for asset in self._market.registry.enabled]
        self._stored = queries.load_snapshot_rows(
            self._database, self._market.sources.realm, ids, self._now()
        )
        self._replace_snapshot()

    def refresh_if_stale(self) -> None:
        """Replace the snapshot if a figure or the overview became stale, or if the clock was set back."""
        due, now = self.snapshot.next_change, self._now()
        if now < self.snapshot.built_at or (due is not None and now >= due):
            self._replace_snapshot()

    def find(self, path: str, query: bytes) -> Prepared | None:
        """Return the cached response to exactly this request, if there is one."""
        return self._responses.get((path, query))

    def answer(self, path: str, query: bytes, build: ResponseBuilder) -> Prepared:
        """Build the response and cache it for this request, in this and later snapshots."""
        # Read before the snapshot, so that an older snapshot's response is not cached in a newer one.
        responses = self._responses
        response = build(self.snapshot)
        if len(responses) < MAX_CACHED_RESPONSES:
            responses[path, query] = response
        with self._lock:
            self._builders.pop((path, query), None)
            self._builders[path, query] = build
            if len(self._builders) > MAX_REBUILT_RESPONSES:
                self._builders.pop(next(iter(self._builders)))
        return response

    def _replace_snapshot(self) -> None:
        with metrics.SNAPSHOT_SECONDS.time():
            snapshot = self._build_snapshot()
            with self._lock:
                builders = {**self._builders, **ALWAYS_BUILT}
            responses = {key: build(snapshot) for key, build in builders.items()}
        self.snapshot, self._responses = snapshot, responses
        metrics.SNAPSHOT_AT.set_to_current_time()

    def _build_snapshot(self) -> Snapshot:
        now, stored, policy = self._now(), self._stored, self._market.policy
        published_prices = {
            asset_id: apply_staleness(published, now, policy)
            for asset_id, published in stored.published_prices.items()
        }
        moments = [
            moment
            for published in published_prices.values()
            if (moment := next_staleness_change(published, policy))
        ]
        moments += [moment for moment in stored.list_overview_expiry_times() if moment > now]
        sources = self._market.sources
        return Snapshot(
            registry=self._market.registry,
            published_prices=published_prices,
            candle_json={
                key: trim_to_span(array_json, key[1], now) for key, array_json in stored.candle_json.items()
            },
            overview=stored.build_overview(
                now,
                totals_providers=[source.name for source in sources.overview],
                fear_greed_providers=[source.name for source in sources.fear_greed],
            ),
            built_at=now,
            next_change=min(moments, default=None),
        )
