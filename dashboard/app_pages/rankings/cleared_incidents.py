"""Finds the open incidents whose cause has gone, and describes them. No I/O.

The service closes an incident once its cause has been absent for :data:`QUIET_MINUTES`. Until then the
incident is open beside quotes that agree again.
"""

from collections.abc import Collection
from decimal import Decimal
from typing import Literal

from dashboard.client.market_schemas import AssetQuotes, Incident, Rule
from dashboard.frame.formats import parse_decimal

QUIET_MINUTES = 15
"""As in :class:`backend.markets.aggregation.policy.AggregationPolicy`."""
_AGREED_RULES: Collection[Rule] = ("mean", "median")
_CURRENT_RULES: Collection[Rule] = ("mean", "median", "single")
_DISPUTE_FLAGS = frozenset({"divergent", "conflict"})

ClearedCause = Literal["quotes", "peg"]
"""What is normal again: the quotes agree, or the price is at its peg."""


def find_cleared_cause(incident: Incident, quotes: AssetQuotes) -> ClearedCause | None:
    """Return what is normal again although ``incident`` is open; None for a closed or active one."""
    if incident["closed_at"] is not None:
        return None
    if incident["kind"] in ("divergent", "conflict"):
        is_agreed = quotes["rule"] in _AGREED_RULES and not _DISPUTE_FLAGS & set(quotes["flags"])
        return "quotes" if is_agreed else None
    if incident["kind"] == "depeg" and quotes["rule"] in _CURRENT_RULES:
        limit, price = incident["detail_values"].get("limit_pct"), parse_decimal(quotes["price_usd"])
        if isinstance(limit, str) and price is not None and abs(price - 1) * 100 <= Decimal(limit):
            return "peg"
    return None
