"""Defines the data of the market domain: providers' quotes and published figures.

Pure data, no I/O. Money and percentages are :class:`~decimal.Decimal` from the provider's literal
to the wire. Instants are aware and in UTC. Percentages are in percent (1.5 means 1.5 %).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from backend.markets.provider_names import SAMPLE_PROVIDERS
from backend.markets.reasons import Reason

Span = Literal["24h", "7d"]
"""The period of the candles in rankings, as the parameter `with_candles` of requests names it."""
ChartSpan = Literal["1h", "24h", "7d", "30d", "90d", "1y"]
"""The period of one asset's candle chart, as the parameter `span` of requests names it."""
CANDLE_SECONDS_BY_SPAN: Mapping[ChartSpan, int] = {
    "1h": 300,
    "24h": 1800,
    "7d": 14_400,
    "30d": 14_400,
    "90d": 86_400,
    "1y": 86_400,
}
"""Length of one candle of a span: 5 minutes, 30 minutes, 4 hours or a day."""
CANDLES_PER_SPAN: Mapping[ChartSpan, int] = {
    "1h": 12,
    "24h": 48,
    "7d": 42,
    "30d": 180,
    "90d": 90,
    "1y": 365,
}
TotalsSpan = Literal["24h", "7d", "30d"]
"""The period of the history of totals, as the parameter `span` of requests names it."""
TOTALS_PERIODS: Mapping[TotalsSpan, timedelta] = {
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}
FetchedBasis = Literal["ohlc", "hourly_prices", "daily_prices"]
"""What a provider sends to build candles from: candles, or prices an hour or a day apart."""
CandleBasis = FetchedBasis | Literal["polls", "sparkline"]
"""What candles are built from: a provider's history, our own polls, or the closes of a sparkline."""
PricePoint = tuple[datetime, Decimal]
"""A time and the price in USD at that time."""

COINGECKO_IDS_PER_CALL = 250
"""CoinGecko's limit for one call, which costs one credit."""
COINMARKETCAP_ASSETS_PER_CREDIT = 200
DISPLAY_CURRENCIES = ("USD", "EUR", "JPY", "CNY", "KRW", "GBP", "BTC")
"""Currencies in which a reader may see figures. The service itself calculates in the first one."""
DEFAULT_THROTTLE_SECONDS = 60.0
"""How long to wait after a throttled call if the provider does not say."""


@dataclass(frozen=True, slots=True)
class Quote:
    """One provider's figures for one asset at ``as_of``, the provider's own time."""

    provider: str
    asset_id: str
    external_id: str
    price: Decimal
    as_of: datetime
    received_at: datetime
    market_cap: Decimal | None = None
    market_cap_rank: int | None = None
    volume_24h: Decimal | None = None
    pct_change_1h: Decimal | None = None
    pct_change_24h: Decimal | None = None
    pct_change_7d: Decimal | None = None
    pct_change_30d: Decimal | None = None
    ath: Decimal | None = None
    ath_change_percentage: Decimal | None = None
    ath_date: datetime | None = None


@dataclass(frozen=True, slots=True)
class Candle:
    """Open, high, low, close in USD from ``open_time`` on; ``volume`` in USD, None if unknown."""

    open_time: datetime
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal | None = None


@dataclass(frozen=True, slots=True)
class QuotesResult:
    """One provider's quotes of many assets, validated and keyed by our asset ids.

    ``sparklines`` are closes of the last seven days, evenly spaced, oldest first, ending about
    ``received_at`` (CoinGecko sends 167 to 169 hourly ones, without times). ``missing`` are requested asset
    ids without a quote in the response. ``rejected`` maps asset ids to the reason why their quote is invalid.
    ``credits`` counts against the monthly quota.
    """

    provider: str
    received_at: datetime
    quotes: Mapping[str, Quote]
    sparklines: Mapping[str, Sequence[Decimal]] = field(default_factory=dict)
    images: Mapping[str, str] = field(default_factory=dict)
    missing: Sequence[str] = ()
    rejected: Mapping[str, str] = field(default_factory=dict)
    credits: int = 1


@dataclass(frozen=True, slots=True)
class MarketTotals:
    """One provider's totals of the whole market. Never combined, since providers count different assets.

    ``rates``: how much of a display currency one USD is, by the currency's code; empty if the provider does
    not say.
    """

    provider: str
    as_of: datetime
    market_cap: Decimal
    market_cap_change_24h: Decimal | None
    volume_24h: Decimal | None
    volume_change_24h: Decimal | None
    btc_market_cap_percentage: Decimal | None
    credits: int = 1
    rates: Mapping[str, Decimal] = field(default_factory=dict)
    eth_market_cap_percentage: Decimal | None = None


@dataclass(frozen=True, slots=True)
class TotalsPoint:
    """The totals at ``as_of``, the provider's own time, in USD and percent."""

    as_of: datetime
    market_cap: Decimal
    volume_24h: Decimal | None
    btc_market_cap_percentage: Decimal | None
    eth_market_cap_percentage: Decimal | None


@dataclass(frozen=True, slots=True)
class TotalsHistory:
    """Points ascending, and the time of the oldest stored point of their source: None if none is stored."""

    points: Sequence[TotalsPoint] = ()
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class FearGreed:
    """A fear and greed index from 0 to 100.

    ``label`` is the provider's own: providers draw the bands differently, so never recompute it.
    """

    provider: str
    as_of: datetime
    value: int
    label: str
    credits: int = 0


class ErrorKind(StrEnum):
    """Why a provider gave no data. The kind decides what happens next."""

    THROTTLED = "throttled"  # retry when the provider says
    QUOTA_SPENT = "quota_spent"  # the day's or month's quota is used up
    UNAUTHORISED = "unauthorised"  # the configured key is invalid, or its plan does not allow the call
    REFUSED = "refused"  # access denied for another reason: a firewall's page, or no configured key
    NOT_FOUND = "not_found"  # the provider has no such id
    UNAVAILABLE = "unavailable"  # no response, status 5xx, a timeout
    MALFORMED = "malformed"  # a response in no documented form


NOT_ALLOWED = (ErrorKind.UNAUTHORISED, ErrorKind.REFUSED)
"""The provider responds but denies access."""


class ProviderError(Exception):
    """A provider's refusal or failure. ``message`` is written for operators and contains no secret."""

    def __init__(
        self, provider: str, kind: ErrorKind, message: str, *, retry_after: float | None = None
    ) -> None:
        super().__init__(f"{provider}: {message}")
        self.provider = provider
        self.kind = kind
        self.message = message
        self.retry_after = retry_after


Freshness = Literal["fresh", "ageing", "stale"]
Rule = Literal["single", "mean", "median", "nearest", "primary", "held", "stale", "none"]
"""How a figure was chosen; see :mod:`backend.markets.aggregation.aggregate`."""


@dataclass(frozen=True, slots=True)
class QuoteEvaluation:
    """Whether one provider's quote went into the price, and why."""

    provider: str
    freshness: Freshness | None
    used: bool
    reason: Reason


@dataclass(frozen=True, slots=True)
class PublishedPrice:
    """The published price of one asset, with its other figures.

    ``providers`` are exactly those whose figures went into ``price``; ``last_updated`` is the
    oldest of their times. ``price`` is None when no price is known or the last good one is older than a day.
    ``stale`` says that the price is the last good one.
    """

    asset_id: str
    price: Decimal | None
    providers: tuple[str, ...]
    stale: bool
    last_updated: datetime | None
    rule: Rule
    reason: Reason
    flags: tuple[str, ...] = ()
    spread_pct: Decimal | None = None
    market_cap: Decimal | None = None
    market_cap_rank: int | None = None
    volume_24h: Decimal | None = None
    pct_change_1h: Decimal | None = None
    pct_change_24h: Decimal | None = None
    pct_change_7d: Decimal | None = None
    pct_change_30d: Decimal | None = None
    ath: Decimal | None = None
    ath_change_percentage: Decimal | None = None
    ath_date: datetime | None = None
    evaluations: tuple[QuoteEvaluation, ...] = ()

    @property
    def source(self) -> str | None:
        return source_label(self.providers, stale=self.stale)


def source_label(providers: Sequence[str], *, stale: bool = False) -> str | None:
    """``coingecko+coinmarketcap``, ``sample``, ``coingecko:stale``; None without providers."""
    if not providers:
        return None
    names = ["sample" if name in SAMPLE_PROVIDERS else name for name in providers]
    label = "+".join(dict.fromkeys(names))
    return f"{label}:stale" if stale else label
