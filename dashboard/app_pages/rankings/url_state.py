"""Reads a view of the rank table from the address, and writes it there. Pure."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.app_pages.rankings.columns import (
    COLUMNS,
    DEFAULT_COLUMNS,
    DEFAULT_SORT,
    FACETS,
    FIXED_COLUMNS,
    MAX_SORT_KEYS,
    MIN_CAPS,
    SORTABLE,
    SPANS,
)
from dashboard.client.market_schemas import Span

MAX_LIST = 200
_EXCLUDES = {"gainers": "losers", "losers": "gainers", "stable": "unpegged", "unpegged": "stable"}


@dataclass(frozen=True, slots=True)
class View:
    """What the reader chose to see. ``sort`` holds (column, descending), first key first."""

    query: str = ""
    sort: tuple[tuple[str, bool], ...] = DEFAULT_SORT
    facets: frozenset[str] = frozenset()
    category: str = ""
    min_cap: int = 0
    watch: tuple[str, ...] | None = None
    columns: tuple[str, ...] = DEFAULT_COLUMNS
    span: Span = "24h"


def fold(text: str) -> str:
    """Compatibility forms and letter case set aside, as the browser does it."""
    return unicodedata.normalize("NFKC", text).lower()


def slug(name: str) -> str:
    """A category's word in links: letters, digits and hyphens."""
    return "-".join("".join(char if char.isalnum() else " " for char in fold(name)).split())


def parse_view(params: Mapping[str, str]) -> View:
    """Read a view out of a link; whatever is not understood is as if it were not there."""
    facets: set[str] = set()
    for facet in params.get("facet", "").split(","):
        if facet in FACETS and _EXCLUDES.get(facet) not in facets:
            facets.add(facet)
    span = params.get("span", "24h")
    cap = params.get("min", "")
    return View(
        query=" ".join(params.get("q", "").split())[:60],
        sort=_parse_sort(params.get("sort", "")),
        facets=frozenset(facets),
        category=slug(params.get("cat", ""))[:60],
        min_cap=int(cap) if cap.isdecimal() and int(cap) in MIN_CAPS else 0,
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


def parse_ids(text: str, limit: int = MAX_LIST) -> tuple[str, ...]:
    """Asset ids out of ``a,b,c``, in their order, each once."""
    parts = (part.strip() for part in text.split(","))
    return tuple(dict.fromkeys(part for part in parts if part and len(part) <= 80))[:limit]


def view_params(view: View) -> dict[str, str]:
    """The link's parameters for a view; defaults are left out, so that a plain link stays plain."""
    params = {
        "q": view.query,
        "sort": ",".join(("-" if descending else "") + column for column, descending in view.sort),
        "facet": ",".join(facet for facet in FACETS if facet in view.facets),
        "cat": view.category,
        "min": str(view.min_cap) if view.min_cap else "",
        "cols": ",".join(view.columns),
        "span": view.span,
    }
    plain = {"sort": "-cap", "cols": ",".join(DEFAULT_COLUMNS), "span": "24h"}
    kept = {key: value for key, value in params.items() if value and value != plain.get(key)}
    if view.watch is not None:
        kept["watch"] = ",".join(view.watch)
    return kept
