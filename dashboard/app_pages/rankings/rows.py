"""Builds the rank table's rows, and sorts and filters them by a view. No I/O.

The input are the decoded responses of ``/rankings``, ``/prices``, ``/markets/figures`` and ``/assets``;
rows hold exact decimals. The browser applies the same rules to the rows that it has. Exports, the
treemap and comparisons use the rules of this module.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from dashboard.app_pages.rankings.table_view import TableView, build_slug, normalize_search_text
from dashboard.client.market_schemas import CHANGE_SPANS, ChangeSpan, Span
from dashboard.frame.formats import direction, drop_stale, parse_instant
from dashboard.frame.providers import split_source

FLAGS = ("conflict", "divergent", "jump", "depeg")
"""Codes of :attr:`Row.flags`, with which the service marks a doubtful price; most serious first."""

MAX_PRICE_LAG = timedelta(minutes=3)
"""How much older than the rankings a price record may be."""


@dataclass(frozen=True, slots=True)
class Row:
    """One asset of the table with exact prices and percentages; unknown figures are ``None``."""

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
    """USD over 24 hours, from a provider whose quote is used for the price."""
    source: str | None = None
    last_updated: datetime | None = None
    rule: str | None = None
    """The service's code of how the figure was chosen; ``reason`` is its sentence."""
    reason: str | None = None
    spread: Decimal | None = None
    """Between the usable quotes, in percent of their midpoint."""
    flags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    icon: str = ""
    ath: Decimal | None = None
    candles: Sequence[Sequence[float | None]] = field(default=(), repr=False)
    names: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """The name by language; ``name`` is the one that is shown."""
    aliases: tuple[str, ...] = field(default=(), repr=False)

    @property
    def other_names(self) -> str:
        """All other names in all languages, for searching."""
        return " ".join(dict.fromkeys([*self.names.values(), *self.aliases]))

    @property
    def stale(self) -> bool:
        return bool(self.source and self.source.endswith(":stale"))

    @property
    def sample(self) -> bool:
        return bool(self.source and split_source(self.source) == ["sample"])

    @property
    def stablecoin(self) -> bool:
        return any("stablecoin" in category.lower() for category in self.categories)

    def change(self, span: ChangeSpan) -> Decimal | None:
        """Returns the current change; see :func:`dashboard.frame.formats.drop_stale`."""
        changes = {"1h": self.pct_1h, "24h": self.pct_24h, "7d": self.pct_7d, "30d": self.pct_30d}
        return drop_stale(changes[span], self.source)


def build_rows(
    rankings: Sequence[Mapping[str, Any]],
    prices: Mapping[str, Mapping[str, Any]] | None = None,
    assets: Iterable[Mapping[str, Any]] | None = None,
    figures: Mapping[str, Mapping[str, Any]] | None = None,
    names: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    span: Span = "24h",
) -> list[Row]:
    """Joins the responses by asset id, in the order of the rankings; missing fields stay ``None``.

    Price, changes, capitalisation and time always come from one record; see :func:`_choose_record`.
    """
    by_id = {asset["id"]: asset for asset in assets or ()}
    return [
        _build_row(
            token,
            (prices or {}).get(token["id"]),
            by_id.get(token["id"]),
            (figures or {}).get(token["id"]) or {},
            (names or {}).get(token["id"]) or {},
            span,
        )
        for token in rankings
    ]


def _build_row(
    token: Mapping[str, Any],
    price: Mapping[str, Any] | None,
    asset: Mapping[str, Any] | None,
    facts: Mapping[str, Any],
    names: Mapping[str, Any],
    span: Span,
) -> Row:
    quote = _choose_record(token, price)
    metadata = (asset or {}).get("metadata") or {}
    return Row(
        id=token["id"],
        symbol=token["symbol"],
        name=token["name"],
        icon=token.get("icon_url") or "",
        rank=quote.get("market_cap_rank"),
        price=parse_exact(quote.get("price_usd")),
        pct_1h=parse_exact(quote.get("pct_change_1h")),
        pct_24h=parse_exact(quote.get("pct_change_24h")),
        pct_7d=parse_exact(quote.get("pct_change_7d")),
        pct_30d=parse_exact(quote.get("pct_change_30d")),
        market_cap=parse_exact(quote.get("market_cap")),
        volume=parse_exact(facts.get("volume_24h")),
        source=(price or {}).get("source"),
        last_updated=parse_instant(quote.get("last_updated")),
        rule=facts.get("rule"),
        reason=facts.get("reason"),
        spread=parse_exact(facts.get("spread_pct")),
        flags=tuple(facts.get("flags") or ()),
        categories=tuple(dict.fromkeys(name for group in metadata.get("categories") or () for name in group)),
        ath=parse_exact((price or {}).get("ath")),
        candles=token.get(f"candles_{span}") or (),
        names={lang: name for lang, name in names.items() if lang != "aliases"},
        aliases=tuple(names.get("aliases") or ()),
    )


def _choose_record(token: Mapping[str, Any], price: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Returns the record with the figures of a row: the price record, unless it is older by more than
    :data:`MAX_PRICE_LAG`.

    The rankings do not have the changes of 1 hour and 30 days. They would be unknown for one refresh
    whenever the rankings arrive before the prices of the same moment.
    """
    if price is None:
        return token
    priced_at, ranked_at = price["last_updated"] or "", token["last_updated"] or ""
    if priced_at >= ranked_at:
        return price
    priced, ranked = parse_instant(priced_at or None), parse_instant(ranked_at)
    return price if priced and ranked and ranked - priced <= MAX_PRICE_LAG else token


def localize(row: Row, lang: str) -> Row:
    """Returns the row with its name in ``lang``, if there is one."""
    name = row.names.get(lang, row.name)
    return row if name == row.name else replace(row, name=name)


def parse_exact(value: object) -> Decimal | None:
    """Parses a wire value as a decimal; a float by its shortest text, not by its binary value."""
    if value is None or isinstance(value, bool):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def get_sort_value(row: Row, column: str) -> Any:
    """Returns the value that a column sorts by; ``None`` if it is unknown, or a change or volume is stale."""
    values: dict[str, Any] = {
        "rank": row.rank,
        "name": normalize_search_text(row.name),
        "price": row.price,
        **{span: row.change(span) for span in CHANGE_SPANS},
        "cap": row.market_cap,
        "volume": drop_stale(row.volume, row.source),
        "source": row.last_updated,
    }
    return values[column]


def compute_ordinals(rows: Sequence[Row], column: str) -> list[int | None]:
    """Computes dense ordinals of a column: equal values share one, unknown values have ``None``.

    The browser sorts by these, so it need not convert amounts to floats.
    """
    values = [get_sort_value(row, column) for row in rows]
    ordinals = {value: n for n, value in enumerate(sorted({value for value in values if value is not None}))}
    return [None if value is None else ordinals[value] for value in values]


def sort_rows(rows: Sequence[Row], sort: Sequence[tuple[str, bool]]) -> list[Row]:
    """Sorts by several keys; unknown values are last in either direction, ties go by rank, then id."""
    ordered = sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.id))
    for column, descending in reversed(sort):
        rows_with_value = [row for row in ordered if get_sort_value(row, column) is not None]
        rows_without_value = [row for row in ordered if get_sort_value(row, column) is None]
        rows_with_value.sort(key=lambda row: get_sort_value(row, column), reverse=descending)
        ordered = rows_with_value + rows_without_value
    return ordered


def matches_view(row: Row, view: TableView) -> bool:
    text = f"{row.name} {row.symbol} {row.id} {row.other_names}"
    if not all(word in normalize_search_text(text) for word in normalize_search_text(view.query).split()):
        return False
    if view.watch is not None and row.id not in view.watch:
        return False
    if view.category and view.category not in (build_slug(category) for category in row.categories):
        return False
    if view.min_cap and (row.market_cap is None or row.market_cap < view.min_cap):
        return False
    return all(_matches_facet(row, facet, view.span) for facet in view.facets)


def _matches_facet(row: Row, facet: str, span: Span) -> bool:
    if facet == "gainers":
        return direction(row.change(span)) == "up"
    if facet == "losers":
        return direction(row.change(span)) == "down"
    if facet == "stable":
        return row.stablecoin
    if facet == "unpegged":
        return not row.stablecoin
    return row.stale or bool(row.flags)


def select_rows(rows: Sequence[Row], view: TableView) -> list[Row]:
    """Selects and sorts the rows that a view shows."""
    return sort_rows([row for row in rows if matches_view(row, view)], view.sort)
