"""Defines the service's market responses as typed dicts with the fields of ``backend.markets.schemas``.

JSON numbers arrive as :class:`~decimal.Decimal` or ``int`` with all digits that were sent. The figures
of candles are only drawn, so they arrive as ``float``.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal, TypedDict, get_args

from backend.markets.schemas import CandleRow

Span = Literal["24h", "7d"]
"""The period of the table's changes and candles."""
SPANS: tuple[Span, ...] = get_args(Span)
ChangeSpan = Literal["1h", "24h", "7d", "30d"]
"""The period of a change that the service reports."""
CHANGE_SPANS: tuple[ChangeSpan, ...] = get_args(ChangeSpan)
TotalsSpan = Literal["24h", "7d", "30d"]
"""The period of the history of the market's totals."""
ChartSpan = Literal["1h", "24h", "7d", "30d", "90d", "1y"]
"""The period of one asset's chart."""
CHART_SPANS: tuple[ChartSpan, ...] = get_args(ChartSpan)
Currency = Literal["USD", "EUR", "JPY", "CNY", "KRW", "GBP", "BTC"]
"""A currency in which a reader may see figures. All figures of the service are in the first one."""
CURRENCIES: tuple[Currency, ...] = get_args(Currency)
Number = Decimal | int
"""A JSON number with all digits that were sent."""
Rule = Literal["single", "mean", "median", "nearest", "primary", "held", "stale", "none"]
"""The code of how a figure was chosen among the providers' quotes."""
RULES: tuple[Rule, ...] = get_args(Rule)
ReasonValue = str | int | list[str]
ReasonValues = Mapping[str, ReasonValue]
"""The values in a sentence of the service, for its translation."""

__all__ = [
    "CHANGE_SPANS",
    "CHART_SPANS",
    "CURRENCIES",
    "RULES",
    "SPANS",
    "Asset",
    "AssetLinks",
    "AssetMetadata",
    "AssetQuotes",
    "AssetUrls",
    "CandleRow",
    "CandleSeries",
    "ChangeSpan",
    "ChartSpan",
    "Currency",
    "DisplayRate",
    "DisplayRates",
    "FearGreed",
    "FigureFacts",
    "Incident",
    "LocalizedNames",
    "MarketIncident",
    "MarketOverview",
    "MarketStatus",
    "Number",
    "PriceRecord",
    "ProviderQuote",
    "ProviderStatus",
    "RankedToken",
    "ReasonValue",
    "ReasonValues",
    "Rule",
    "Span",
    "Total",
    "TotalsHistory",
    "TotalsPoint",
    "TotalsSpan",
    "WorkerStatus",
]


class LocalizedNames(TypedDict):
    """The names of an asset, organisation or person in each language, and its other names."""

    en: str
    ja: str
    zh: str
    aliases: list[str]


class AssetLinks(TypedDict):
    website: list[str]
    technical_doc: list[str]
    twitter: list[str]
    reddit: list[str]
    message_board: list[str]
    announcement: list[str]
    explorer: list[str]
    source_code: list[str]


class AssetUrls(AssetLinks):
    datasrc2: str | None


class AssetMetadata(TypedDict):
    name: str
    symbol: str
    logo: str
    description: str | None
    date_launched: str | None
    genesis_date: str | None
    address: str | None
    categories: list[list[str]]
    platforms: dict[str, str]
    infinite_supply: bool | None
    urls: AssetLinks


class Asset(TypedDict):
    id: str
    name: str
    symbol: str
    datasrc1_slug: str | None
    datasrc2_id: str | None
    icon_url: str
    market_cap: Number | None
    enabled: bool
    ath: Number | None
    ath_change_percentage: Number | None
    ath_date: str | None
    sources: dict[str, str]
    metadata: AssetMetadata
    urls: AssetUrls


class PriceRecord(TypedDict):
    id: str
    datasrc2_id: str | None
    symbol: str
    source: str | None
    price_usd: str | None
    market_cap: Number | None
    market_cap_rank: int | None
    last_updated: str | None
    pct_change_1h: str | None
    pct_change_24h: str | None
    pct_change_7d: str | None
    pct_change_30d: str | None
    ath: str | None
    ath_change_percentage: str | None
    ath_date: str | None


class RankedToken(TypedDict):
    id: str
    datasrc2_id: str | None
    symbol: str
    name: str
    icon_url: str
    price_usd: str | None
    market_cap: Number | None
    market_cap_rank: int | None
    pct_change_24h: str | None
    pct_change_7d: str | None
    candles_7d: list[CandleRow]
    candles_24h: list[CandleRow]
    last_updated: str | None


class FearGreed(TypedDict):
    value: Number | None
    label: str | None
    last_updated: str | None
    source: str | None


class Total(TypedDict):
    value: Number | None
    display_value: str | None
    change_24h: Number | None
    last_updated: str | None
    source: str | None


class MarketOverview(TypedDict):
    fear_greed: FearGreed
    market_cap: Total
    volume_24h: Total
    btc_market_cap_percentage: Number | None


class DisplayRate(TypedDict):
    """What one USD is worth in a currency; ``rate`` is ``None`` if that is unknown."""

    rate: str | None
    source: str | None
    last_updated: str | None


class DisplayRates(TypedDict):
    base: Literal["USD"]
    rates: dict[Currency, DisplayRate]


class TotalsPoint(TypedDict):
    at: str
    market_cap: str
    volume_24h: str | None
    btc_market_cap_percentage: str | None
    eth_market_cap_percentage: str | None


class TotalsHistory(TypedDict):
    """Past totals of one source, oldest first, one at most for each hour (UTC)."""

    span: TotalsSpan
    mode: Literal["sample", "live", "replay"]
    source: str | None
    history_since: str | None
    points: list[TotalsPoint]


class CandleSeries(TypedDict):
    id: str
    span: ChartSpan
    interval_seconds: int
    basis: Literal["ohlc", "hourly_prices", "daily_prices", "polls", "sparkline"]
    source: str | None
    last_updated: str | None
    candles: list[CandleRow]


class CandlesAround(TypedDict):
    """Candles around an instant; ``interval_seconds`` is ``None`` without candles."""

    id: str
    at: str
    interval_seconds: int | None
    source: str | None
    candles: list[CandleRow]


class ProviderQuote(TypedDict):
    provider: str
    source: str
    external_id: str
    price_usd: str
    market_cap: Number | None
    market_cap_rank: int | None
    volume_24h: Number | None
    pct_change_24h: str | None
    as_of: str
    received_at: str
    age_seconds: int
    freshness: Literal["fresh", "ageing", "stale"]
    used: bool
    reason: str
    reason_code: str | None
    reason_values: ReasonValues


class Incident(TypedDict):
    id: int
    kind: Literal["divergent", "conflict", "depeg", "jump"]
    opened_at: str
    closed_at: str | None
    worst_pct: str | None
    detail: str
    detail_code: str | None
    detail_values: ReasonValues


class MarketIncident(Incident):
    asset_id: str
    symbol: str
    name: str


class SpreadPoint(TypedDict):
    opened_at: str
    spread_pct: str


class AssetQuotes(TypedDict):
    id: str
    symbol: str
    price_usd: str | None
    source: str | None
    last_updated: str | None
    rule: Rule
    reason: str
    reason_code: str | None
    reason_values: ReasonValues
    flags: list[str]
    spread_pct: str | None
    agree_pct: str | None
    conflict_pct: str | None
    spread_24h: list[SpreadPoint]
    quotes: list[ProviderQuote]
    incidents: list[Incident]


class FigureFacts(TypedDict):
    rule: Rule
    reason: str
    reason_code: str | None
    reason_values: ReasonValues
    flags: list[str]
    stale: bool
    spread_pct: str | None
    volume_24h: Number | None


class ProviderStatus(TypedDict):
    provider: str
    role: list[Literal["quotes", "overview", "fear_greed"]]
    state: Literal["ok", "waiting", "throttled", "open", "unauthorised", "refused", "quota_spent"]
    message: str | None
    message_code: str | None
    message_values: ReasonValues
    failing_since: str | None
    last_success_at: str | None
    retry_at: str | None
    poll_interval_seconds: int | None
    credits_used: int | None
    credits_quota: int | None
    quota_resets_at: str | None
    missing_ids: list[str]


class WorkerStatus(TypedDict):
    state: Literal["working", "waiting", "stalled", "restarting", "missing"]
    seen_at: str | None
    restarts: int


class MarketStatus(TypedDict):
    mode: Literal["sample", "live", "replay"]
    refreshed_at: str | None
    assets: int
    stale: int
    providers: list[ProviderStatus]
    worker: WorkerStatus
