"""Lists the rank table's columns, filters and limits. Codes occur in links, so they never change.

The browser's part gets these facts as :data:`TABLE_OPTIONS`. No I/O.
"""

from collections.abc import Mapping
from typing import Any

from dashboard.client.market_schemas import SPANS, ChartSpan

CANDLE_COUNTS: Mapping[ChartSpan, int] = {"1h": 12, "24h": 48, "7d": 42, "30d": 180, "90d": 90, "1y": 365}
CANDLE_MS: Mapping[ChartSpan, int] = {
    "1h": 300_000,
    "24h": 1_800_000,
    "7d": 14_400_000,
    "30d": 14_400_000,
    "90d": 86_400_000,
    "1y": 86_400_000,
}
COLUMNS = ("rank", "name", "price", "1h", "24h", "7d", "30d", "cap", "volume", "trend", "source")
"""In screen order."""
PHONE_COLUMNS = ("rank", "name", "price", "24h", "1h", "7d", "30d", "cap", "volume", "trend", "source")
"""In the screen order of phones, where only two figures fit beside the name. Links keep the other order."""
SORTABLE = tuple(column for column in COLUMNS if column != "trend")
FIXED_COLUMNS = ("name", "price")
DEFAULT_COLUMNS = ("rank", "name", "price", "1h", "24h", "7d", "cap", "trend", "source")
DEFAULT_SORT: tuple[tuple[str, bool], ...] = (("cap", True),)
FACETS = ("gainers", "losers", "stable", "unpegged", "flagged")
MIN_CAPS = (0, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000)
EXCLUSIVE_FACETS: Mapping[str, str] = {
    "gainers": "losers",
    "losers": "gainers",
    "stable": "unpegged",
    "unpegged": "stable",
}
"""The facet that each of these facets excludes."""
MAX_SORT_KEYS = 4
MAX_QUERY_CHARS = 60
MAX_WATCHED_IDS = 200
MAX_COMPARED_ASSETS = 6
TREND_LEVELS = 90
"""Steps between a row's lowest and highest price in its mini candles; 36 pixels show fewer."""
VIEW_PARAMS = ("q", "sort", "facet", "cat", "min", "cols", "span", "watch")
"""Query parameters that the browser's part of the table writes to the URL."""

TABLE_OPTIONS: Mapping[str, Any] = {
    "columns": COLUMNS,
    "phoneColumns": PHONE_COLUMNS,
    "sortable": SORTABLE,
    "fixedColumns": FIXED_COLUMNS,
    "defaultColumns": DEFAULT_COLUMNS,
    "defaultSort": DEFAULT_SORT,
    "spans": SPANS,
    "facets": FACETS,
    "exclusiveFacets": EXCLUSIVE_FACETS,
    "minCaps": MIN_CAPS,
    "maxSortKeys": MAX_SORT_KEYS,
    "maxQueryChars": MAX_QUERY_CHARS,
    "maxWatchedIds": MAX_WATCHED_IDS,
    "maxComparedAssets": MAX_COMPARED_ASSETS,
    "trendLevels": TREND_LEVELS,
    "viewParams": VIEW_PARAMS,
}
"""Sent to the browser with the script of the table."""
