"""The verbs of the market domain, as endpoints and commands call them."""

from datetime import datetime, timedelta
from typing import Any

import orjson

from backend.errors import NotFound
from backend.formats.timestamps import Clock, utc_now
from backend.http.prepared_responses import Prepared
from backend.markets import configuration
from backend.markets.aggregation.state import IncidentKind
from backend.markets.assets.model import Asset
from backend.markets.candles.series_reader import CandleReader
from backend.markets.model import Span
from backend.markets.responses import asset_json, queries, quote_json, status_json
from backend.markets.responses.price_json import Entry, price_record
from backend.markets.responses.queries import IncidentQuery
from backend.markets.responses.snapshot import MarketView
from backend.settings import Settings
from backend.store.database import Database

INCIDENTS_FOR = timedelta(days=30)
MOST_OF_ONE = 200
"""Incidents of a single asset that its quotes tell of."""
SPREADS_FOR = timedelta(hours=24)


class MarketService:
    """Reads the market for one process; see :mod:`backend.markets.refresh` for what writes it."""

    def __init__(self, settings: Settings, database: Database, *, now: Clock = utc_now) -> None:
        self._settings = settings
        self._database = database
        self._now = now
        self.market = configuration.prepare(settings, database)
        self.view = MarketView(database, self.market, now=now)
        self._candles = CandleReader(database, self.market)

    def asset(self, asset_id: str) -> bytes:
        return asset_json.asset_json(self._entry(self._known(asset_id)))

    def aggregation(self, term: str) -> bytes:
        """The price record of the asset that ``term`` names: an id, a symbol or a source id."""
        snapshot = self.view.snapshot
        asset = snapshot.book.resolve(term, snapshot.market_caps)
        if asset is None:
            raise NotFound(
                f"No configured asset has the id, symbol or source id {term[:80]!r}. GET /assets lists them."
            )
        return orjson.dumps(price_record(self._entry(asset)))

    def quotes(self, asset_id: str) -> bytes:
        asset, now = self._known(asset_id), self._now()
        realm = self.market.sources.realm
        return orjson.dumps(
            quote_json.quotes_answer(
                self._entry(asset),
                queries.quotes_of_asset(self._database, realm, asset.id),
                queries.incidents_of(
                    self._database,
                    realm,
                    IncidentQuery((asset.id,), now - INCIDENTS_FOR, limit=MOST_OF_ONE),
                ),
                queries.spreads_since(self._database, realm, asset.id, now - SPREADS_FOR),
                now=now,
                policy=self.market.policy,
                traits=configuration.traits_of(asset),
            )
        )

    def incidents(
        self, asset_id: str | None, kind: IncidentKind | None, is_open: bool | None, limit: int
    ) -> Prepared:
        """Enabled assets' incidents of the last 30 days; read anew each time, since filters are many."""
        enabled = {asset.id: asset for asset in self.view.snapshot.book.enabled}
        assets = tuple(enabled) if asset_id is None else (asset_id,) if asset_id in enabled else ()
        wanted = IncidentQuery(assets, self._now() - INCIDENTS_FOR, kind, is_open, limit)
        rows = queries.incidents_of(self._database, self.market.sources.realm, wanted) if assets else []
        answer = Prepared(orjson.dumps(quote_json.incidents_answer(rows, enabled)))
        answer.compress()
        return answer

    def candles(self, asset_id: str, span: Span) -> bytes:
        asset = self._known(asset_id)
        return self._candles.read(asset, span, self._now())

    def candles_around(self, asset_id: str, at: datetime) -> bytes:
        return self._candles.around(self._known(asset_id), at)

    def status(self) -> dict[str, Any]:
        return status_json.status_answer(
            self._database, self.market, self.view.snapshot, self._settings.mode, self._now()
        )

    def close(self) -> None:
        self.market.close()

    def _known(self, asset_id: str) -> Asset:
        asset = self.view.snapshot.book.by_id.get(asset_id)
        if asset is None:
            raise NotFound(f"No configured asset has the id {asset_id[:80]!r}. GET /assets lists them.")
        return asset

    def _entry(self, asset: Asset) -> Entry:
        return Entry(asset, self.view.snapshot.figure(asset))
