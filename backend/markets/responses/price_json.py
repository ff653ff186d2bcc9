"""From published figures to the JSON that is sent; pure.

Numbers are printed from the exact decimal as raw JSON literals: no float in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import orjson

from backend.markets.assets.registry import Asset
from backend.markets.model import FearGreed, GlobalFigures, Published, Span, source_label
from backend.markets.numbers import compact_usd, json_number, plain, stamp
from backend.markets.reasons import Reason

SortKey = Literal["market_cap", "pct_change_24h", "pct_change_7d"]
Order = Literal["asc", "desc"]


@dataclass(frozen=True, slots=True)
class Entry:
    """An asset and the figure that the service stands behind now."""

    asset: Asset
    figure: Published


@dataclass(frozen=True, slots=True)
class Overview:
    """The market overview's two blocks, each whole from one provider, or unknown."""

    totals: GlobalFigures | None
    totals_stale: bool
    fear_greed: FearGreed | None
    fear_greed_stale: bool


def number(value: Decimal | None) -> orjson.Fragment | None:
    return None if value is None else orjson.Fragment(json_number(value))


def text(value: Decimal | None) -> str | None:
    return None if value is None else plain(value)


def told(name: str, reason: Reason | None) -> dict[str, Any]:
    """The fields ``name``, ``name_code`` and ``name_values`` of a reason."""
    if reason is None:
        return {name: None, f"{name}_code": None, f"{name}_values": {}}
    return {name: reason.text, f"{name}_code": reason.code, f"{name}_values": dict(reason.values)}


def icon_url(asset: Asset) -> str:
    return f"/assets/{asset.id}/icon"


def price_record(entry: Entry) -> dict[str, Any]:
    asset, figure = entry.asset, entry.figure
    return {
        "id": asset.id,
        "datasrc2_id": asset.datasrc2_id,
        "symbol": asset.symbol,
        "source": figure.source,
        "price_usd": text(figure.price),
        "market_cap": number(figure.market_cap),
        "market_cap_rank": figure.market_cap_rank,
        "last_updated": _stamp(figure),
        "pct_change_1h": text(figure.pct_change_1h),
        "pct_change_24h": text(figure.pct_change_24h),
        "pct_change_7d": text(figure.pct_change_7d),
        "pct_change_30d": text(figure.pct_change_30d),
        "ath": text(figure.ath),
        "ath_change_percentage": text(figure.ath_change_percentage),
        "ath_date": None if figure.ath_date is None else stamp(figure.ath_date),
    }


def figure_facts(entry: Entry) -> dict[str, Any]:
    figure = entry.figure
    return {
        "rule": figure.rule,
        **told("reason", figure.reason),
        "flags": list(figure.flags),
        "stale": figure.stale,
        "spread_pct": text(figure.spread_pct),
        "volume_24h": number(figure.volume_24h),
    }


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
            "last_updated": _stamp(figure),
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


def overview_answer(overview: Overview) -> bytes:
    totals, mood = overview.totals, overview.fear_greed
    when = stamp(totals.as_of) if totals else None
    source = source_label((totals.provider,), stale=overview.totals_stale) if totals else None

    def total(value: Decimal | None, change: Decimal | None) -> dict[str, Any]:
        return {
            "value": number(value),
            "display_value": None if value is None else compact_usd(value),
            "change_24h": number(change),
            "last_updated": when,
            "source": source,
        }

    cap, volume = total(None, None), total(None, None)
    if totals:
        cap = total(totals.market_cap, totals.market_cap_change_24h)
        volume = total(totals.volume_24h, totals.volume_change_24h)
    return orjson.dumps(
        {
            "fear_greed": {
                "value": mood.value if mood else None,
                "label": mood.label if mood else None,
                "last_updated": stamp(mood.as_of) if mood else None,
                "source": source_label((mood.provider,), stale=overview.fear_greed_stale) if mood else None,
            },
            "market_cap": cap,
            "volume_24h": volume,
            "btc_market_cap_percentage": number(totals.btc_market_cap_percentage) if totals else None,
        }
    )


def _stamp(figure: Published) -> str | None:
    return None if figure.last_updated is None else stamp(figure.last_updated)
