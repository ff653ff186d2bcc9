"""Encodes the market overview as JSON. No I/O."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import orjson

from backend.markets.model import FearGreed, MarketTotals, source_label
from backend.markets.numbers import format_compact_usd, format_timestamp
from backend.markets.responses.json_values import to_json_number


@dataclass(frozen=True, slots=True)
class Overview:
    """The two blocks of the market overview and the exchange rates, each from one provider, null if unknown.

    ``rates`` are the totals that have exchange rates; those of the overview may have none.
    """

    totals: MarketTotals | None
    totals_stale: bool
    fear_greed: FearGreed | None
    fear_greed_stale: bool
    rates: MarketTotals | None = None
    rates_stale: bool = False


def encode_overview(overview: Overview) -> bytes:
    totals, fear_greed = overview.totals, overview.fear_greed
    last_updated = format_timestamp(totals.as_of) if totals else None
    source = source_label((totals.provider,), stale=overview.totals_stale) if totals else None
    fear_greed_source = (
        source_label((fear_greed.provider,), stale=overview.fear_greed_stale) if fear_greed else None
    )

    def encode_total(value: Decimal | None, change: Decimal | None) -> dict[str, Any]:
        return {
            "value": to_json_number(value),
            "display_value": None if value is None else format_compact_usd(value),
            "change_24h": to_json_number(change),
            "last_updated": last_updated,
            "source": source,
        }

    market_cap, volume = encode_total(None, None), encode_total(None, None)
    if totals:
        market_cap = encode_total(totals.market_cap, totals.market_cap_change_24h)
        volume = encode_total(totals.volume_24h, totals.volume_change_24h)
    return orjson.dumps(
        {
            "fear_greed": {
                "value": fear_greed.value if fear_greed else None,
                "label": fear_greed.label if fear_greed else None,
                "last_updated": format_timestamp(fear_greed.as_of) if fear_greed else None,
                "source": fear_greed_source,
            },
            "market_cap": market_cap,
            "volume_24h": volume,
            "btc_market_cap_percentage": to_json_number(totals.btc_market_cap_percentage) if totals else None,
        }
    )
