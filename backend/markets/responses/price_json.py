"""Builds the price record of an asset and the details of its figure. No I/O."""

from dataclasses import dataclass
from typing import Any

from backend.markets.assets.model import Asset
from backend.markets.model import PublishedPrice
from backend.markets.responses.json_values import (
    build_reason_fields,
    optional_timestamp,
    to_decimal_string,
    to_json_number,
)


@dataclass(frozen=True, slots=True)
class PricedAsset:
    """An asset and its current published figure."""

    asset: Asset
    figure: PublishedPrice


def build_price_record(entry: PricedAsset) -> dict[str, Any]:
    asset, figure = entry.asset, entry.figure
    return {
        "id": asset.id,
        "datasrc2_id": asset.datasrc2_id,
        "symbol": asset.symbol,
        "source": figure.source,
        "price_usd": to_decimal_string(figure.price),
        "market_cap": to_json_number(figure.market_cap),
        "market_cap_rank": figure.market_cap_rank,
        "last_updated": optional_timestamp(figure.last_updated),
        "pct_change_1h": to_decimal_string(figure.pct_change_1h),
        "pct_change_24h": to_decimal_string(figure.pct_change_24h),
        "pct_change_7d": to_decimal_string(figure.pct_change_7d),
        "pct_change_30d": to_decimal_string(figure.pct_change_30d),
        "ath": to_decimal_string(figure.ath),
        "ath_change_percentage": to_decimal_string(figure.ath_change_percentage),
        "ath_date": optional_timestamp(figure.ath_date),
    }


def build_figure_facts(entry: PricedAsset) -> dict[str, Any]:
    figure = entry.figure
    return {
        "rule": figure.rule,
        **build_reason_fields("reason", figure.reason),
        "flags": list(figure.flags),
        "stale": figure.stale,
        "spread_pct": to_decimal_string(figure.spread_pct),
        "volume_24h": to_json_number(figure.volume_24h),
    }
