"""The Overview's rows, made once per change of the data for all sessions."""

import threading
from dataclasses import dataclass
from functools import partial

from dashboard.app_pages.overview import market_figures
from dashboard.app_pages.overview.market_figures import Coin, Event
from dashboard.client import Fetched, connection, markets
from dashboard.client.market_schemas import (
    FigureFacts,
    MarketIncident,
    MarketOverview,
    MarketStatus,
    PriceRecord,
    RankedToken,
    Span,
)

MOST_OPEN, MOST_OVER = 200, 100
"""How many incidents are asked for: more than a reader goes through."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything that one refresh shows; each answer says itself whether it is new, old or missing."""

    rankings: Fetched[list[RankedToken]]
    prices: Fetched[dict[str, PriceRecord]]
    figures: Fetched[dict[str, FigureFacts]]
    overview: Fetched[MarketOverview]
    status: Fetched[MarketStatus]
    open_incidents: Fetched[list[MarketIncident]]
    past_incidents: Fetched[list[MarketIncident]]
    coins: list[Coin]

    @property
    def answers(self) -> tuple[Fetched[object], ...]:
        incidents = (self.open_incidents, self.past_incidents)
        return (self.overview, self.rankings, self.prices, self.figures, self.status, *incidents)

    @property
    def events(self) -> list[Event] | None:
        """The incidents of 30 days, those that are open first; null while they are not known."""
        still_open, over = self.open_incidents.data, self.past_incidents.data
        return None if still_open is None or over is None else market_figures.incidents(still_open, over)


_lock = threading.Lock()
_coins: dict[Span, tuple[tuple[object, ...], list[Coin]]] = {}


def gather(span: Span) -> Gathered:
    still_open = connection.start_call(partial(markets.fetch_incidents, is_open=True, limit=MOST_OPEN))
    over = connection.start_call(partial(markets.fetch_incidents, is_open=False, limit=MOST_OVER))
    rankings, prices, figures = markets.fetch_rankings(span), markets.fetch_prices(), markets.fetch_figures()
    rows = _rows(rankings, prices, figures, span)
    return Gathered(
        rankings,
        prices,
        figures,
        markets.fetch_overview(),
        markets.fetch_status(),
        still_open.result(),
        over.result(),
        rows,
    )


def _rows(
    rankings: Fetched[list[RankedToken]],
    prices: Fetched[dict[str, PriceRecord]],
    figures: Fetched[dict[str, FigureFacts]],
    span: Span,
) -> list[Coin]:
    made_from = (rankings.data, prices.data, figures.data)
    with _lock:
        known = _coins.get(span)
        if known is not None and all(a is b for a, b in zip(known[0], made_from, strict=True)):
            return known[1]
        rows = market_figures.coins(rankings.data or (), prices.data or {}, figures.data or {}, span)
        _coins[span] = (made_from, rows)
        return rows
