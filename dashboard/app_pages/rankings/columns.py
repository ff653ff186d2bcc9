"""Lists the rank table's columns, filters and spans by their codes in links. Pure."""

from collections.abc import Mapping
from typing import get_args

from dashboard.client.market_schemas import Span

SPANS: tuple[Span, ...] = get_args(Span)
SLOTS: Mapping[Span, int] = {"24h": 48, "7d": 42}
CANDLE_MS: Mapping[Span, int] = {"24h": 1_800_000, "7d": 14_400_000}
COLUMNS = ("rank", "name", "price", "1h", "24h", "7d", "30d", "cap", "volume", "trend", "source")
"""Column codes, in screen order; they stand in links, so they never change."""
SORTABLE = tuple(column for column in COLUMNS if column != "trend")
FIXED_COLUMNS = ("name", "price")
DEFAULT_COLUMNS = ("rank", "name", "price", "1h", "24h", "7d", "cap", "trend", "source")
DEFAULT_SORT: tuple[tuple[str, bool], ...] = (("cap", True),)
FACETS = ("gainers", "losers", "stable", "unpegged", "flagged")
MIN_CAPS = (0, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000)
MAX_SORT_KEYS = 4
