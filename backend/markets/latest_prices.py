"""Prices for a terminal: read from the store, asked for first where there are none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from backend.errors import NotFound, Unavailable
from backend.markets import configuration
from backend.markets.refresh import Refresher
from backend.markets.responses.price_json import Entry, price_record
from backend.markets.responses.rankings_json import rank_order
from backend.markets.responses.snapshot import MarketView, Snapshot
from backend.settings import Settings
from backend.store.database import Database


@dataclass(frozen=True, slots=True)
class Prices:
    """Entries in the order to show, and the moment that ages count from."""

    entries: Sequence[Entry]
    now: datetime

    def as_json(self) -> list[dict[str, Any]]:
        records: list[dict[str, Any]] = [
            orjson.loads(orjson.dumps(price_record(entry))) for entry in self.entries
        ]
        return records


def prices_now(
    settings: Settings,
    database: Database,
    terms: Sequence[str],
    limit: int,
    refresh: bool,
    say: Callable[[str], None],
) -> Prices:
    """The latest prices: of ``terms`` (ids, symbols or source ids) in their order, or the largest ``limit``.

    Raises :class:`NotFound` for a term that names no asset, :class:`Unavailable` when the providers
    were asked and none answered.
    """
    market = configuration.prepare(settings, database)
    try:
        view = MarketView(database, market)
        view.reload()
        if refresh or not view.snapshot.figures:
            say(f"Asking {', '.join(market.sources.names)}…")
            report = Refresher(database, market).tick(datetime.now(UTC))
            if report.failed and not report.answered:
                reasons = " ".join(dict.fromkeys(report.failed.values()))
                raise Unavailable(f"No provider answered. Check the network. {reasons}")
            view.reload()
    finally:
        market.close()
    return Prices(_chosen(view.snapshot, terms, limit), datetime.now(UTC))


def _chosen(snapshot: Snapshot, terms: Sequence[str], limit: int) -> list[Entry]:
    if not terms:
        return [snapshot.entries[i] for i in rank_order(snapshot.entries, "market_cap", "desc")[:limit]]
    chosen = []
    for term in terms:
        asset = snapshot.book.resolve(term, snapshot.market_caps)
        if asset is None:
            raise NotFound(f"No configured asset has the id, symbol or source id '{term}'.")
        chosen.append(Entry(asset, snapshot.figure(asset)))
    return chosen
