"""Calls to the service, one function an endpoint, over one client for the whole process.

Every call may be made from any thread at any rate: see :mod:`dashboard.client.http`.
"""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import quote

import backend.settings
from backend.settings import Settings
from dashboard.client import callers
from dashboard.client.fetched import Fetched
from dashboard.client.http import ApiClient
from dashboard.client.market_schemas import (
    Asset,
    AssetQuotes,
    CandlesAround,
    CandleSeries,
    FigureFacts,
    MarketIncident,
    MarketOverview,
    MarketStatus,
    PriceRecord,
    RankedToken,
    Span,
)
from dashboard.sign_in import service

SLOW_SECONDS = 20.0
"""How long answers live that change by the minute at the most and cost the service a query."""

T = TypeVar("T")
_side_by_side = ThreadPoolExecutor(max_workers=8, thread_name_prefix="api")
_lock = threading.Lock()
_made: ApiClient | None = None


class SettingsError(Exception):
    """The settings of the service cannot be read; the message says which and why."""


def rankings(span: Span | None = None) -> Fetched[list[RankedToken]]:
    """Enabled assets by market capitalisation, with the candles of ``span`` if one is asked for."""
    path = "/rankings" if span is None else f"/rankings?with_candles={span}"
    return client().get(path, "array", _ranked)


def prices() -> Fetched[dict[str, PriceRecord]]:
    """The latest price of every enabled asset, by id."""
    return client().get("/prices", "object")


def figures() -> Fetched[dict[str, FigureFacts]]:
    """How every enabled asset's figure was chosen, what is wrong with it, and the day's volume, by id."""
    return client().get("/markets/figures", "object")


def quotes(asset_id: str) -> Fetched[AssetQuotes]:
    """Each provider's quote of one asset, and why the published price is what it is."""
    return client().get(f"/prices/{_segment(asset_id)}/quotes", "object")


def asset(asset_id: str) -> Fetched[Asset]:
    return client().get(f"/assets/{_segment(asset_id)}", "object")


def assets() -> Fetched[list[Asset]]:
    """Enabled assets with their facts: names, categories, links."""
    return client().get("/assets", "array", lifetime=SLOW_SECONDS)


def candles(asset_id: str, span: Span) -> Fetched[CandleSeries]:
    return client().get(f"/assets/{_segment(asset_id)}/candles?span={span}", "object", _series)


def candles_around(asset_id: str, at: datetime) -> Fetched[CandlesAround]:
    """The finest candles that are stored around an instant; none where none are."""
    instant = at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    path = f"/assets/{_segment(asset_id)}/candles/around?at={instant}"
    return client().get(path, "object", _series, lifetime=SLOW_SECONDS)


def overview() -> Fetched[MarketOverview]:
    """Totals of the whole market and the fear and greed index."""
    return client().get("/crypto/market-overview", "object")


def incidents(*, is_open: bool, limit: int) -> Fetched[list[MarketIncident]]:
    """Incidents of all assets in the last 30 days, newest first: the open ones, or those that are over."""
    return client().get(f"/markets/incidents?open={'true' if is_open else 'false'}&limit={limit}", "array")


def status() -> Fetched[MarketStatus]:
    """How each provider is doing, and what is left of its quota."""
    return client().get("/markets/status", "object")


def icon(asset_id: str) -> tuple[bytes, str] | None:
    """An asset's image and its media type; null when the service has none to give."""
    return client().get_bytes(f"/assets/{_segment(asset_id)}/icon")


def ahead(call: Callable[[], Fetched[T]]) -> Future[Fetched[T]]:
    """Begin a call whose answer is needed a little later, beside others; in the name of whoever begins it."""
    return _side_by_side.submit(callers.run_as, client().caller(), call)


def retry() -> None:
    """Ask again at once for everything that failed."""
    client().forget_failures()


def client() -> ApiClient:
    """The process's client, made at the first call.

    :raises SettingsError: when the environment does not say where the service is.
    """
    global _made
    with _lock:
        if _made is None:
            settings = _settings()
            whose = service.caller if service.desk() is not None else None
            _made = ApiClient(settings.api_url, _key_source(settings), whose=whose)
        return _made


def close() -> None:
    """Close the client, as the process ends."""
    global _made
    with _lock:
        if _made is not None:
            _made.close()
        _made = None


def _settings() -> Settings:
    try:
        return Settings()
    except backend.settings.SettingsError as error:
        raise SettingsError(error.detail) from error


def _key_source(settings: Settings) -> Callable[[], str | None]:
    def read() -> str | None:
        given = os.environ.get("CHAINPROOF_API_KEY", "").strip()
        if given:
            return given
        try:
            return settings.local_key_file.read_text(encoding="ascii").strip() or None
        except (OSError, UnicodeDecodeError):  # not made yet, or not ours to read: the service answers 401
            return None

    return read


def _segment(asset_id: str) -> str:
    return quote(asset_id, safe="")


def _ranked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for row in rows:
        row["candles_24h"] = _floats(row["candles_24h"])
        row["candles_7d"] = _floats(row["candles_7d"])
    return rows


def _series(body: dict[str, Any]) -> dict[str, Any]:
    body["candles"] = _floats(body["candles"])
    return body


def _floats(rows: Sequence[Sequence[Any]]) -> list[tuple[int, float, float, float, float, float | None]]:
    return [
        (
            row[0],
            float(row[1]),
            float(row[2]),
            float(row[3]),
            float(row[4]),
            None if row[5] is None else float(row[5]),
        )
        for row in rows
    ]
