"""Builds the price record of an asset and the facts behind its figures; pure."""

from dataclasses import dataclass
from typing import Any

from backend.markets.assets.model import Asset
from backend.markets.model import Published
from backend.markets.responses.json_values import number, optional_timestamp, text, told


@dataclass(frozen=True, slots=True)
class Entry:
    """An asset and the figure that the service stands behind now."""

    asset: Asset
    figure: Published


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
        "last_updated": optional_timestamp(figure.last_updated),
        "pct_change_1h": text(figure.pct_change_1h),
        "pct_change_24h": text(figure.pct_change_24h),
        "pct_change_7d": text(figure.pct_change_7d),
        "pct_change_30d": text(figure.pct_change_30d),
        "ath": text(figure.ath),
        "ath_change_percentage": text(figure.ath_change_percentage),
        "ath_date": optional_timestamp(figure.ath_date),
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
