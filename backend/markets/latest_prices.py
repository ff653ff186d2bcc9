"""Loads the latest prices for the command line, and refreshes them first if none are stored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from backend.errors import NotFound, Unavailable
from backend.markets import configuration
from backend.markets.refresh import Refresher
from backend.markets.responses.price_json import PricedAsset, build_price_record
from backend.markets.responses.rankings_json import sort_positions
from backend.markets.responses.snapshot import MarketView, Snapshot
from backend.settings import Settings
from backend.store.database import Database


@dataclass(frozen=True, slots=True)
class LatestPrices:
    """Priced assets in display order, and the time that their ages count from."""

    entries: Sequence[PricedAsset]
    now: datetime

    def as_json(self) -> list[dict[str, Any]]:
        records: list[dict[str, Any]] = [
            orjson.loads(orjson.dumps(build_price_record(entry))) for entry in self.entries
        ]
        return records


def load_latest_prices(
    settings: Settings,
    database: Database,
    terms: Sequence[str],
    limit: int,
    refresh: bool,
    report_progress: Callable[[str], None],
) -> LatestPrices:
    """Load the latest prices of ``terms`` (ids, symbols or source ids), or of the ``limit`` largest assets.

    Raises :class:`NotFound` for a term without an asset, :class:`Unavailable` if all called providers fail.
    """
    market = configuration.build_market(settings, database)
    try:
        view = MarketView(database, market)
        view.reload()
        if refresh or not view.snapshot.published_prices:
            report_progress(f"Asking {', '.join(market.sources.names)}…")
            report = Refresher(database, market).tick(datetime.now(UTC))
            if report.failed and not report.answered:
                messages = " ".join(dict.fromkeys(report.failed.values()))
                raise Unavailable(f"No provider answered. Check the network. {messages}")
            view.reload()
    finally:
        market.close()
    return LatestPrices(_select_entries(view.snapshot, terms, limit), datetime.now(UTC))


def _select_entries(snapshot: Snapshot, terms: Sequence[str], limit: int) -> list[PricedAsset]:
    if not terms:
        return [snapshot.entries[i] for i in sort_positions(snapshot.entries, "market_cap", "desc")[:limit]]
    chosen = []
    for term in terms:
        asset = snapshot.registry.resolve(term, snapshot.market_caps)
        if asset is None:
            raise NotFound(f"No configured asset has the id, symbol or source id '{term}'.")
        chosen.append(PricedAsset(asset, snapshot.figure(asset)))
    return chosen
