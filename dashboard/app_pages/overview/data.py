"""Loads the Overview's data and caches its rows for all sessions until the data change."""

import threading
from dataclasses import dataclass
from functools import partial

from dashboard.app_pages.overview import market_figures
from dashboard.app_pages.overview.market_figures import Coin, IncidentEntry
from dashboard.client import Fetched, connection, markets
from dashboard.client.market_schemas import (
    FigureFacts,
    MarketIncident,
    MarketOverview,
    MarketStatus,
    PriceRecord,
    RankedToken,
    Span,
    TotalsHistory,
)
from dashboard.i18n import LANGUAGES, Language

MAX_OPEN_INCIDENTS, MAX_CLOSED_INCIDENTS = 200, 100
"""More incidents than a reader looks through."""


@dataclass(frozen=True, slots=True)
class OverviewData:
    """The results of one refresh; each one states whether its data are fresh, stale or missing.

    ``totals`` is no part of ``results``: without it only the sparklines of the totals are missing.
    """

    rankings: Fetched[list[RankedToken]]
    prices: Fetched[dict[str, PriceRecord]]
    figures: Fetched[dict[str, FigureFacts]]
    overview: Fetched[MarketOverview]
    totals: Fetched[TotalsHistory]
    status: Fetched[MarketStatus]
    open_incidents: Fetched[list[MarketIncident]]
    closed_incidents: Fetched[list[MarketIncident]]
    coins: list[Coin]

    @property
    def results(self) -> tuple[Fetched[object], ...]:
        incident_results = (self.open_incidents, self.closed_incidents)
        return (self.overview, self.rankings, self.prices, self.figures, self.status, *incident_results)

    @property
    def incidents(self) -> list[IncidentEntry] | None:
        """The incidents of the last 30 days, open ones first; ``None`` while they are unknown."""
        open_incidents, closed = self.open_incidents.data, self.closed_incidents.data
        if open_incidents is None or closed is None:
            return None
        names = {coin.id: coin.name for coin in self.coins}
        return market_figures.merge_incidents(open_incidents, closed, names)


_lock = threading.Lock()
_coins: dict[tuple[Span, Language], tuple[tuple[object, ...], list[Coin]]] = {}


def load_data(span: Span, lang: Language = LANGUAGES[0]) -> OverviewData:
    """Loads the data; assets have their names in ``lang``."""
    open_incidents = connection.start_call(
        partial(markets.fetch_incidents, is_open=True, limit=MAX_OPEN_INCIDENTS)
    )
    closed_incidents = connection.start_call(
        partial(markets.fetch_incidents, is_open=False, limit=MAX_CLOSED_INCIDENTS)
    )
    totals = connection.start_call(partial(markets.fetch_totals_history, "7d"))
    rankings, prices, figures = markets.fetch_rankings(span), markets.fetch_prices(), markets.fetch_figures()
    rows = _load_rows(rankings, prices, figures, span, lang)
    return OverviewData(
        rankings,
        prices,
        figures,
        markets.fetch_overview(),
        totals.result(),
        markets.fetch_status(),
        open_incidents.result(),
        closed_incidents.result(),
        rows,
    )


def _load_rows(
    rankings: Fetched[list[RankedToken]],
    prices: Fetched[dict[str, PriceRecord]],
    figures: Fetched[dict[str, FigureFacts]],
    span: Span,
    lang: Language,
) -> list[Coin]:
    names = markets.fetch_names().data
    sources = (rankings.data, prices.data, figures.data, names)
    with _lock:
        cached = _coins.get((span, lang))
        if cached is not None and all(a is b for a, b in zip(cached[0], sources, strict=True)):
            return cached[1]
        local_names = {asset: entry[lang] for asset, entry in (names or {}).items()}
        rows = market_figures.build_coins(
            rankings.data or (), prices.data or {}, figures.data or {}, span, local_names
        )
        _coins[span, lang] = (sources, rows)
        return rows
