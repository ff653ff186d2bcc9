"""The Overview's rows, made once per change of the data for all sessions."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.client import Fetched, api
from dashboard.client.flags import flags as known_flags
from dashboard.client.wire import AssetQuotes, MarketOverview, MarketStatus, PriceRecord, RankedToken
from dashboard.services import overview
from dashboard.services.overview import Coin, Span

MOST_ASKED = 8
"""Doubtful assets whose quotes are asked for at once, to say why."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything that one refresh shows; each answer says itself whether it is new, old or missing."""

    rankings: Fetched[list[RankedToken]]
    prices: Fetched[dict[str, PriceRecord]]
    overview: Fetched[MarketOverview]
    status: Fetched[MarketStatus]
    coins: list[Coin]

    @property
    def answers(self) -> tuple[Fetched[object], ...]:
        return (self.overview, self.rankings, self.prices, self.status)


_lock = threading.Lock()
_coins: dict[Span, tuple[tuple[object, ...], list[Coin]]] = {}


def gather(span: Span) -> Gathered:
    rankings, prices = api.rankings(span), api.prices()
    return Gathered(rankings, prices, api.overview(), api.status(), _rows(rankings, prices, span))


def doubts(gathered: Gathered) -> tuple[dict[str, AssetQuotes], Mapping[str, tuple[str, ...]]]:
    """What is known of the providers' quotes, and the flags; a walk through all goes on behind it."""
    prices, names = gathered.prices.data or {}, {coin.id: coin.name for coin in gathered.coins}
    flags = known_flags(list(prices))
    kept = api.quotes_kept()
    listed = [worry.asset_id for worry in overview.worries(prices, kept, flags, names)[:MOST_ASKED]]
    for asset_id in (asset_id for asset_id in listed if asset_id not in kept):
        answer = api.quotes(asset_id)
        if answer.data is not None:
            kept[asset_id] = answer.data
    return {asset_id: answer for asset_id, answer in kept.items() if asset_id in prices}, flags


def _rows(
    rankings: Fetched[list[RankedToken]], prices: Fetched[dict[str, PriceRecord]], span: Span
) -> list[Coin]:
    made_from = (rankings.data, prices.data)
    with _lock:
        known = _coins.get(span)
        if known is not None and all(a is b for a, b in zip(known[0], made_from, strict=True)):
            return known[1]
        rows = overview.coins(rankings.data or (), prices.data or {}, span)
        _coins[span] = (made_from, rows)
        return rows
