"""Calls the market endpoints: rankings, prices, rates, assets, candles, incidents and provider status."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from dashboard.client import connection
from dashboard.client.cache_entries import LIFETIME_SECONDS, SLOW_LIFETIME_SECONDS
from dashboard.client.fetched import Fetched
from dashboard.client.market_schemas import (
    Asset,
    AssetQuotes,
    CandlesAround,
    CandleSeries,
    ChartSpan,
    DisplayRates,
    FigureFacts,
    LocalizedNames,
    MarketIncident,
    MarketOverview,
    MarketStatus,
    PriceRecord,
    RankedToken,
    Span,
    TotalsHistory,
    TotalsSpan,
)

NAMES_LIFETIME_SECONDS = 600.0
"""Names change with the catalogue alone."""


def fetch_rankings(span: Span | None = None) -> Fetched[list[RankedToken]]:
    """Fetches the enabled assets by market capitalisation, with the candles of ``span`` if it is given."""
    path = "/rankings" if span is None else f"/rankings?with_candles={span}"
    return connection.get_client().get(path, "array", _decode_rankings)


def fetch_prices() -> Fetched[dict[str, PriceRecord]]:
    """Fetches the latest price of every enabled asset, by id."""
    return connection.get_client().get("/prices", "object")


def fetch_figures() -> Fetched[dict[str, FigureFacts]]:
    """Fetches rule, reason, flags and 24-hour volume of every enabled asset's figure, by id."""
    return connection.get_client().get("/markets/figures", "object")


def fetch_rates() -> Fetched[DisplayRates]:
    """Fetches what one USD is worth in each display currency."""
    return connection.get_client().get("/markets/rates", "object")


def fetch_quotes(asset_id: str) -> Fetched[AssetQuotes]:
    """Fetches each provider's quote of one asset, and the reason for the published price."""
    return connection.get_client().get(f"/prices/{_quote_segment(asset_id)}/quotes", "object")


def fetch_asset(asset_id: str) -> Fetched[Asset]:
    return connection.get_client().get(f"/assets/{_quote_segment(asset_id)}", "object")


def fetch_assets() -> Fetched[list[Asset]]:
    """Fetches the enabled assets with names, categories and links."""
    return connection.get_client().get("/assets", "array", lifetime=SLOW_LIFETIME_SECONDS)


def fetch_names() -> Fetched[dict[str, LocalizedNames]]:
    """Fetches the names of assets, organisations and people in three languages, by id."""
    return connection.get_client().get("/assets/names", "object", lifetime=NAMES_LIFETIME_SECONDS)


def fetch_candles(asset_id: str, span: ChartSpan) -> Fetched[CandleSeries]:
    """Fetches the candles of one asset; those of more than a week change once in several minutes."""
    path = f"/assets/{_quote_segment(asset_id)}/candles?span={span}"
    lifetime = LIFETIME_SECONDS if span in ("1h", "24h", "7d") else SLOW_LIFETIME_SECONDS
    return connection.get_client().get(path, "object", _decode_series, lifetime=lifetime)


def fetch_candles_around(asset_id: str, at: datetime) -> Fetched[CandlesAround]:
    """Fetches the finest stored candles around ``at`` (aware); the list is empty if none are stored."""
    instant = at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    path = f"/assets/{_quote_segment(asset_id)}/candles/around?at={instant}"
    return connection.get_client().get(path, "object", _decode_series, lifetime=SLOW_LIFETIME_SECONDS)


def fetch_overview() -> Fetched[MarketOverview]:
    """Fetches the totals of the whole market and the fear and greed index."""
    return connection.get_client().get("/crypto/market-overview", "object")


def fetch_totals_history(span: TotalsSpan) -> Fetched[TotalsHistory]:
    """Fetches the past totals of the source that the overview shows."""
    return connection.get_client().get(
        f"/markets/totals?span={span}", "object", lifetime=SLOW_LIFETIME_SECONDS
    )


def fetch_incidents(*, is_open: bool, limit: int) -> Fetched[list[MarketIncident]]:
    """Fetches the open or the closed incidents of all assets in the last 30 days, newest first."""
    path = f"/markets/incidents?open={'true' if is_open else 'false'}&limit={limit}"
    return connection.get_client().get(path, "array")


def fetch_status() -> Fetched[MarketStatus]:
    """Fetches the state and remaining quota of each provider, and the state of the worker."""
    return connection.get_client().get("/markets/status", "object")


def fetch_icon(asset_id: str) -> tuple[bytes, str] | None:
    """Fetches an asset's image and its media type; ``None`` if the service has no image."""
    return connection.get_client().get_bytes(f"/assets/{_quote_segment(asset_id)}/icon")


def _quote_segment(asset_id: str) -> str:
    return quote(asset_id, safe="")


def _decode_rankings(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for row in rows:
        row["candles_24h"] = _decode_candles(row["candles_24h"])
        row["candles_7d"] = _decode_candles(row["candles_7d"])
    return rows


def _decode_series(body: dict[str, Any]) -> dict[str, Any]:
    body["candles"] = _decode_candles(body["candles"])
    return body


def _decode_candles(
    rows: Sequence[Sequence[Any]],
) -> list[tuple[int, float, float, float, float, float | None]]:
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
