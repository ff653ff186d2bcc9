"""Builds the market from the settings: assets, providers, polling plan, aggregation policy."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

import sqlalchemy as sa
from pydantic import SecretStr

from backend.markets.aggregation.policy import AggregationPolicy, AssetTraits
from backend.markets.assets.model import Asset
from backend.markets.assets.registry import AssetRegistry, load_configured_assets
from backend.markets.model import COINGECKO_IDS_PER_CALL, COINMARKETCAP_ASSETS_PER_CREDIT
from backend.markets.provider_limits.circuit_breaker import fingerprint
from backend.markets.provider_limits.polling_schedule import (
    DEFAULT_COINGECKO_QUOTAS,
    PollingPlan,
    PollingSchedule,
    Quota,
    Role,
    plan_polling,
)
from backend.markets.provider_names import ALTERNATIVE_ME, COINGECKO, COINMARKETCAP, SAMPLE_PROVIDERS
from backend.markets.providers.coinmarketcap import SlugIds
from backend.markets.sources_by_mode import MarketSources, live_sources, replay_sources, sample_sources
from backend.markets.tables import provider_ids
from backend.settings import Settings
from backend.store.database import Database, upsert

SIGMA_1H: Mapping[str, Decimal] = {
    "bitcoin": Decimal("0.70"),
    "ethereum": Decimal("0.88"),
    "solana": Decimal("1.45"),
    "dogecoin": Decimal("1.55"),
}
"""Standard deviation of hourly returns in percent, measured on 31,973 hours of perpetual futures."""
SIGMA_OTHERS = Decimal("1.5")
SIGMA_PEGGED = Decimal("0.05")
FALLBACK_POLL_SECONDS = 3600
ASSETS_PER_CREDIT: Mapping[str, int] = {
    COINGECKO: COINGECKO_IDS_PER_CALL,
    COINMARKETCAP: COINMARKETCAP_ASSETS_PER_CREDIT,
    ALTERNATIVE_ME: 1,
}


@dataclass(frozen=True)
class Market:
    """The parts of the market domain that depend on the settings.

    ``fingerprints``: a digest of each provider's configuration. A changed one closes a breaker that a refused
    key had opened.
    """

    sources: MarketSources
    registry: AssetRegistry
    policy: AggregationPolicy
    polling_plan: PollingPlan
    fingerprints: Mapping[str, str]

    def close(self) -> None:
        self.sources.close()


def build_market(settings: Settings, database: Database) -> Market:
    """Build the market. Raises :class:`ValueError` for an invalid asset file."""
    registry = load_configured_assets(settings)
    if settings.mode == "sample":
        sources = sample_sources(settings, registry)
        order, primary = SAMPLE_PROVIDERS, SAMPLE_PROVIDERS[0]
    elif settings.mode == "replay":
        sources = replay_sources(settings)
        order, primary = (COINGECKO, COINMARKETCAP), settings.primary_provider
    else:
        sources = live_sources(settings, load_slug_ids(database), lambda ids: save_slug_ids(database, ids))
        order, primary = (COINGECKO, COINMARKETCAP), settings.primary_provider
    schedules: dict[str, PollingSchedule] = {}
    for quota in _build_quotas(settings, sources):
        schedules |= plan_polling([quota], _count_requested_assets(quota.provider, registry)).schedules
    polling_plan = add_fallback_intervals(PollingPlan(schedules), sources)
    policy = AggregationPolicy(primary=primary, order=order, poll_seconds=polling_plan.poll_seconds)
    return Market(sources, registry, policy, polling_plan, _compute_fingerprints(settings))


def build_traits(asset: Asset) -> AssetTraits:
    """Build the traits of ``asset`` for the aggregation rule."""
    pegged = asset.pegged_to == "usd"
    sigma = SIGMA_PEGGED if pegged else SIGMA_1H.get(asset.id, SIGMA_OTHERS)
    return AssetTraits(asset.id, pegged=pegged, sigma_1h=sigma)


def add_fallback_intervals(polling_plan: PollingPlan, sources: MarketSources) -> PollingPlan:
    """Add hourly intervals for roles in which a provider is only a fallback.

    A fallback is polled while the first choice does not answer, so the monthly plan excludes these roles. The
    budget lengthens the intervals of a provider that is a fallback for long.
    """
    return PollingPlan(
        {
            name: schedule.with_fallback_roles(sources.roles(name), FALLBACK_POLL_SECONDS)
            for name, schedule in polling_plan.schedules.items()
        }
    )


def _find_primary_roles(name: str, sources: MarketSources) -> tuple[Role, ...]:
    """The roles in which the provider is the first choice, or polled beside it for its exchange rates."""
    first: dict[Role, str] = {"overview": sources.overview[0].name, "fear_greed": sources.fear_greed[0].name}
    return tuple(
        role
        for role in sources.roles(name)
        if first.get(role, name) == name or (role == "overview" and name == sources.rates_provider)
    )


def _build_quotas(settings: Settings, sources: MarketSources) -> list[Quota]:
    if settings.mode != "live":
        intervals = (settings.tick_seconds, 60, 300)
        return [
            Quota(name, sources.roles(name), None, unmetered_intervals=intervals) for name in sources.names
        ]
    # A key without a plan counts as a demo key, as in the adapter.
    has_key_without_plan = settings.coingecko_api_key is not None and settings.coingecko_plan == "keyless"
    monthly = {
        COINGECKO: settings.coingecko_monthly_quota
        or DEFAULT_COINGECKO_QUOTAS["demo" if has_key_without_plan else settings.coingecko_plan],
        COINMARKETCAP: settings.coinmarketcap_monthly_quota,
    }
    return [
        Quota(name, _find_primary_roles(name, sources), monthly.get(name), ASSETS_PER_CREDIT[name])
        for name in sources.names
    ]


def _count_requested_assets(provider: str, registry: AssetRegistry) -> int:
    """Count the enabled assets that ``provider`` can be asked for."""
    if provider == COINMARKETCAP:
        return sum(asset.datasrc1_slug is not None for asset in registry.enabled)
    return len(registry.enabled)


def _compute_fingerprints(settings: Settings) -> dict[str, str]:
    def reveal(secret: SecretStr | None) -> str | None:
        return None if secret is None else secret.get_secret_value()

    return {
        COINGECKO: fingerprint(
            settings.coingecko_plan, settings.coingecko_base_url, reveal(settings.coingecko_api_key)
        ),
        COINMARKETCAP: fingerprint(settings.coinmarketcap_base_url, reveal(settings.coinmarketcap_api_key)),
        ALTERNATIVE_ME: fingerprint(settings.alternative_me_base_url),
    }


def load_slug_ids(database: Database) -> SlugIds:
    """Load CoinMarketCap's numeric ids resolved at an earlier start."""
    with database.read() as connection:
        rows = connection.execute(
            sa.select(provider_ids).where(provider_ids.c.provider == COINMARKETCAP)
        ).all()
    resolved_at = min((row.resolved_at for row in rows), default=None)
    return SlugIds(resolved_at, {row.name: int(row.external_id) for row in rows})


def save_slug_ids(database: Database, slugs: SlugIds) -> None:
    at = slugs.resolved_at or datetime.now(UTC)
    rows = [
        {"provider": COINMARKETCAP, "name": slug, "external_id": str(number), "resolved_at": at}
        for slug, number in slugs.ids.items()
    ]
    with database.write() as connection:
        connection.execute(sa.delete(provider_ids).where(provider_ids.c.provider == COINMARKETCAP))
        upsert(connection, provider_ids, rows)
