"""Defines the tables of the market domain.

``realm`` separates sample and real data: every row belongs to one realm, and no query reads two. Data derived
from other rows that each response needs (``candle_strips``) is stored as the JSON text that is sent.
``reason`` and ``detail`` contain a reason as JSON (see :mod:`backend.markets.reasons`), or a bare message
from an earlier version.
"""

import sqlalchemy as sa

from backend.store.database import ExactDecimal, UtcTime, metadata

ASSET_FIGURE_COLUMNS = (
    "market_cap",
    "market_cap_rank",
    "volume_24h",
    "pct_change_1h",
    "pct_change_24h",
    "pct_change_7d",
    "pct_change_30d",
    "ath",
    "ath_change_percentage",
    "ath_date",
)
"""The columns that a provider's quote and the published figure share, in addition to the price."""


def _build_asset_figure_columns() -> list[sa.Column[object]]:
    return [
        sa.Column("market_cap", ExactDecimal),
        sa.Column("market_cap_rank", sa.Integer),
        sa.Column("volume_24h", ExactDecimal),
        sa.Column("pct_change_1h", ExactDecimal),
        sa.Column("pct_change_24h", ExactDecimal),
        sa.Column("pct_change_7d", ExactDecimal),
        sa.Column("pct_change_30d", ExactDecimal),
        sa.Column("ath", ExactDecimal),
        sa.Column("ath_change_percentage", ExactDecimal),
        sa.Column("ath_date", UtcTime),
    ]


def _build_realm_column() -> sa.Column[str]:
    return sa.Column("realm", sa.String(32), primary_key=True)


def _build_asset_column() -> sa.Column[str]:
    return sa.Column("asset_id", sa.String(128), primary_key=True)


provider_quotes = sa.Table(
    "provider_quotes",
    metadata,
    _build_realm_column(),
    sa.Column("provider", sa.String(32), primary_key=True),
    _build_asset_column(),
    sa.Column("external_id", sa.String(128), nullable=False),
    sa.Column("price", ExactDecimal, nullable=False),
    sa.Column("as_of", UtcTime, nullable=False),
    sa.Column("received_at", UtcTime, nullable=False),
    *_build_asset_figure_columns(),
)
"""The newest quote of each provider."""

published_figures = sa.Table(
    "published_figures",
    metadata,
    _build_realm_column(),
    _build_asset_column(),
    sa.Column("price", ExactDecimal),
    sa.Column("providers", sa.String(128), nullable=False),
    sa.Column("stale", sa.Boolean, nullable=False),
    sa.Column("last_updated", UtcTime),
    sa.Column("rule", sa.String(16), nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("flags", sa.String(128), nullable=False),
    sa.Column("spread_pct", ExactDecimal),
    *_build_asset_figure_columns(),
    sa.Column("judgements", sa.Text, nullable=False),
    sa.Column("memory", sa.Text, nullable=False),
)
"""The published figures, with the state of the aggregation rule for the next tick in ``memory``."""

price_points = sa.Table(
    "price_points",
    metadata,
    _build_realm_column(),
    _build_asset_column(),
    sa.Column("at", UtcTime, primary_key=True),
    sa.Column("price", ExactDecimal, nullable=False),
    sa.Column("spread_pct", ExactDecimal),
    sa.Column("source", sa.String(64), nullable=False),
)
"""One published price for each poll, thinned with age."""

candles = sa.Table(
    "candles",
    metadata,
    _build_realm_column(),
    _build_asset_column(),
    sa.Column("seconds", sa.Integer, primary_key=True),
    sa.Column("open_time", UtcTime, primary_key=True),
    sa.Column("open", ExactDecimal, nullable=False),
    sa.Column("high", ExactDecimal, nullable=False),
    sa.Column("low", ExactDecimal, nullable=False),
    sa.Column("close", ExactDecimal, nullable=False),
    sa.Column("volume", ExactDecimal),
)
"""Candles built from polls: 30 minutes, 4 hours, a day."""

candle_series_json = sa.Table(
    "candle_strips",
    metadata,
    _build_realm_column(),
    _build_asset_column(),
    sa.Column("span", sa.String(8), primary_key=True),
    sa.Column("basis", sa.String(16), primary_key=True),
    sa.Column("source", sa.String(64), nullable=False),
    sa.Column("as_of", UtcTime, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
)
"""The candles of a span as the JSON array that is sent.

``basis`` tells what they are built from: ``polls``, ``sparkline``, or ``ohlc`` for whatever history a
provider gave. The previous version of the service sends every other row in rankings.
"""

market_figures = sa.Table(
    "market_figures",
    metadata,
    _build_realm_column(),
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("provider", sa.String(32), primary_key=True),
    sa.Column("as_of", UtcTime, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
)
"""The newest global figures and fear and greed index of each provider."""

market_totals = sa.Table(
    "market_totals",
    metadata,
    _build_realm_column(),
    sa.Column("source", sa.String(32), primary_key=True),
    sa.Column("hour", UtcTime, primary_key=True),
    sa.Column("as_of", UtcTime, nullable=False),
    sa.Column("market_cap", ExactDecimal, nullable=False),
    sa.Column("volume_24h", ExactDecimal),
    sa.Column("btc_market_cap_percentage", ExactDecimal),
    sa.Column("eth_market_cap_percentage", ExactDecimal),
)
"""The last totals of each hour (UTC) by the label of their source, in USD and percent."""

provider_states = sa.Table(
    "provider_states",
    metadata,
    _build_realm_column(),
    sa.Column("provider", sa.String(32), primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
)
"""Circuit breaker, budget, last polls and missing ids of a provider, shared by all processes."""

incidents = sa.Table(
    "incidents",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("realm", sa.String(32), nullable=False),
    sa.Column("asset_id", sa.String(128), nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("opened_at", UtcTime, nullable=False),
    sa.Column("closed_at", UtcTime),
    sa.Column("worst_pct", ExactDecimal),
    sa.Column("detail", sa.Text, nullable=False),
    sa.Index("ix_incidents_realm_asset_id_opened_at", "realm", "asset_id", "opened_at"),
)

provider_ids = sa.Table(
    "provider_ids",
    metadata,
    sa.Column("provider", sa.String(32), primary_key=True),
    sa.Column("name", sa.String(128), primary_key=True),
    sa.Column("external_id", sa.String(128), nullable=False),
    sa.Column("resolved_at", UtcTime, nullable=False),
)
"""Numeric ids that a provider returned for configured names."""

asset_icons = sa.Table(
    "asset_icons",
    metadata,
    sa.Column("asset_id", sa.String(128), primary_key=True),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("content_type", sa.String(64)),
    sa.Column("body", sa.LargeBinary),
    sa.Column("tried_at", UtcTime, nullable=False),
    sa.Column("failure", sa.Text),
)
"""Provider images, fetched once through the SSRF guard and validated; or the reason of the failure."""
