"""Sorts the assets of the rankings and builds their rows; pure."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

import orjson

from backend.markets.model import Span
from backend.markets.responses.json_values import icon_url, number, optional_timestamp, text
from backend.markets.responses.price_json import Entry

SortKey = Literal["market_cap", "pct_change_24h", "pct_change_7d"]
Order = Literal["asc", "desc"]


def ranked_token(entry: Entry, span: Span | None, strip: str | None) -> bytes:
    """One row of the rankings; ``strip`` is the candle array of ``span`` as it is sent."""
    asset, figure = entry.asset, entry.figure
    candles = orjson.Fragment(strip or "[]")
    return orjson.dumps(
        {
            "id": asset.id,
            "datasrc2_id": asset.datasrc2_id,
            "symbol": asset.symbol,
            "name": asset.name,
            "icon_url": icon_url(asset),
            "price_usd": text(figure.price),
            "market_cap": number(figure.market_cap),
            "market_cap_rank": figure.market_cap_rank,
            "pct_change_24h": text(figure.pct_change_24h),
            "pct_change_7d": text(figure.pct_change_7d),
            "candles_7d": candles if span == "7d" else [],
            "candles_24h": candles if span == "24h" else [],
            "last_updated": optional_timestamp(figure.last_updated),
        }
    )


def rank_order(entries: Sequence[Entry], sort: SortKey, order: Order) -> list[int]:
    """Positions of ``entries`` in the asked order.

    A null key goes last in either order; ties break by ``market_cap_rank`` (null last), then id.
    """

    def tie(entry: Entry) -> tuple[bool, int, str]:
        rank = entry.figure.market_cap_rank
        return (rank is None, rank or 0, entry.asset.id)

    def key(position: int) -> tuple[bool, Decimal, tuple[bool, int, str]]:
        entry = entries[position]
        value: Decimal | None = getattr(entry.figure, sort)
        if value is None:
            return (True, Decimal(0), tie(entry))
        return (False, -value if order == "desc" else value, tie(entry))

    return sorted(range(len(entries)), key=key)
