"""Loads the rank table's rows and their payload, and caches both for all sessions.

The client keeps the identity of unchanged data, so identity is the key of the cache; large data need
no hashing. :func:`prepare_tables` fills the cache before the next visit.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, partial
from hashlib import blake2b
from typing import Any, NamedTuple

from dashboard.app_pages.rankings.columns import COLUMNS, FACETS, MIN_CAPS
from dashboard.app_pages.rankings.rank_table import Formats, build_payload
from dashboard.app_pages.rankings.rows import Row, build_rows, localize
from dashboard.client import Fetched, markets
from dashboard.client.market_schemas import RULES, SPANS, Currency, MarketStatus, Span
from dashboard.frame import formats
from dashboard.frame.display_currency import US_DOLLARS, DisplayCurrency
from dashboard.i18n import LANGUAGES, Language, t

MAX_CACHED_TABLES = 6
"""Both spans, current and recent."""


class EncodedTable(NamedTuple):
    """A payload, which begins with its version."""

    version: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class RankTable:
    """Rows of one moment, and their payload for the browser by language, currency and rate."""

    span: Span
    rows: Sequence[Row]
    by_id: Mapping[str, Row]
    sources: tuple[object, ...] = field(repr=False)
    encoded: dict[tuple[Language, Currency, Decimal], "EncodedTable"] = field(
        default_factory=dict, repr=False
    )

    def localize(self, lang: Language) -> "RankTable":
        """Returns the table with the names of assets in ``lang``; the payloads are shared."""
        rows = [localize(row, lang) for row in self.rows]
        return RankTable(self.span, rows, {row.id: row for row in rows}, self.sources, self.encoded)


_lock = threading.Lock()
"""Protects ``_tables``; held only for a lookup."""
_build_lock = threading.Lock()
"""Held while a table or its payload is built, so that no two sessions build the same."""
_tables: OrderedDict[tuple[int, ...], RankTable] = OrderedDict()


@dataclass(frozen=True, slots=True)
class RankingsData:
    """``table`` is ``None`` without any rankings; the results hold the errors."""

    table: RankTable | None
    rankings: Fetched[Any]
    prices: Fetched[Any]
    figures: Fetched[Any]
    assets: Fetched[Any]
    status: Fetched[MarketStatus]

    @property
    def results(self) -> tuple[Fetched[Any], ...]:
        return (self.rankings, self.prices, self.figures, self.assets)


def load_data(span: Span, lang: Language = LANGUAGES[0]) -> RankingsData:
    """Loads the current data and builds their table, unless it is cached, with names in ``lang``."""
    rankings, prices, figures, assets, names = (
        markets.fetch_rankings(span),
        markets.fetch_prices(),
        markets.fetch_figures(),
        markets.fetch_assets(),
        markets.fetch_names(),
    )
    status = markets.fetch_status()
    if rankings.data is None:
        return RankingsData(None, rankings, prices, figures, assets, status)
    sources = (rankings.data, prices.data, figures.data, assets.data, names.data)
    key = (*map(id, sources), span == "7d")
    table = _find_table(key)
    if table is None:
        with _build_lock:
            table = _find_table(key)
            if table is None:  # the table keeps the data, so no other object can get their ids
                rows = build_rows(
                    rankings.data, prices.data, assets.data, figures.data, names.data, span=span
                )
                table = RankTable(span, rows, {row.id: row for row in rows}, sources)
                _store_table(key, table)
    return RankingsData(table.localize(lang), rankings, prices, figures, assets, status)


def _find_table(key: tuple[int, ...]) -> RankTable | None:
    with _lock:
        return _tables.get(key)


def _store_table(key: tuple[int, ...], table: RankTable) -> None:
    with _lock:
        _tables[key] = table
        while len(_tables) > MAX_CACHED_TABLES:
            _tables.popitem(last=False)


def encode_table(table: RankTable, lang: Language, currency: DisplayCurrency = US_DOLLARS) -> EncodedTable:
    """Returns the payload of ``table`` in ``lang`` with amounts in ``currency``."""
    key = (lang, currency.code, currency.rate)
    encoded = table.encoded.get(key)
    if encoded is None:
        with _build_lock:
            encoded = table.encoded.get(key)
            if encoded is None:
                format_compact = partial(currency.format_compact, lang=lang)
                formatters = Formats(price=currency.format_price, compact=format_compact)
                rows = table.localize(lang).rows
                payload = build_payload(rows, table.span, build_texts(lang), formatters, time.time())
                version = blake2b(payload, digest_size=8).hexdigest()
                encoded = EncodedTable(version, version.encode() + b"\n" + payload)
                table.encoded[key] = encoded
    return encoded


def prepare_tables() -> None:
    """Builds the tables of both spans in US dollars and the languages in use, for the next click.

    Those in other currencies are built on demand: there may be many, and their rates change with the data.
    """
    with _lock:
        keys = {key for table in _tables.values() for key in list(table.encoded)}
    languages = {lang for lang, code, _ in keys if code == US_DOLLARS.code}
    for span in SPANS:
        table = load_data(span).table
        for lang in languages or {LANGUAGES[0]}:
            if table is not None:
                encode_table(table, lang)


_TEXT_KEYS = (
    "table", "unknown", "find", "facets", "list", "all_coins", "shared_list", "category",
    "any_category", "min_cap", "span", "columns", "columns_why", "lists",
    "lists_why", "list_first", "list_name", "list_new", "list_keep", "list_rename", "list_renamed",
    "list_bad_name", "list_remove", "list_export", "list_import", "list_share", "list_imported",
    "list_bad_file", "copied", "not_stored", "keys", "keys_allow", "clear", "count", "none_match",
    "none_at_all", "sort_why", "watch", "unwatch", "compare_on", "compare_off", "compare_full",
    "compare_now", "col_star", "trend_label", "both", "source_none", "source_sample", "source_live",
    "as_of", "spread_is", "age_s", "age_min", "age_h", "age_d",
)  # fmt: skip
KEY_HELP = (
    (("/",), "key_find"),
    (("j", "k", "↑", "↓"), "key_move"),
    (("Enter",), "key_open"),
    (("Esc",), "key_close"),
    (("s",), "key_sort"),
    (("w",), "key_watch"),
    (("c",), "key_compare"),
)


@cache
def build_texts(lang: Language) -> Mapping[str, Any]:
    """Builds the texts of the component in one language."""

    def translate(key: str, **values: object) -> str:
        return t(f"rankings.{key}", lang=lang, **values)

    return {
        **{key: translate(key) for key in _TEXT_KEYS},
        **{f"span_{span}": t(f"chart.span_{span}", lang=lang) for span in SPANS},
        **{f"facet_{facet}": translate(f"facet_{facet}") for facet in FACETS},
        **{f"facet_{facet}_why": translate(f"facet_{facet}_why") for facet in FACETS},
        **{
            f"{kind}_{column}": translate(f"{kind}_{column}")
            for kind in ("col", "head")
            for column in COLUMNS
        },
        "lang": lang,
        "caps": [translate("cap_any")]
        + [translate("cap_least", cap=_round_cap(cap, lang)) for cap in MIN_CAPS[1:]],
        "states": {
            "sample": t("chart.sample", lang=lang),
            **{
                state: translate(f"state_{state}")
                for state in ("stale", "divergent", "conflict", "jump", "depeg", "unknown")
            },
        },
        "rules": {rule: translate(f"rule_{rule}") for rule in RULES},
        "flag_words": {flag: translate(f"flag_{flag}") for flag in ("stale", "jump", "depeg")},
        "key_help": [[list(keys), translate(text)] for keys, text in KEY_HELP],
    }


def _round_cap(cap: int, lang: Language) -> str:
    return formats.format_compact_amount(cap, lang).replace(".00", "").replace(".0", "")
