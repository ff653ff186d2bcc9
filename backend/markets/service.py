"""Implements the operations of the market domain for endpoints and commands."""

from datetime import datetime, timedelta
from typing import Any

import orjson

from backend.errors import NotFound
from backend.formats.timestamps import Clock, utc_now
from backend.markets import configuration, totals_history
from backend.markets.aggregation.state import IncidentKind
from backend.markets.assets.model import Asset
from backend.markets.candles.series_reader import CandleReader
from backend.markets.model import TOTALS_PERIODS, ChartSpan, TotalsHistory, TotalsSpan, source_label
from backend.markets.responses import asset_json, queries, quote_json, status_json, totals_json
from backend.markets.responses.price_events import PriceEvents
from backend.markets.responses.price_json import PricedAsset, build_price_record
from backend.markets.responses.queries import IncidentQuery
from backend.markets.responses.snapshot import MarketView
from backend.settings import Settings
from backend.store.database import Database

INCIDENTS_PERIOD = timedelta(days=30)
MAX_INCIDENTS_PER_ASSET = 200
"""Maximum number of incidents in the response about one asset's quotes."""
SPREADS_PERIOD = timedelta(hours=24)


class MarketService:
    """Reads the market for one process. :mod:`backend.markets.refresh` writes it."""

    def __init__(self, settings: Settings, database: Database, *, now: Clock = utc_now) -> None:
        self._settings = settings
        self._database = database
        self._now = now
        self.market = configuration.build_market(settings, database)
        self.view = MarketView(database, self.market, now=now)
        self.price_events = PriceEvents(self.view)
        self._candles = CandleReader(database, self.market)

    def asset(self, asset_id: str) -> bytes:
        return asset_json.encode_asset(self._find_priced_asset(self._find_asset(asset_id)))

    def aggregation(self, term: str) -> bytes:
        """Build the price record of the asset with the id, symbol or source id ``term``."""
        snapshot = self.view.snapshot
        asset = snapshot.registry.resolve(term, snapshot.market_caps)
        if asset is None:
            raise NotFound(
                f"No configured asset has the id, symbol or source id {term[:80]!r}. GET /assets lists them."
            )
        return orjson.dumps(build_price_record(self._find_priced_asset(asset)))

    def quotes(self, asset_id: str) -> bytes:
        asset, now = self._find_asset(asset_id), self._now()
        realm = self.market.sources.realm
        return orjson.dumps(
            quote_json.build_quotes_response(
                self._find_priced_asset(asset),
                queries.load_quotes(self._database, realm, asset.id),
                queries.load_incidents(
                    self._database,
                    realm,
                    IncidentQuery((asset.id,), now - INCIDENTS_PERIOD, limit=MAX_INCIDENTS_PER_ASSET),
                ),
                queries.load_spreads(self._database, realm, asset.id, now - SPREADS_PERIOD),
                now=now,
                policy=self.market.policy,
                traits=configuration.build_traits(asset),
            )
        )

    def incidents(
        self, asset_id: str | None, kind: IncidentKind | None, is_open: bool | None, limit: int
    ) -> list[dict[str, Any]]:
        """Load incidents of enabled assets of the last 30 days, newest first, in the endpoint's shape."""
        enabled = {asset.id: asset for asset in self.view.snapshot.registry.enabled}
        assets = tuple(enabled) if asset_id is None else (asset_id,) if asset_id in enabled else ()
        query = IncidentQuery(assets, self._now() - INCIDENTS_PERIOD, kind, is_open, limit)
        rows = queries.load_incidents(self._database, self.market.sources.realm, query) if assets else []
        return quote_json.build_incidents_response(rows, enabled)

    def candles(self, asset_id: str, span: ChartSpan) -> bytes:
        asset = self._find_asset(asset_id)
        return self._candles.read(asset, span, self._now())

    def candles_around(self, asset_id: str, at: datetime) -> bytes:
        return self._candles.around(self._find_asset(asset_id), at)

    def totals_history(self, span: TotalsSpan) -> bytes:
        """Build the history of the totals that the overview shows now, so that a line ends at its figure."""
        overview, now = self.view.snapshot.overview, self._now()
        history, source = TotalsHistory(), None
        if overview.totals is not None:
            providers = (overview.totals.provider,)
            source = source_label(providers, stale=overview.totals_stale)
            with self._database.read() as connection:
                history = totals_history.load_history(
                    connection,
                    self.market.sources.realm,
                    source_label(providers) or "",
                    now - TOTALS_PERIODS[span],
                    now,
                )
        return totals_json.encode_totals_history(span, self._settings.mode, source, history)

    def status(self) -> dict[str, Any]:
        return status_json.build_status_response(
            self._database, self.market, self.view.snapshot, self._settings.mode, self._now()
        )

    def close(self) -> None:
        self.market.close()

    def _find_asset(self, asset_id: str) -> Asset:
        asset = self.view.snapshot.registry.by_id.get(asset_id)
        if asset is None:
            raise NotFound(f"No configured asset has the id {asset_id[:80]!r}. GET /assets lists them.")
        return asset

    def _find_priced_asset(self, asset: Asset) -> PricedAsset:
        return PricedAsset(asset, self.view.snapshot.figure(asset))
