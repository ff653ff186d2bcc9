"""Builds the rank table's rows, and sorts and filters them as a view says.

Pure: takes the answers of ``/rankings``, ``/prices``, ``/markets/figures`` and ``/assets`` as they came
over the wire and returns rows in exact decimals. The browser applies the same rules at once to what it
already holds; this is the authority for exports, the treemap and comparisons.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from dashboard.app_pages.rankings.url_state import View, fold, slug
from dashboard.client.market_schemas import Span
from dashboard.frame.formats import direction, drop_stale

RULES = ("single", "mean", "median", "nearest", "primary", "held", "stale", "none")


@dataclass(frozen=True, slots=True)
class Row:
    """One asset on the screen. Prices and percentages exact; null means not known."""

    id: str
    symbol: str
    name: str
    rank: int | None = None
    price: Decimal | None = None
    pct_1h: Decimal | None = None
    pct_24h: Decimal | None = None
    pct_7d: Decimal | None = None
    pct_30d: Decimal | None = None
    market_cap: Decimal | None = None
    volume: Decimal | None = None
    """USD over 24 hours, of a provider whose quote is in the price."""
    source: str | None = None
    last_updated: datetime | None = None
    rule: str | None = None
    """The service's code of how the figure was chosen; ``reason`` says it in its words."""
    reason: str | None = None
    spread: Decimal | None = None
    """Between the usable quotes, in percent of their middle."""
    flags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    icon: str = ""
    ath: Decimal | None = None
    candles: Sequence[Sequence[float | None]] = field(default=(), repr=False)

    @property
    def stale(self) -> bool:
        return bool(self.source and self.source.endswith(":stale"))

    @property
    def sample(self) -> bool:
        return bool(self.source and self.source.split(":")[0] == "sample")

    @property
    def stablecoin(self) -> bool:
        return any("stablecoin" in category.lower() for category in self.categories)

    def change(self, span: Span) -> Decimal | None:
        """As counts, filters and drawings take it; see :func:`dashboard.frame.formats.drop_stale`."""
        return drop_stale(self.pct_24h if span == "24h" else self.pct_7d, self.source)


def build_rows(
    rankings: Sequence[Mapping[str, Any]],
    prices: Mapping[str, Mapping[str, Any]] | None = None,
    assets: Iterable[Mapping[str, Any]] | None = None,
    figures: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    span: Span = "24h",
) -> list[Row]:
    """Join the answers by asset id, in the order of the rankings; what one answer lacks stays null.

    When the two answers are of different moments the newer quote wins as a whole: price, changes,
    cap and time always come from one record.
    """
    by_id = {asset["id"]: asset for asset in assets or ()}
    return [
        _row(
            token,
            (prices or {}).get(token["id"]),
            by_id.get(token["id"]),
            (figures or {}).get(token["id"]) or {},
            span,
        )
        for token in rankings
    ]


def _row(
    token: Mapping[str, Any],
    price: Mapping[str, Any] | None,
    asset: Mapping[str, Any] | None,
    facts: Mapping[str, Any],
    span: Span,
) -> Row:
    quote = price if price and (price["last_updated"] or "") >= (token["last_updated"] or "") else token
    metadata = (asset or {}).get("metadata") or {}
    return Row(
        id=token["id"],
        symbol=token["symbol"],
        name=token["name"],
        icon=token.get("icon_url") or "",
        rank=quote.get("market_cap_rank"),
        price=exact(quote.get("price_usd")),
        pct_1h=exact(quote.get("pct_change_1h")),
        pct_24h=exact(quote.get("pct_change_24h")),
        pct_7d=exact(quote.get("pct_change_7d")),
        pct_30d=exact(quote.get("pct_change_30d")),
        market_cap=exact(quote.get("market_cap")),
        volume=exact(facts.get("volume_24h")),
        source=(price or {}).get("source"),
        last_updated=instant(quote.get("last_updated")),
        rule=facts.get("rule"),
        reason=facts.get("reason"),
        spread=exact(facts.get("spread_pct")),
        flags=tuple(facts.get("flags") or ()),
        categories=tuple(dict.fromkeys(name for group in metadata.get("categories") or () for name in group)),
        ath=exact((price or {}).get("ath")),
        candles=token.get(f"candles_{span}") or (),
    )


def exact(value: object) -> Decimal | None:
    """The decimal that a wire value writes; JSON numbers go by their shortest text, never by binary value."""
    if value is None or isinstance(value, bool):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def sort_value(row: Row, column: str) -> Any:
    """What a column sorts by; null where the row has nothing, or its change or volume is not current."""
    values: dict[str, Any] = {
        "rank": row.rank,
        "name": fold(row.name),
        "price": row.price,
        "1h": drop_stale(row.pct_1h, row.source),
        "24h": drop_stale(row.pct_24h, row.source),
        "7d": drop_stale(row.pct_7d, row.source),
        "30d": drop_stale(row.pct_30d, row.source),
        "cap": row.market_cap,
        "volume": drop_stale(row.volume, row.source),
        "source": row.last_updated,
    }
    return values[column]


def order_numbers(rows: Sequence[Row], column: str) -> list[int | None]:
    """Dense ordinals of a column over exact values: equal values share one, unknown is null.

    The browser sorts by these, so that no amount has to become a float to be put in order.
    """
    values = [sort_value(row, column) for row in rows]
    ordinal = {value: n for n, value in enumerate(sorted({value for value in values if value is not None}))}
    return [None if value is None else ordinal[value] for value in values]


def arrange(rows: Sequence[Row], sort: Sequence[tuple[str, bool]]) -> list[Row]:
    """Sort by several keys; unknown goes last in either direction, ties go by rank, then id."""
    arranged = sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.id))
    for column, descending in reversed(sort):
        known = [row for row in arranged if sort_value(row, column) is not None]
        unknown = [row for row in arranged if sort_value(row, column) is None]
        known.sort(key=lambda row: sort_value(row, column), reverse=descending)
        arranged = known + unknown
    return arranged


def matches(row: Row, view: View) -> bool:
    text = f"{row.name} {row.symbol} {row.id}"
    if not all(word in fold(text) for word in fold(view.query).split()):
        return False
    if view.watch is not None and row.id not in view.watch:
        return False
    if view.category and view.category not in (slug(category) for category in row.categories):
        return False
    if view.min_cap and (row.market_cap is None or row.market_cap < view.min_cap):
        return False
    return all(_has(row, facet, view.span) for facet in view.facets)


def _has(row: Row, facet: str, span: Span) -> bool:
    if facet == "gainers":
        return direction(row.change(span)) == "up"
    if facet == "losers":
        return direction(row.change(span)) == "down"
    if facet == "stable":
        return row.stablecoin
    if facet == "unpegged":
        return not row.stablecoin
    return row.stale or bool(row.flags)


def select(rows: Sequence[Row], view: View) -> list[Row]:
    """The rows on the screen, in the screen's order."""
    return arrange([row for row in rows if matches(row, view)], view.sort)
