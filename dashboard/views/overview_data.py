"""The Overview's rows, made once per change of the data for all sessions."""

import threading
from dataclasses import dataclass
from functools import partial

from dashboard.client import Fetched, api
from dashboard.client.wire import (
    AssetQuotes,
    FigureFacts,
    MarketOverview,
    MarketStatus,
    PriceRecord,
    RankedToken,
)
from dashboard.services import overview
from dashboard.services.overview import Coin, Span

MOST_ASKED = 8
"""Flagged assets whose quotes are asked for, since only they tell of incidents."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything that one refresh shows; each answer says itself whether it is new, old or missing."""

    rankings: Fetched[list[RankedToken]]
    prices: Fetched[dict[str, PriceRecord]]
    figures: Fetched[dict[str, FigureFacts]]
    overview: Fetched[MarketOverview]
    status: Fetched[MarketStatus]
    coins: list[Coin]

    @property
    def answers(self) -> tuple[Fetched[object], ...]:
        return (self.overview, self.rankings, self.prices, self.figures, self.status)


_lock = threading.Lock()
_coins: dict[Span, tuple[tuple[object, ...], list[Coin]]] = {}


def gather(span: Span) -> Gathered:
    rankings, prices, figures = api.rankings(span), api.prices(), api.figures()
    rows = _rows(rankings, prices, figures, span)
    return Gathered(rankings, prices, figures, api.overview(), api.status(), rows)


def flagged_quotes(gathered: Gathered) -> dict[str, AssetQuotes]:
    """The quotes of the assets in doubt, as far as the service gives them."""
    figures = gathered.figures.data or {}
    flagged = [asset_id for asset_id, facts in figures.items() if facts["flags"]][:MOST_ASKED]
    asked = {asset_id: api.ahead(partial(api.quotes, asset_id)) for asset_id in flagged}
    answers = {asset_id: answer.result().data for asset_id, answer in asked.items()}
    return {asset_id: answer for asset_id, answer in answers.items() if answer is not None}


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
        rows = overview.coins(rankings.data or (), prices.data or {}, figures.data or {}, span)
        _coins[span] = (made_from, rows)
        return rows
