"""What the rank table is sent: the rows in columns, as compact JSON bytes.

The bytes are the same for every session that sees the same data in the same language, so they are
made once per change and shared. Amounts leave here as finished text and as the exact decimal;
orders leave as ordinals (see :func:`dashboard.app_pages.rankings.rows.order_numbers`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import orjson

from dashboard.app_pages.rankings.columns import CANDLE_MS, MIN_CAPS, SLOTS, SORTABLE
from dashboard.app_pages.rankings.rows import Row, arrange, order_numbers
from dashboard.app_pages.rankings.url_state import slug
from dashboard.client.market_schemas import Span
from dashboard.frame.formats import MINUS, percent, significant

LEVELS = 90
"""Steps between a row's lowest and highest price in its mini candles; 36 pixels show fewer."""
SHORT_NAMES = {"coingecko": "CoinGecko", "coinmarketcap": "CMC"}
LONG_NAMES = {"coingecko": "CoinGecko", "coinmarketcap": "CoinMarketCap"}
FLAGS = ("conflict", "divergent", "jump", "depeg")
"""Gravest first."""


@dataclass(frozen=True, slots=True)
class Formats:
    """How amounts are written in the reader's language."""

    price: Callable[[Decimal], str]
    compact: Callable[[Decimal], str]


def table_bytes(
    rows: Sequence[Row], span: Span, words: Mapping[str, Any], formats: Formats, built: float
) -> bytes:
    """The table as JSON. ``words`` are the component's texts; ``built`` is now, in epoch seconds."""
    names = dict.fromkeys(category for row in rows for category in row.categories)
    categories = sorted(((slug(name), name) for name in names), key=lambda pair: pair[1].lower())
    number = {name: n for n, (_, name) in enumerate(categories)}
    sources = list(dict.fromkeys(row.source for row in rows))
    place = {row.id: n for n, row in enumerate(arrange(rows, ()))}
    newest = max((int(row.candles[-1][0] or 0) for row in rows if row.candles), default=0)
    bounds = [_bounds(row) for row in rows]
    columns: dict[str, Any] = {
        "id": [row.id for row in rows],
        "symbol": [row.symbol for row in rows],
        "name": [row.name for row in rows],
        "icon": [row.icon for row in rows],
        "rank": [row.rank for row in rows],
        "place": [place[row.id] for row in rows],
        "price": [None if row.price is None else f"{row.price:f}" for row in rows],
        "priceText": [_text(row.price, formats.price) for row in rows],
        "1h": [signed(row.pct_1h) for row in rows],
        "24h": [signed(row.pct_24h) for row in rows],
        "7d": [signed(row.pct_7d) for row in rows],
        "30d": [signed(row.pct_30d) for row in rows],
        "capText": [_text(row.market_cap, formats.compact) for row in rows],
        "volumeText": [_text(row.volume, formats.compact) for row in rows],
        "tier": [cap_tier(row.market_cap) for row in rows],
        "stable": [int(row.stablecoin) for row in rows],
        "stale": [int(row.stale) for row in rows],
        "state": [row_state(row) for row in rows],
        "flags": [row.flags for row in rows],
        "rule": [row.rule for row in rows],
        "spread": [None if row.spread is None else significant(row.spread, 2) for row in rows],
        "source": [sources.index(row.source) for row in rows],
        "at": [None if row.last_updated is None else int(row.last_updated.timestamp()) for row in rows],
        "categories": [[number[category] for category in row.categories] for row in rows],
        "low": [_text(low, formats.price) for low, _ in bounds],
        "high": [_text(high, formats.price) for _, high in bounds],
        "trend": [
            encode_trend(row.candles, low, high, newest, span)
            for row, (low, high) in zip(rows, bounds, strict=True)
        ],
        "order": {column: order_numbers(rows, column) for column in SORTABLE},
    }
    return orjson.dumps(
        {
            "built": built,
            "slots": SLOTS[span],
            "hasVolume": any(row.volume is not None for row in rows),
            "categories": categories,
            "sources": [source_names(source, words) for source in sources],
            "words": words,
            "columns": columns,
        }
    )


def _text(value: Decimal | None, write: Callable[[Decimal], str]) -> str | None:
    return None if value is None else write(value)


def _bounds(row: Row) -> tuple[Decimal | None, Decimal | None]:
    lows = [candle[3] for candle in row.candles if candle[3] is not None]
    highs = [candle[2] for candle in row.candles if candle[2] is not None]
    return (Decimal(str(min(lows))), Decimal(str(max(highs)))) if lows and highs else (None, None)


def signed(change: Decimal | None) -> str | None:
    """Percent with an ASCII sign, which the browser reads the direction from; unsigned is no change."""
    return None if change is None else percent(change).removesuffix("%").replace(MINUS, "-")


def cap_tier(cap: Decimal | None) -> int | None:
    """The highest step of the minimum-cap filter that a cap reaches."""
    return None if cap is None else max((n for n, step in enumerate(MIN_CAPS) if cap >= step), default=0)


def row_state(row: Row) -> str:
    """The one word that the source mark shows; the gravest wins."""
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


def source_names(source: str | None, words: Mapping[str, Any]) -> tuple[str, str]:
    """A source's short name for the cell and the sentence for who asks."""
    if source is None:
        return words["states"]["unknown"], words["source_none"]
    names = source.split(":")[0].split("+")
    if names == ["sample"]:
        return words["states"]["sample"], words["source_sample"]
    long = " + ".join(LONG_NAMES.get(name, name) for name in names)
    short = words["both"] if len(names) > 1 else SHORT_NAMES.get(names[0], names[0])
    return short, words["source_live"].replace("{names}", long)


def encode_trend(
    candles: Sequence[Sequence[float | None]],
    low: Decimal | None,
    high: Decimal | None,
    newest: int,
    span: Span,
) -> str:
    """Four characters a candle, oldest first, ending at ``newest``; a missing candle is four blanks.

    The scale runs from the row's own low to its high in :data:`LEVELS` steps: a drawing, not data.
    """
    if low is None or high is None:
        return ""
    shown = {
        (newest - int(row[0] or 0)) // CANDLE_MS[span]: row[1:5] for row in candles if None not in row[1:5]
    }
    backs = [back for back in shown if 0 <= back < SLOTS[span]]
    if not backs:
        return ""
    text = _levels(np.array([shown[back] for back in backs], dtype=float), float(low), float(high))
    slots = {back: text[4 * n : 4 * n + 4] for n, back in enumerate(backs)}
    return "".join(slots.get(back, "    ") for back in range(max(backs), -1, -1))


def _levels(figures: np.ndarray, low: float, high: float) -> str:
    """One character a figure: 35 to 125 without the backslash, so that JSON needs no escapes."""
    if high <= low:
        steps = np.full(figures.size, LEVELS // 2)
    else:
        share = (figures.ravel() - low) / (high - low)
        steps = np.clip(np.rint(share * (LEVELS - 1)), 0, LEVELS - 1).astype(int)
    return (steps + np.where(steps < 57, 35, 36)).astype(np.uint8).tobytes().decode("ascii")
