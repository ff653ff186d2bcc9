"""Encodes the history of the market's totals as JSON. No I/O."""

import orjson

from backend.markets.model import TotalsHistory, TotalsSpan
from backend.markets.numbers import format_timestamp
from backend.markets.responses.json_values import optional_timestamp, to_decimal_string


def encode_totals_history(span: TotalsSpan, mode: str, source: str | None, history: TotalsHistory) -> bytes:
    return orjson.dumps(
        {
            "span": span,
            "mode": mode,
            "source": source,
            "history_since": optional_timestamp(history.since),
            "points": [
                {
                    "at": format_timestamp(point.as_of),
                    "market_cap": to_decimal_string(point.market_cap),
                    "volume_24h": to_decimal_string(point.volume_24h),
                    "btc_market_cap_percentage": to_decimal_string(point.btc_market_cap_percentage),
                    "eth_market_cap_percentage": to_decimal_string(point.eth_market_cap_percentage),
                }
                for point in history.points
            ],
        }
    )
