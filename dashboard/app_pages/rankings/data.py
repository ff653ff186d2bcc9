"""The rank table's rows and bytes, made once per change of the data for all sessions.

The client keeps an answer's identity as long as nothing changed, so identity is the cache's key:
no hashing of what is large, and no session pays for what another one has made. :func:`prepare` makes
them before anybody asks.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import blake2b
from typing import Any

from dashboard.app_pages.rankings.columns import COLUMNS, FACETS, MIN_CAPS, SPANS
from dashboard.app_pages.rankings.rank_table import Formats, table_bytes
from dashboard.app_pages.rankings.rows import RULES, Row, build_rows
from dashboard.client import Fetched, markets
from dashboard.client.market_schemas import MarketStatus, Span
from dashboard.frame import formats
from dashboard.i18n import LANGUAGES, Language, t

KEPT = 6
"""Data sets kept: both spans, now and just before."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one moment, and the bytes for the browser in each language asked for."""

    span: Span
    rows: Sequence[Row]
    by_id: Mapping[str, Row]
    answers: tuple[object, ...] = field(repr=False)
    encoded: dict[Language, tuple[str, bytes]] = field(default_factory=dict, repr=False)


_lock = threading.Lock()
"""Of ``_tables``, held for no longer than a look."""
_making = threading.Lock()
"""Held while a table or its bytes are made, so that no two sessions make the same."""
_tables: OrderedDict[tuple[int, ...], Table] = OrderedDict()


@dataclass(frozen=True, slots=True)
class Gathered:
    """``table`` is null when the rankings cannot be had at all; the answers say what came of asking."""

    table: Table | None
    rankings: Fetched[Any]
    prices: Fetched[Any]
    figures: Fetched[Any]
    assets: Fetched[Any]
    status: Fetched[MarketStatus]

    @property
    def answers(self) -> tuple[Fetched[Any], ...]:
        return (self.rankings, self.prices, self.figures, self.assets)


def gather(span: Span) -> Gathered:
    """The answers of now and their table."""
    rankings, prices, figures, assets = (
        markets.fetch_rankings(span),
        markets.fetch_prices(),
        markets.fetch_figures(),
        markets.fetch_assets(),
    )
    status = markets.fetch_status()
    if rankings.data is None:
        return Gathered(None, rankings, prices, figures, assets, status)
    answers = (rankings.data, prices.data, figures.data, assets.data)
    key = (*map(id, answers), span == "7d")
    table = _known(key)
    if table is None:
        with _making:
            table = _known(key)
            if table is None:  # the answers are kept in the table, so their ids cannot be given away
                rows = build_rows(rankings.data, prices.data, assets.data, figures.data, span=span)
                table = Table(span, rows, {row.id: row for row in rows}, answers)
                _keep(key, table)
    return Gathered(table, rankings, prices, figures, assets, status)


def _known(key: tuple[int, ...]) -> Table | None:
    with _lock:
        return _tables.get(key)


def _keep(key: tuple[int, ...], table: Table) -> None:
    with _lock:
        _tables[key] = table
        while len(_tables) > KEPT:
            _tables.popitem(last=False)


def encoded(table: Table, lang: Language) -> tuple[str, bytes]:
    """The version's name and the bytes of ``table`` in ``lang``, with the version as their first line."""
    if lang not in table.encoded:
        with _making:
            if lang not in table.encoded:
                writer = Formats(price=formats.price, compact=partial(_compact, lang=lang))
                data = table_bytes(table.rows, table.span, words(lang), writer, time.time())
                version = blake2b(data, digest_size=8).hexdigest()
                table.encoded[lang] = (version, version.encode() + b"\n" + data)
    return table.encoded[lang]


def prepare() -> None:
    """Make what the next click may need: both spans' tables, in the languages that readers have."""
    with _lock:
        read = {lang for table in _tables.values() for lang in table.encoded}
    for span in SPANS:
        table = gather(span).table
        for lang in read or {LANGUAGES[0]}:
            if table is not None:
                encoded(table, lang)


def _compact(value: Any, *, lang: Language) -> str:
    return formats.compact_usd(value, lang)


_WORDS = (
    "table", "unknown", "find", "facets", "list", "all_coins", "shared_list", "category",
    "any_category", "min_cap", "span", "columns", "columns_why", "lists",
    "lists_why", "list_first", "list_name", "list_new", "list_keep", "list_rename", "list_renamed",
    "list_bad_name", "list_remove", "list_export", "list_import", "list_share", "list_imported",
    "list_bad_file", "copied", "not_stored", "keys", "keys_allow", "clear", "count", "none_match",
    "none_at_all", "sort_why", "watch", "unwatch", "compare_on", "compare_off", "compare_full",
    "compare_now", "col_star", "trend_label", "both", "source_none", "source_sample", "source_live",
    "as_of", "spread_is", "age_s", "age_min", "age_h", "age_d",
)  # fmt: skip
_KEYS = (
    (("/",), "key_find"),
    (("j", "k", "↑", "↓"), "key_move"),
    (("Enter",), "key_open"),
    (("Esc",), "key_close"),
    (("s",), "key_sort"),
    (("w",), "key_watch"),
    (("c",), "key_compare"),
)


@cache
def words(lang: Language) -> Mapping[str, Any]:
    """The component's texts in one language."""

    def say(key: str, **values: object) -> str:
        return t(f"rankings.{key}", lang=lang, **values)

    return {
        **{key: say(key) for key in _WORDS},
        **{f"span_{span}": t(f"chart.span_{span}", lang=lang) for span in SPANS},
        **{f"facet_{facet}": say(f"facet_{facet}") for facet in FACETS},
        **{f"facet_{facet}_why": say(f"facet_{facet}_why") for facet in FACETS},
        **{f"{kind}_{column}": say(f"{kind}_{column}") for kind in ("col", "head") for column in COLUMNS},
        "lang": lang,
        "caps": [say("cap_any")] + [say("cap_least", cap=_round_cap(cap, lang)) for cap in MIN_CAPS[1:]],
        "states": {
            "sample": t("chart.sample", lang=lang),
            **{
                state: say(f"state_{state}")
                for state in ("stale", "divergent", "conflict", "jump", "depeg", "unknown")
            },
        },
        "rules": {rule: say(f"rule_{rule}") for rule in RULES},
        "flag_words": {flag: say(f"flag_{flag}") for flag in ("stale", "jump", "depeg")},
        "key_help": [[list(keys), say(text)] for keys, text in _KEYS],
    }


def _round_cap(cap: int, lang: Language) -> str:
    return formats.compact_usd(cap, lang).replace(".00", "").replace(".0", "")
