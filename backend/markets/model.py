"""The words of the market domain: what providers say, and what the service publishes.

Pure data, no I/O. Money and percentages are :class:`~decimal.Decimal` from the provider's literal
to the wire. Instants are aware and in UTC. Percentages are in percent (1.5 means 1.5 %).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from backend.markets.reasons import Reason

Span = Literal["24h", "7d"]
SPAN_SECONDS: Mapping[Span, int] = {"24h": 1800, "7d": 14_400}
"""Length of one candle of a span: 48 of 30 minutes, 42 of 4 hours."""
SPAN_COUNT: Mapping[Span, int] = {"24h": 48, "7d": 42}

SAMPLE_PROVIDERS = ("sample-a", "sample-b")
"""The two views that the sample market gives of itself; both are published as ``sample``."""


@dataclass(frozen=True, slots=True)
class Quote:
    """What one provider says of one asset at ``as_of`` (the provider's own time)."""

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
    """Open, high, low, close in USD from ``open_time`` on; ``volume`` in USD or unknown."""

    open_time: datetime
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Poll:
    """One answer of a provider about many assets, already checked and in our words.

    ``sparklines`` are closes of the last seven days, evenly spaced, oldest first, ending about
    ``received_at`` (CoinGecko gives 167 to 169 hourly ones, without times). ``missing`` are asset
    ids that were asked for and not answered; ``rejected`` those whose answer was refused, with the
    reason. ``credits`` is what the call cost out of the monthly quota.
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
class GlobalFigures:
    """Totals of the whole market as one provider sees it; never blended, since universes differ."""

    provider: str
    as_of: datetime
    market_cap: Decimal
    market_cap_change_24h: Decimal | None
    volume_24h: Decimal | None
    volume_change_24h: Decimal | None
    btc_market_cap_percentage: Decimal | None
    credits: int = 1


@dataclass(frozen=True, slots=True)
class FearGreed:
    """A fear and greed index, 0 to 100, with the provider's own label: bands differ, never recompute."""

    provider: str
    as_of: datetime
    value: int
    label: str
    credits: int = 0


class Fault(StrEnum):
    """Why a provider gave nothing, in the words that decide what happens next."""

    THROTTLED = "throttled"  # ask again when told
    QUOTA_SPENT = "quota_spent"  # the day's or month's allowance is gone
    UNAUTHORISED = "unauthorised"  # the configured key is wrong, or its plan does not allow this
    REFUSED = "refused"  # access is refused for another reason: a firewall's page, or no key is configured
    NOT_FOUND = "not_found"  # the id is gone there
    UNAVAILABLE = "unavailable"  # no answer, 5xx, timed out
    MALFORMED = "malformed"  # an answer that is not in a documented shape


NOT_ALLOWED = (Fault.UNAUTHORISED, Fault.REFUSED)
"""The provider answers, and does not give this to us."""


class ProviderError(Exception):
    """A provider's refusal or failure; ``message`` is fit for an operator and holds no secret."""

    def __init__(
        self, provider: str, fault: Fault, message: str, *, retry_after: float | None = None
    ) -> None:
        super().__init__(f"{provider}: {message}")
        self.provider = provider
        self.fault = fault
        self.message = message
        self.retry_after = retry_after


Freshness = Literal["fresh", "ageing", "stale"]
Rule = Literal["single", "mean", "median", "nearest", "primary", "held", "stale", "none"]
"""How a figure was chosen; see :mod:`backend.markets.aggregation.aggregate`."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of one provider's quote, and why."""

    provider: str
    freshness: Freshness | None
    used: bool
    reason: Reason


@dataclass(frozen=True, slots=True)
class Published:
    """The figure that the service stands behind for one asset.

    ``providers`` are exactly those whose figures went into ``price``; ``last_updated`` is the
    oldest of their times. ``price`` is null when nothing is known (or the last known good figure
    is older than a day). ``stale`` says that the figure is the last known good one.
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
    judgements: tuple[Judgement, ...] = ()

    @property
    def source(self) -> str | None:
        return source_label(self.providers, stale=self.stale)


def source_label(providers: Sequence[str], *, stale: bool = False) -> str | None:
    """``coingecko+coinmarketcap``, ``sample``, ``coingecko:stale``; null when nothing was used."""
    if not providers:
        return None
    names = ["sample" if name in SAMPLE_PROVIDERS else name for name in providers]
    label = "+".join(dict.fromkeys(names))
    return f"{label}:stale" if stale else label
