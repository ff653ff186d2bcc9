"""The market as this process serves it: one immutable snapshot, swapped when the data change.

A snapshot is built in the change watcher's thread, never in a request: when a refresh was
committed by any process, and when a figure grows stale by the clock alone. Each answer is built
at most once per snapshot; those asked for lately are built with it, so that no reader waits.
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
from backend.markets.assets.registry import AssetBook
from backend.markets.assets.symbol_lookup import legacy_keys
from backend.markets.candles.candle_json import window
from backend.markets.configuration import Market
from backend.markets.model import Published, Span
from backend.markets.reasons import build_reason
from backend.markets.responses import asset_json, queries
from backend.markets.responses.overview_json import Overview, overview_answer
from backend.markets.responses.price_json import Entry, figure_facts, price_record
from backend.markets.responses.rankings_json import Order, SortKey, rank_order, ranked_token
from backend.runtime import metrics
from backend.store.database import Database

CHANGED = "markets"
"""The change counter's topic."""

MOST_ALIASES = 512
"""How many spellings of queries are kept ready at once: a foreign query string must not fill memory."""

MOST_CARRIED = 32
"""How many of them are built anew with each snapshot, the latest asked first."""


def nothing_known(asset: Asset) -> Published:
    return Published(
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
    """All that the market endpoints answer from, at one moment."""

    book: AssetBook
    figures: Mapping[str, Published]
    strips: Mapping[tuple[str, Span], str]
    overview: Overview
    built_at: datetime
    next_change: datetime | None
    _made: dict[object, Prepared] = field(default_factory=dict)
    _fragments: dict[Span | None, list[bytes]] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Enabled assets in the book's order."""
        return tuple(Entry(asset, self.figure(asset)) for asset in self.book.enabled)

    @cached_property
    def market_caps(self) -> Mapping[str, Decimal | None]:
        return {asset.id: self.figure(asset).market_cap for asset in self.book.all}

    def figure(self, asset: Asset) -> Published:
        return self.figures.get(asset.id) or nothing_known(asset)

    def rankings(self, sort: SortKey, order: Order, span: Span | None, limit: int | None) -> Prepared:
        count = len(self.entries)
        shown = count if limit is None else min(limit, count)

        def build() -> bytes:
            fragments = self._ranked(span)
            positions = rank_order(self.entries, sort, order)[:shown]
            return b"[" + b",".join(fragments[position] for position in positions) + b"]"

        return self._once(("rankings", sort, order, span, shown), build)

    def prices(self) -> Prepared:
        def build() -> bytes:
            return orjson.dumps({entry.asset.id: price_record(entry) for entry in self.entries})

        return self._once("prices", build)

    def figures_facts(self) -> Prepared:
        def build() -> bytes:
            return orjson.dumps({entry.asset.id: figure_facts(entry) for entry in self.entries})

        return self._once("figures", build)

    def legacy_prices(self) -> Prepared:
        def build() -> bytes:
            keyed = legacy_keys(self.book.enabled, self.market_caps)
            return orjson.dumps(
                {key: price_record(Entry(asset, self.figure(asset))) for key, asset in keyed.items()}
            )

        return self._once("prices/all", build, DEPRECATED_PRICES)

    def assets(self, which: str) -> Prepared:
        def build() -> bytes:
            chosen = [asset for asset in self.book if which == "all" or asset.enabled == (which == "enabled")]
            entries = [Entry(asset, self.figure(asset)) for asset in chosen]
            positions = rank_order(entries, "market_cap", "desc")
            return b"[" + b",".join(asset_json.asset_json(entries[position]) for position in positions) + b"]"

        return self._once(("assets", which), build)

    def market_overview(self) -> Prepared:
        return self._once("overview", lambda: overview_answer(self.overview))

    def _ranked(self, span: Span | None) -> list[bytes]:
        with self._lock:
            if span not in self._fragments:
                self._fragments[span] = [
                    ranked_token(entry, span, span and self.strips.get((entry.asset.id, span)))
                    for entry in self.entries
                ]
            return self._fragments[span]

    def _once(
        self, key: object, build: Callable[[], bytes], extra: Sequence[tuple[bytes, bytes]] = ()
    ) -> Prepared:
        with self._lock:
            made = self._made.get(key)
            if made is None:
                made = Prepared(build(), extra=extra)
                if len(self._made) < MOST_ALIASES:
                    self._made[key] = made
        made.compress()
        return made


Spelling = tuple[str, bytes]
"""A path and a query string as they came."""
Recipe = Callable[[Snapshot], Prepared]

ALWAYS_READY: Mapping[Spelling, Recipe] = {
    ("/rankings", b""): lambda snapshot: snapshot.rankings("market_cap", "desc", None, None),
    ("/rankings", b"with_candles=7d"): lambda snapshot: snapshot.rankings("market_cap", "desc", "7d", None),
    ("/rankings", b"with_candles=24h"): lambda snapshot: snapshot.rankings("market_cap", "desc", "24h", None),
    ("/prices", b""): Snapshot.prices,
    ("/prices/all", b""): Snapshot.legacy_prices,
    ("/markets/figures", b""): Snapshot.figures_facts,
    ("/assets", b""): lambda snapshot: snapshot.assets("enabled"),
    ("/crypto/market-overview", b""): Snapshot.market_overview,
}

DEPRECATED_SINCE = b"@1767225600"  # 2026-01-01T00:00:00Z, RFC 9745 section 2.1
DEPRECATED_PRICES = (
    (b"deprecation", DEPRECATED_SINCE),
    (b"link", b'</prices>; rel="successor-version"'),
)


class MarketView:
    """Holds the current snapshot and the spellings of queries that lead to its answers."""

    def __init__(self, database: Database, market: Market, *, now: Clock = utc_now) -> None:
        self._database = database
        self._market = market
        self._now = now
        self._lock = threading.Lock()
        self._stored = queries.NOTHING
        self._carried: dict[Spelling, Recipe] = {}
        self._ready: dict[Spelling, Prepared] = {}
        self.snapshot = self._build()
        self._swap()

    def reload(self) -> None:
        """Read what is stored and swap in a new snapshot with its answers ready."""
        ids = [asset.id for asset in self._market.book.enabled]
        self._stored = queries.load(self._database, self._market.sources.realm, ids, self._now())
        self._swap()

    def by_the_clock(self) -> None:
        """Swap in a new snapshot when a figure or the overview has grown stale since the last one, or the
        clock has been put back behind it."""
        due, now = self.snapshot.next_change, self._now()
        if now < self.snapshot.built_at or (due is not None and now >= due):
            self._swap()

    def find(self, path: str, query: bytes) -> Prepared | None:
        """The answer that stands ready for this very spelling, if any."""
        return self._ready.get((path, query))

    def answer(self, path: str, query: bytes, recipe: Recipe) -> Prepared:
        """Make the answer, and let ``find`` give it for this spelling, now and in later snapshots."""
        ready = self._ready  # before the snapshot: an older one's answer must not stand among newer ones
        made = recipe(self.snapshot)
        if len(ready) < MOST_ALIASES:
            ready[path, query] = made
        with self._lock:
            self._carried.pop((path, query), None)
            self._carried[path, query] = recipe
            if len(self._carried) > MOST_CARRIED:
                self._carried.pop(next(iter(self._carried)))
        return made

    def _swap(self) -> None:
        with metrics.SNAPSHOT_SECONDS.time():
            snapshot = self._build()
            with self._lock:
                recipes = {**self._carried, **ALWAYS_READY}
            ready = {spelling: recipe(snapshot) for spelling, recipe in recipes.items()}
        self.snapshot, self._ready = snapshot, ready
        metrics.SNAPSHOT_AT.set_to_current_time()

    def _build(self) -> Snapshot:
        now, stored, policy = self._now(), self._stored, self._market.policy
        figures = {
            asset_id: apply_staleness(figure, now, policy) for asset_id, figure in stored.figures.items()
        }
        moments = [moment for figure in figures.values() if (moment := next_staleness_change(figure, policy))]
        moments += [moment for moment in stored.overview_changes() if moment > now]
        sources = self._market.sources
        return Snapshot(
            book=self._market.book,
            figures=figures,
            strips={key: window(strip, key[1], now) for key, strip in stored.strips.items()},
            overview=stored.overview(
                now,
                totals_from=[source.name for source in sources.overview],
                mood_from=[source.name for source in sources.fear_greed],
            ),
            built_at=now,
            next_change=min(moments, default=None),
        )
