"""Parses a view of the rank table from the query of a URL, and builds that query. No I/O."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.app_pages.rankings.columns import (
    COLUMNS,
    DEFAULT_COLUMNS,
    DEFAULT_SORT,
    EXCLUSIVE_FACETS,
    FACETS,
    FIXED_COLUMNS,
    MAX_QUERY_CHARS,
    MAX_SORT_KEYS,
    MAX_WATCHED_IDS,
    MIN_CAPS,
    SORTABLE,
)
from dashboard.client.market_schemas import SPANS, Span


@dataclass(frozen=True, slots=True)
class TableView:
    """The reader's filters, order and columns. ``sort`` holds (column, descending), first key first."""

    query: str = ""
    sort: tuple[tuple[str, bool], ...] = DEFAULT_SORT
    facets: frozenset[str] = frozenset()
    category: str = ""
    min_cap: int = 0
    watch: tuple[str, ...] | None = None
    columns: tuple[str, ...] = DEFAULT_COLUMNS
    span: Span = "24h"


def normalize_search_text(text: str) -> str:
    """Normalises width and letter case, as the browser does."""
    return unicodedata.normalize("NFKC", text).lower()


def build_slug(name: str) -> str:
    """Builds a category's code in links: letters, digits and hyphens."""
    return "-".join("".join(char if char.isalnum() else " " for char in normalize_search_text(name)).split())


def parse_view(params: Mapping[str, str]) -> TableView:
    """Parses a view from query parameters; invalid values count as absent."""
    facets: set[str] = set()
    for facet in params.get("facet", "").split(","):
        if facet in FACETS and EXCLUSIVE_FACETS.get(facet) not in facets:
            facets.add(facet)
    span = params.get("span", "24h")
    cap = params.get("min", "")
    return TableView(
        query=" ".join(params.get("q", "").split())[:MAX_QUERY_CHARS],
        sort=_parse_sort(params.get("sort", "")),
        facets=frozenset(facets),
        category=build_slug(params.get("cat", ""))[:MAX_QUERY_CHARS],
        min_cap=int(cap) if cap in map(str, MIN_CAPS) else 0,
        watch=parse_ids(params["watch"]) if "watch" in params else None,
        columns=_parse_columns(params.get("cols", "")),
        span=span if span in SPANS else "24h",
    )


def _parse_sort(text: str) -> tuple[tuple[str, bool], ...]:
    keys: dict[str, bool] = {}
    for part in text.split(","):
        column = part.removeprefix("-")
        if column in SORTABLE and column not in keys:
            keys[column] = part.startswith("-")
    return tuple(keys.items())[:MAX_SORT_KEYS] or DEFAULT_SORT


def _parse_columns(text: str) -> tuple[str, ...]:
    if not text:
        return DEFAULT_COLUMNS
    chosen = set(text.split(",")) | set(FIXED_COLUMNS)
    return tuple(column for column in COLUMNS if column in chosen)


def parse_ids(text: str, limit: int = MAX_WATCHED_IDS) -> tuple[str, ...]:
    """Parses asset ids from ``a,b,c``, in their order and without repetitions."""
    parts = (part.strip() for part in text.split(","))
    return tuple(dict.fromkeys(part for part in parts if part and len(part) <= 80))[:limit]


def build_view_params(view: TableView) -> dict[str, str]:
    """Builds the query parameters of a view, without those at their default."""
    params = {
        "q": view.query,
        "sort": ",".join(("-" if descending else "") + column for column, descending in view.sort),
        "facet": ",".join(facet for facet in FACETS if facet in view.facets),
        "cat": view.category,
        "min": str(view.min_cap) if view.min_cap else "",
        "cols": ",".join(view.columns),
        "span": view.span,
    }
    defaults = {"sort": "-cap", "cols": ",".join(DEFAULT_COLUMNS), "span": "24h"}
    changed = {key: value for key, value in params.items() if value and value != defaults.get(key)}
    if view.watch is not None:
        changed["watch"] = ",".join(view.watch)
    return changed
