"""The Overview's rows, made once per change of the data for all sessions."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from dashboard.client import Fetched, api
from dashboard.client.flags import flags as known_flags
from dashboard.client.wire import AssetQuotes, MarketOverview, MarketStatus, PriceRecord, RankedToken
from dashboard.services import overview
from dashboard.services.overview import Coin, Span

MOST_ASKED = 8
"""Assets without a fresh figure whose quotes are asked for at once, to say why."""


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
_volumes: tuple[object, Mapping[str, Decimal | None]] = (None, {})


def gather(span: Span) -> Gathered:
    rankings, prices = api.rankings(span), api.prices()
    day = rankings if span == "24h" else api.rankings("24h")
    return Gathered(rankings, prices, api.overview(), api.status(), _rows(rankings, day, prices, span))


def doubts(gathered: Gathered) -> tuple[dict[str, AssetQuotes], Mapping[str, tuple[str, ...]]]:
    """What is known of the providers' quotes, and the flags; a walk through all goes on behind it."""
    prices = gathered.prices.data or {}
    flags = known_flags(list(prices))
    kept = api.quotes_kept()
    unsure = [
        asset_id
        for asset_id, record in prices.items()
        if record["price_usd"] is None or (record["source"] or "").endswith(":stale")
    ]
    for asset_id in [asset_id for asset_id in unsure if asset_id not in kept][:MOST_ASKED]:
        answer = api.quotes(asset_id)
        if answer.data is not None:
            kept[asset_id] = answer.data
    return {asset_id: answer for asset_id, answer in kept.items() if asset_id in prices}, flags


def _rows(
    rankings: Fetched[list[RankedToken]],
    day: Fetched[list[RankedToken]],
    prices: Fetched[dict[str, PriceRecord]],
    span: Span,
) -> list[Coin]:
    global _volumes
    made_from = (rankings.data, day.data, prices.data)
    with _lock:
        known = _coins.get(span)
        if known is not None and all(a is b for a, b in zip(known[0], made_from, strict=True)):
            return known[1]
        if _volumes[0] is not day.data:
            _volumes = (
                day.data,
                {token["id"]: overview.day_volume(token["candles_24h"]) for token in day.data or ()},
            )
        rows = overview.coins(rankings.data or (), prices.data or {}, _volumes[1], span)
        _coins[span] = (made_from, rows)
        return rows
