"""Sorts assets for the rankings and encodes their rows. No I/O."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

import orjson

from backend.markets.model import Span
from backend.markets.responses.json_values import (
    build_icon_url,
    optional_timestamp,
    to_decimal_string,
    to_json_number,
)
from backend.markets.responses.price_json import PricedAsset

SortKey = Literal["market_cap", "pct_change_24h", "pct_change_7d"]
Order = Literal["asc", "desc"]


def encode_ranked_token(entry: PricedAsset, span: Span | None, array_json: str | None) -> bytes:
    """Encode one row of the rankings; ``array_json`` is the JSON array of candles of ``span``."""
    asset, figure = entry.asset, entry.figure
    candles = orjson.Fragment(array_json or "[]")
    return orjson.dumps(
        {
            "id": asset.id,
            "datasrc2_id": asset.datasrc2_id,
            "symbol": asset.symbol,
            "name": asset.name,
            "icon_url": build_icon_url(asset),
            "price_usd": to_decimal_string(figure.price),
            "market_cap": to_json_number(figure.market_cap),
            "market_cap_rank": figure.market_cap_rank,
            "pct_change_24h": to_decimal_string(figure.pct_change_24h),
            "pct_change_7d": to_decimal_string(figure.pct_change_7d),
            "candles_7d": candles if span == "7d" else [],
            "candles_24h": candles if span == "24h" else [],
            "last_updated": optional_timestamp(figure.last_updated),
        }
    )


def sort_positions(entries: Sequence[PricedAsset], sort: SortKey, order: Order) -> list[int]:
    """Sort the positions of ``entries``.

    A null value is last in either order. Ties break by ``market_cap_rank`` (null last), then by id.
    """

    def tie(entry: PricedAsset) -> tuple[bool, int, str]:
        rank = entry.figure.market_cap_rank
        return (rank is None, rank or 0, entry.asset.id)

    def key(position: int) -> tuple[bool, Decimal, tuple[bool, int, str]]:
        entry = entries[position]
        value: Decimal | None = getattr(entry.figure, sort)
        if value is None:
            return (True, Decimal(0), tie(entry))
        return (False, -value if order == "desc" else value, tie(entry))

    return sorted(range(len(entries)), key=key)
