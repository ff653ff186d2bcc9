"""Defines the response schemas of the market endpoints, with the names of the interface.

Decimals that the interface calls "string (decimal)" are plain decimal strings. Those that it calls "number"
are JSON numbers printed from the exact decimal. Percentages are in percent.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
from typing_extensions import TypeAliasType

from backend.formats.field_types import Day, RelativeUrl, Timestamp, WebUrl

DecimalString = Annotated[str, Field(pattern=r"^-?\d+(\.\d+)?$")]
CandleRow = Annotated[
    tuple[int, float, float, float, float, float | None],
    # Several OpenAPI readers do not support the positional form, `prefixItems`.
    WithJsonSchema(
        {
            "type": "array",
            "description": "`[open_time_ms, open, high, low, close, volume]`; only the volume may be null.",
            "items": {"anyOf": [{"type": "number"}, {"type": "null"}]},
            "minItems": 6,
            "maxItems": 6,
        }
    ),
]
"""``[open_time_ms, open, high, low, close, volume]``"""


class Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


ReasonCode = TypeAliasType(
    "ReasonCode",
    Annotated[
        str,
        Field(
            pattern=r"^[a-z][a-z0-9_]*$",
            description="A stable code of the message; null if only the message is known. "
            "New codes can be added.",
        ),
    ],
)
ReasonValues = TypeAliasType(
    "ReasonValues",
    Annotated[
        Mapping[str, str | int | list[str]],
        Field(
            description="The values of the message: `*_pct` in percent, `*_seconds`, instants `as_of` and "
            "`retry_at`, `price` in USD, provider ids. After a failed request, `fault` is its kind and "
            "`said` the provider's own message.",
        ),
    ],
)


class AssetLinks(Wire):
    website: list[WebUrl]
    technical_doc: list[WebUrl]
    twitter: list[WebUrl]
    reddit: list[WebUrl]
    message_board: list[WebUrl]
    announcement: list[WebUrl]
    explorer: list[WebUrl]
    source_code: list[WebUrl]


class AssetUrls(AssetLinks):
    datasrc2: WebUrl | None = Field(description="The asset's page at the second market-data provider.")


class AssetMetadata(Wire):
    name: str
    symbol: str
    logo: RelativeUrl
    description: str | None
    date_launched: Day | None
    genesis_date: Day | None
    address: str | None
    categories: list[list[str]]
    platforms: dict[str, str]
    infinite_supply: bool | None
    urls: AssetLinks


class AssetOut(Wire):
    id: str
    name: str
    symbol: str
    datasrc1_slug: str | None
    datasrc2_id: str | None
    icon_url: RelativeUrl
    market_cap: float | None
    enabled: bool
    ath: float | None
    ath_change_percentage: float | None
    ath_date: Timestamp | None
    sources: dict[str, str]
    metadata: AssetMetadata
    urls: AssetUrls


class PriceRecord(Wire):
    id: str
    datasrc2_id: str | None
    symbol: str
    source: str | None
    price_usd: DecimalString | None
    market_cap: float | None
    market_cap_rank: int | None
    last_updated: Timestamp | None
    pct_change_1h: DecimalString | None
    pct_change_24h: DecimalString | None
    pct_change_7d: DecimalString | None
    pct_change_30d: DecimalString | None
    ath: DecimalString | None
    ath_change_percentage: DecimalString | None
    ath_date: Timestamp | None


class RankedToken(Wire):
    id: str
    datasrc2_id: str | None
    symbol: str
    name: str
    icon_url: RelativeUrl
    price_usd: DecimalString | None
    market_cap: float | None
    market_cap_rank: int | None
    pct_change_24h: DecimalString | None
    pct_change_7d: DecimalString | None
    candles_7d: list[CandleRow]
    candles_24h: list[CandleRow]
    last_updated: Timestamp | None


class FearGreedOut(Wire):
    value: float | None
    label: str | None
    last_updated: Timestamp | None
    source: str | None


class Total(Wire):
    value: float | None
    display_value: str | None
    change_24h: float | None
    last_updated: Timestamp | None
    source: str | None


class MarketOverview(Wire):
    fear_greed: FearGreedOut
    market_cap: Total
    volume_24h: Total
    btc_market_cap_percentage: float | None


class DisplayRate(Wire):
    rate: DecimalString | None = Field(description="Amount for one USD; null if unknown.")
    source: str | None = Field(description="The origin, with `:stale` if it is the last known good rate.")
    last_updated: Timestamp | None


class DisplayRates(Wire):
    base: Literal["USD"]
    rates: dict[Literal["USD", "EUR", "JPY", "CNY", "KRW", "GBP", "BTC"], DisplayRate]


class TotalsPoint(Wire):
    at: Timestamp = Field(description="The provider's time of the figures.")
    market_cap: DecimalString = Field(description="In USD.")
    volume_24h: DecimalString | None = Field(description="Of 24 hours, in USD.")
    btc_market_cap_percentage: DecimalString | None = Field(description="Share of bitcoin in percent.")
    eth_market_cap_percentage: DecimalString | None = Field(description="Share of ether in percent.")


class TotalsHistory(Wire):
    span: Literal["24h", "7d", "30d"]
    mode: Literal["sample", "live", "replay"]
    source: str | None = Field(
        description="That of the overview's totals, with `:stale` if they are the last known good ones; null "
        "before the first."
    )
    history_since: Timestamp | None = Field(description="The time of the oldest stored point of the source.")
    points: list[TotalsPoint] = Field(description="Ascending.")


class CandleSeries(Wire):
    id: str
    span: Literal["1h", "24h", "7d", "30d", "90d", "1y"]
    interval_seconds: int
    basis: Literal["ohlc", "hourly_prices", "daily_prices", "polls", "sparkline"] = Field(
        description="What the candles are built from: a provider's OHLC or its hourly or daily prices, the "
        "service's own polls, or the hourly closes of a sparkline. Candles that are not `ohlc` have the high "
        "and low of those prices, not of every trade."
    )
    source: str | None = Field(
        description="The provider, with `:stale` if it gives no current history and its last one is returned."
    )
    last_updated: Timestamp | None = Field(
        description="When the candles were fetched, or the time of the last price in them."
    )
    candles: list[CandleRow] = Field(
        description="Ascending. Fewer than the span holds if the known history is shorter, or has gaps."
    )


class CandlesAround(Wire):
    id: str
    at: Timestamp
    interval_seconds: Literal[1800, 14400, 86400] | None
    basis: Literal["polls"]
    source: str | None = Field(description="`sample`, or null: stored candles do not keep their source.")
    candles: list[CandleRow] = Field(description="Empty if none are stored around the instant.")


class ProviderQuote(Wire):
    provider: str
    source: str
    external_id: str
    price_usd: DecimalString
    market_cap: float | None
    market_cap_rank: int | None
    volume_24h: float | None
    pct_change_24h: DecimalString | None
    as_of: Timestamp
    received_at: Timestamp
    age_seconds: int
    freshness: Literal["fresh", "ageing", "stale"]
    used: bool
    reason: str
    reason_code: ReasonCode | None
    reason_values: ReasonValues


class Incident(Wire):
    id: int
    kind: Literal["divergent", "conflict", "depeg", "jump"]
    opened_at: Timestamp
    closed_at: Timestamp | None
    worst_pct: DecimalString | None
    detail: str
    detail_code: ReasonCode | None
    detail_values: ReasonValues


class MarketIncident(Incident):
    asset_id: str
    symbol: str
    name: str


class SpreadPoint(Wire):
    """The widest spread of a five-minute slot."""

    opened_at: Timestamp
    spread_pct: DecimalString


class AssetQuotes(Wire):
    """How the published price was selected."""

    id: str
    symbol: str
    price_usd: DecimalString | None
    source: str | None
    last_updated: Timestamp | None
    rule: Literal["single", "mean", "median", "nearest", "primary", "held", "stale", "none"]
    reason: str
    reason_code: ReasonCode | None
    reason_values: ReasonValues
    flags: list[str]
    spread_pct: DecimalString | None = Field(description="|a - b| / mid of the usable quotes, in percent.")
    agree_pct: DecimalString | None = Field(description="Up to this spread two quotes are averaged.")
    conflict_pct: DecimalString | None = Field(description="Beyond this spread the last good figure is held.")
    spread_24h: list[SpreadPoint]
    quotes: list[ProviderQuote]
    incidents: list[Incident]


class FigureFacts(Wire):
    """Details in addition to the price record: how the figure was selected, and the 24-hour volume."""

    rule: Literal["single", "mean", "median", "nearest", "primary", "held", "stale", "none"]
    reason: str
    reason_code: ReasonCode | None
    reason_values: ReasonValues
    flags: list[str] = Field(
        description="Why the figure is in doubt: `divergent`, `conflict`, `jump`, `depeg`."
    )
    stale: bool
    spread_pct: DecimalString | None
    volume_24h: float | None


class ProviderStatus(Wire):
    provider: str
    role: list[Literal["quotes", "overview", "fear_greed"]]
    state: Literal["ok", "waiting", "throttled", "open", "unauthorised", "refused", "quota_spent"] = Field(
        description="`ok`: asked as planned. `waiting`: its pause is over, and the next call decides. In the "
        "other states it is not asked before `retry_at`: it failed repeatedly (`open`), asked us to wait "
        "(`throttled`), refused the key (`unauthorised`), refused access for another reason (`refused`), or "
        "the quota is spent (`quota_spent`)."
    )
    message: str | None
    message_code: ReasonCode | None
    message_values: ReasonValues
    failing_since: Timestamp | None = Field(
        description="When the first call failed after the last success; null if the last one succeeded."
    )
    last_success_at: Timestamp | None
    retry_at: Timestamp | None
    poll_interval_seconds: int | None
    credits_used: int | None
    credits_quota: int | None
    quota_resets_at: Timestamp | None
    missing_ids: list[str]


class WorkerStatus(Wire):
    """``seen_at`` is the last heartbeat of any worker, null if none ever ran. ``restarts`` counts starts in
    the last five minutes that ended within a minute."""

    state: Literal["working", "waiting", "stalled", "restarting", "missing"]
    seen_at: Timestamp | None
    restarts: int


class MarketStatus(Wire):
    mode: Literal["sample", "live", "replay"]
    refreshed_at: Timestamp | None
    assets: int
    stale: int
    providers: list[ProviderStatus]
    worker: WorkerStatus
