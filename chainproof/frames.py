"""Builds DataFrames from decoded responses. No I/O."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import pandas as pd
import pyarrow as pa

Row = Mapping[str, Any]

FIGURES = (
    "price_usd",
    "market_cap",
    "pct_change_1h",
    "pct_change_24h",
    "pct_change_7d",
    "pct_change_30d",
    "ath",
    "ath_change_percentage",
    "rate",
)
"""Columns of exact decimals, which arrive as strings or as numbers."""
TIMES = ("last_updated", "ath_date", "published_at")
LEFT_OUT = ("candles_7d", "candles_24h", "icon_url")
CANDLE_COLUMNS = ("open_time", "open", "high", "low", "close", "volume")
TOTALS_COLUMNS = (
    "at", "market_cap", "volume_24h", "btc_market_cap_percentage", "eth_market_cap_percentage"
)  # fmt: skip
MEDIA_KINDS = {"primary_sources": "primary_source", "articles": "article", "tweets": "post"}
MEDIA_COLUMNS = ("id", "kind", "outlet", "title", "summary", "published_at", "url")
TOPIC_COLUMNS = (
    "id", "published_at", "category", "title", "subtitle", "summary", "summary_bullets", "lang", "url"
)  # fmt: skip
COMPARED_FIGURES = ("difference", "p", "shared_cases", "wins", "ties", "losses", "least_detectable")


def build_figures(rows: Sequence[Row]) -> pd.DataFrame:
    """A frame of ranked tokens or price records. Candle arrays are left out."""
    names = rows[0] if rows else ("id", *FIGURES[:2], "last_updated")
    return _build_frame(rows, [name for name in names if name not in LEFT_OUT])


def build_rates(rates: Mapping[str, Row]) -> pd.DataFrame:
    rows = [{"id": code, **rate} for code, rate in rates.items()]
    return _build_frame(rows, ("id", "rate", "source", "last_updated")).rename_axis("currency")


def build_totals(history: Row) -> pd.DataFrame:
    frame = pd.DataFrame(history["points"], columns=TOTALS_COLUMNS)
    frame["at"] = pd.to_datetime(frame["at"], utc=True, format="ISO8601")
    for name in TOTALS_COLUMNS[1:]:
        frame[name] = _to_decimals([point[name] for point in history["points"]])
    since = history["history_since"]
    frame.attrs = {
        "source": history["source"],
        "mode": history["mode"],
        "history_since": None if since is None else pd.Timestamp(since),
    }
    return frame.set_index("at")


def build_candles(series: Row) -> pd.DataFrame:
    frame = pd.DataFrame(series["candles"], columns=CANDLE_COLUMNS)
    frame["open_time"] = pd.to_datetime(frame["open_time"], unit="ms", utc=True)
    for name in CANDLE_COLUMNS[1:]:
        frame[name] = _to_decimals([row[CANDLE_COLUMNS.index(name)] for row in series["candles"]])
    frame.attrs = {name: series[name] for name in ("id", "source", "basis", "interval_seconds")}
    return frame.set_index("open_time")


def build_topics(rows: Sequence[Row], total: int) -> pd.DataFrame:
    frame = _build_frame(rows, TOPIC_COLUMNS)
    frame.attrs = {"total": total}
    return frame


def build_media(data: Mapping[str, Sequence[Row]]) -> pd.DataFrame:
    rows = [
        {**item, "kind": kind, "url": url, "outlet": (urlsplit(url).hostname or "").removeprefix("www.")}
        for name, kind in MEDIA_KINDS.items()
        for item in data[name]
        for url in [item.get("url") or item["entry_url"]]
    ]
    return _build_frame(rows, MEDIA_COLUMNS)


def build_runs(stream: bytes) -> pd.DataFrame:
    """A frame of the Arrow stream of a timeline."""
    return pa.ipc.open_stream(stream).read_all().to_pandas().set_index("run_id")


def build_comparison(body: Row) -> pd.DataFrame:
    rows = [_flatten_comparison(comparison) for comparison in body["comparisons"]]
    return pd.DataFrame(rows).set_index("profile")


def _flatten_comparison(comparison: Row) -> dict[str, Any]:
    figures = comparison["comparison"] or {}
    low, high = figures.get("interval") or (None, None)
    numbers = {name: figures.get(name) for name in COMPARED_FIGURES} | {"low": low, "high": high}
    return {
        "profile": comparison["b"]["profile"],
        "verdict": comparison["verdict"],
        **{name: _to_float(value) for name, value in numbers.items()},
        "text": comparison["text"],
    }


def _build_frame(rows: Sequence[Row], columns: Sequence[str]) -> pd.DataFrame:
    """The ``columns`` of ``rows`` by id, with decimals and UTC times."""
    frame = pd.DataFrame(rows, columns=columns)
    for name in frame.columns.intersection(FIGURES):
        frame[name] = _to_decimals([row[name] for row in rows])  # the frame's own may be floats by now
    for name in frame.columns.intersection(TIMES):
        frame[name] = pd.to_datetime(frame[name], utc=True, format="ISO8601")
    if "market_cap_rank" in frame:
        frame["market_cap_rank"] = frame["market_cap_rank"].astype("Int64")
    return frame.set_index("id")


def _to_decimals(values: Iterable[Any]) -> pd.Series:
    """Numbers and numerals as :class:`~decimal.Decimal`; null stays null."""
    return pd.Series([None if value is None else Decimal(value) for value in values], dtype=object)


def _to_float(value: Decimal | int | None) -> float | int | None:
    return float(value) if isinstance(value, Decimal) else value
