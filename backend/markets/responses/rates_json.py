"""Encodes the rates of display currencies as JSON. No I/O."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import orjson

from backend.markets.model import DISPLAY_CURRENCIES, PublishedPrice, source_label
from backend.markets.numbers import compute_rate, is_sane
from backend.markets.responses.json_values import optional_timestamp, to_decimal_string
from backend.markets.responses.overview_json import Overview

BASE = DISPLAY_CURRENCIES[0]


def encode_rates(overview: Overview, bitcoin: PublishedPrice | None) -> bytes:
    """Encode what one USD is worth in each currency.

    The rate of bitcoin comes from its published price, so that its price in BTC is 1.
    """
    rates = {code: _encode_rate(None, None, None) for code in DISPLAY_CURRENCIES}
    rates[BASE] = _encode_rate(Decimal(1), None, None)
    if overview.rates is not None:
        source = source_label((overview.rates.provider,), stale=overview.rates_stale)
        for code, rate in overview.rates.rates.items():
            rates[code] = _encode_rate(rate, source, overview.rates.as_of)
    if bitcoin is not None and bitcoin.price:
        rate = compute_rate(Decimal(1), bitcoin.price)
        if is_sane(rate):
            rates["BTC"] = _encode_rate(rate, bitcoin.source, bitcoin.last_updated)
    return orjson.dumps({"base": BASE, "rates": rates})


def _encode_rate(rate: Decimal | None, source: str | None, as_of: datetime | None) -> dict[str, Any]:
    return {
        "rate": to_decimal_string(rate),
        "source": source,
        "last_updated": optional_timestamp(as_of),
    }
