"""Builds the payload of the rank table: the rows in columns, as compact JSON.

Sessions with the same data and language share one payload, which is built once per change. Amounts are
sent as formatted text and as exact decimals, the order of columns as ordinals (see
:func:`dashboard.app_pages.rankings.rows.compute_ordinals`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import orjson

from dashboard.app_pages.rankings.category_names import translate_category
from dashboard.app_pages.rankings.columns import CANDLE_COUNTS, CANDLE_MS, MIN_CAPS, SORTABLE, TREND_LEVELS
from dashboard.app_pages.rankings.rows import FLAGS, Row, compute_ordinals, sort_rows
from dashboard.app_pages.rankings.table_view import build_slug
from dashboard.client.market_schemas import Span
from dashboard.frame import providers
from dashboard.frame.formats import MINUS, percent, significant


@dataclass(frozen=True, slots=True)
class Formats:
    """Formatters of amounts in the reader's language."""

    price: Callable[[Decimal], str]
    compact: Callable[[Decimal], str]


def build_payload(
    rows: Sequence[Row], span: Span, words: Mapping[str, Any], formats: Formats, built: float
) -> bytes:
    """Builds the table as JSON. ``words`` are the component's texts, ``built`` the current epoch seconds."""
    names = dict.fromkeys(category for row in rows for category in row.categories)
    labels = {name: translate_category(name, words["lang"]) for name in names}
    ordered_names = sorted(names, key=lambda name: labels[name].lower())
    number = {name: n for n, name in enumerate(ordered_names)}
    sources = list(dict.fromkeys(row.source for row in rows))
    position_by_id = {row.id: n for n, row in enumerate(sort_rows(rows, ()))}
    newest = max((int(row.candles[-1][0] or 0) for row in rows if row.candles), default=0)
    bounds = [_find_price_bounds(row) for row in rows]
    columns: dict[str, Any] = {
        "id": [row.id for row in rows],
        "symbol": [row.symbol for row in rows],
        "name": [row.name for row in rows],
        "otherNames": [row.other_names for row in rows],
        "icon": [row.icon for row in rows],
        "rank": [row.rank for row in rows],
        "place": [position_by_id[row.id] for row in rows],
        "price": [None if row.price is None else f"{row.price:f}" for row in rows],
        "priceText": [_format(row.price, formats.price) for row in rows],
        "1h": [format_signed(row.pct_1h) for row in rows],
        "24h": [format_signed(row.pct_24h) for row in rows],
        "7d": [format_signed(row.pct_7d) for row in rows],
        "30d": [format_signed(row.pct_30d) for row in rows],
        "capText": [_format(row.market_cap, formats.compact) for row in rows],
        "volumeText": [_format(row.volume, formats.compact) for row in rows],
        "tier": [find_cap_tier(row.market_cap) for row in rows],
        "stable": [int(row.stablecoin) for row in rows],
        "stale": [int(row.stale) for row in rows],
        "state": [find_row_state(row) for row in rows],
        "flags": [row.flags for row in rows],
        "rule": [row.rule for row in rows],
        "spread": [None if row.spread is None else significant(row.spread, 2) for row in rows],
        "source": [sources.index(row.source) for row in rows],
        "at": [None if row.last_updated is None else int(row.last_updated.timestamp()) for row in rows],
        "categories": [[number[category] for category in row.categories] for row in rows],
        "low": [_format(low, formats.price) for low, _ in bounds],
        "high": [_format(high, formats.price) for _, high in bounds],
        "trend": [
            encode_trend(row.candles, low, high, newest, span)
            for row, (low, high) in zip(rows, bounds, strict=True)
        ],
        "order": {column: compute_ordinals(rows, column) for column in SORTABLE},
    }
    return orjson.dumps(
        {
            "built": built,
            "slots": CANDLE_COUNTS[span],
            "hasVolume": any(row.volume is not None for row in rows),
            "categories": [(build_slug(name), labels[name]) for name in ordered_names],
            "sources": [build_source_names(source, words) for source in sources],
            "words": words,
            "columns": columns,
        }
    )


def _format(value: Decimal | None, formatter: Callable[[Decimal], str]) -> str | None:
    return None if value is None else formatter(value)


def _find_price_bounds(row: Row) -> tuple[Decimal | None, Decimal | None]:
    lows = [candle[3] for candle in row.candles if candle[3] is not None]
    highs = [candle[2] for candle in row.candles if candle[2] is not None]
    return (Decimal(str(min(lows))), Decimal(str(max(highs)))) if lows and highs else (None, None)


def format_signed(change: Decimal | None) -> str | None:
    """Formats a percentage with an ASCII sign, by which the browser finds the direction."""
    return None if change is None else percent(change).removesuffix("%").replace(MINUS, "-")


def find_cap_tier(cap: Decimal | None) -> int | None:
    """Finds the highest step of the capitalisation filter that a capitalisation reaches."""
    return None if cap is None else max((n for n, step in enumerate(MIN_CAPS) if cap >= step), default=0)


def find_row_state(row: Row) -> str:
    """Finds the state that the source mark shows: the most serious one."""
    if row.stale:
        return "stale"
    for flag in FLAGS:
        if flag in row.flags:
            return flag
    if row.source is None:
        return "unknown"
    if row.sample:
        return "sample"
    return "fresh" if "+" in row.source else "single"


def build_source_names(source: str | None, words: Mapping[str, Any]) -> tuple[str, str]:
    """Builds a source's short name for the cell and its sentence for the tooltip."""
    if source is None:
        return words["states"]["unknown"], words["source_none"]
    names = providers.split_source(source)
    if names == ["sample"]:
        return words["states"]["sample"], words["source_sample"]
    long = " + ".join(providers.get_name(name) for name in names)
    short = words["both"] if len(names) > 1 else providers.get_short_name(names[0])
    return short, words["source_live"].replace("{names}", long)


def encode_trend(
    candles: Sequence[Sequence[float | None]],
    low: Decimal | None,
    high: Decimal | None,
    newest: int,
    span: Span,
) -> str:
    """Encodes four characters per candle, oldest first, ending at ``newest``; blanks for a missing candle.

    The scale runs from the row's low to its high in :data:`TREND_LEVELS` steps, for drawing only.
    """
    if low is None or high is None:
        return ""
    prices_by_slot = {
        (newest - int(row[0] or 0)) // CANDLE_MS[span]: row[1:5] for row in candles if None not in row[1:5]
    }
    backs = [back for back in prices_by_slot if 0 <= back < CANDLE_COUNTS[span]]
    if not backs:
        return ""
    text = _encode_levels(
        np.array([prices_by_slot[back] for back in backs], dtype=float), float(low), float(high)
    )
    slots = {back: text[4 * n : 4 * n + 4] for n, back in enumerate(backs)}
    return "".join(slots.get(back, "    ") for back in range(max(backs), -1, -1))


def _encode_levels(prices: np.ndarray, low: float, high: float) -> str:
    """Encodes each figure as a character of code 35 to 125, without the backslash that JSON escapes."""
    if high <= low:
        steps = np.full(prices.size, TREND_LEVELS // 2)
    else:
        share = (prices.ravel() - low) / (high - low)
        steps = np.clip(np.rint(share * (TREND_LEVELS - 1)), 0, TREND_LEVELS - 1).astype(int)
    return (steps + np.where(steps < 57, 35, 36)).astype(np.uint8).tobytes().decode("ascii")
