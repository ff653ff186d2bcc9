"""Selects the market data sources by mode: live providers, recorded responses, or the sample market.

:mod:`backend.markets.providers.registry` builds the providers themselves."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from backend.markets.assets.model import Asset
from backend.markets.assets.registry import AssetRegistry
from backend.markets.model import (
    Candle,
    ChartSpan,
    FearGreed,
    FetchedBasis,
    MarketTotals,
    PricePoint,
    QuotesResult,
)
from backend.markets.provider_limits.polling_schedule import Role
from backend.markets.provider_names import COINGECKO, SAMPLE_PROVIDERS
from backend.markets.providers.coinmarketcap import SlugIds
from backend.markets.providers.registry import LiveProviders, build_providers, build_replay
from backend.markets.sample.market import SampleMarket
from backend.markets.sample.provider import SampleProvider
from backend.settings import Settings


class NamedSource(Protocol):
    @property
    def name(self) -> str: ...


class QuoteSource(NamedSource, Protocol):
    def quotes(self, assets: Sequence[Asset], now: datetime) -> QuotesResult: ...


class OverviewSource(NamedSource, Protocol):
    def market_totals(self, now: datetime) -> MarketTotals: ...


class FearGreedSource(NamedSource, Protocol):
    def fear_greed(self, now: datetime) -> FearGreed: ...


class OhlcSource(NamedSource, Protocol):
    """Provides the past of one asset for a chart: candles, or prices to build candles from."""

    def ohlc(self, asset: Asset, span: ChartSpan, now: datetime) -> tuple[Candle, ...]: ...

    def past_prices(self, asset: Asset, span: ChartSpan, now: datetime) -> tuple[PricePoint, ...]: ...


@dataclass(frozen=True, slots=True)
class FetchRule:
    """What is fetched for the candles of a span, and how long it is current."""

    basis: FetchedBasis
    fresh_for: timedelta


LIVE_FETCH_RULES: Mapping[ChartSpan, FetchRule] = {
    "24h": FetchRule("ohlc", timedelta(minutes=15)),
    "7d": FetchRule("ohlc", timedelta(minutes=15)),
    "30d": FetchRule("ohlc", timedelta(hours=1)),
    "90d": FetchRule("hourly_prices", timedelta(hours=6)),
    "1y": FetchRule("daily_prices", timedelta(hours=12)),
}
"""The last hour comes from our own polls alone. The provider computes a new OHLC series every 15 minutes; its
candles beyond 30 days are four days long, so longer spans are built from prices."""
SAMPLE_HISTORY_RULE = FetchRule("hourly_prices", timedelta(minutes=5))


class HistorySource(Protocol):
    """Provides half-hour candles and hourly totals of the past, so that history is complete at the first
    start."""

    def past_candles(
        self, assets: Sequence[Asset], start: datetime, end: datetime
    ) -> Mapping[str, Sequence[Candle]]: ...

    def past_totals(self, start: datetime, end: datetime) -> Sequence[MarketTotals]: ...


@dataclass(frozen=True, slots=True)
class MarketSources:
    """The providers by type of data, each list in order of preference."""

    realm: str
    quotes: tuple[QuoteSource, ...]
    overview: tuple[OverviewSource, ...]
    fear_greed: tuple[FearGreedSource, ...]
    ohlc: OhlcSource
    fetch_rules: Mapping[ChartSpan, FetchRule]
    """What ``ohlc`` is asked for; a span without a rule is built from our own polls alone."""
    rates_provider: str | None = None
    """The provider whose overview has exchange rates, so that it is polled even if it is not the first."""
    history: HistorySource | None = None
    close: Callable[[], None] = field(default=lambda: None)

    @property
    def names(self) -> tuple[str, ...]:
        sources: tuple[NamedSource, ...] = (*self.quotes, *self.overview, *self.fear_greed)
        return tuple(dict.fromkeys(source.name for source in sources))

    def roles(self, name: str) -> tuple[Role, ...]:
        """The roles of provider ``name``."""
        sources_by_role: dict[Role, Sequence[NamedSource]] = {
            "quotes": self.quotes,
            "overview": self.overview,
            "fear_greed": self.fear_greed,
        }
        return tuple(
            role for role, sources in sources_by_role.items() if name in (source.name for source in sources)
        )


def build_realm(settings: Settings) -> str:
    """Build the realm under which rows are stored.

    Live data, each sample seed and each folder of recordings have a realm of their own.
    """
    match settings.mode:
        case "live":
            return "live"
        case "sample":
            return f"sample-{settings.sample_seed}"
        case "replay":
            text = f"{settings.replay_dir and settings.replay_dir.resolve()} {settings.replay_restamp}"
            return f"replay-{hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"


def sample_sources(settings: Settings, registry: AssetRegistry) -> MarketSources:
    market = SampleMarket(settings.sample_seed, registry.all)
    first, second = (SampleProvider(name, market) for name in SAMPLE_PROVIDERS)
    recent = FetchRule("ohlc", timedelta(seconds=settings.tick_seconds))
    return MarketSources(
        realm=build_realm(settings),
        quotes=(first, second),
        overview=(first, second),
        fear_greed=(first, second),
        ohlc=first,
        fetch_rules={
            "1h": recent,
            "24h": recent,
            "7d": recent,
            "30d": SAMPLE_HISTORY_RULE,
            "90d": SAMPLE_HISTORY_RULE,
            "1y": SAMPLE_HISTORY_RULE,
        },
        history=first,
    )


def live_sources(
    settings: Settings, slug_ids: SlugIds | None, on_slugs_resolved: Callable[[SlugIds], None]
) -> MarketSources:
    return _from_live_providers(
        build_providers(settings, slug_ids=slug_ids, on_slugs_resolved=on_slugs_resolved),
        build_realm(settings),
    )


def replay_sources(settings: Settings) -> MarketSources:
    """Build the live providers over recorded responses, in a realm of their own."""
    return _from_live_providers(build_replay(settings), build_realm(settings))


def _from_live_providers(providers: LiveProviders, realm: str) -> MarketSources:
    return MarketSources(
        realm=realm,
        quotes=providers.quotes,
        overview=providers.overview,
        fear_greed=providers.fear_greed,
        ohlc=providers.ohlc,
        fetch_rules=LIVE_FETCH_RULES,
        rates_provider=COINGECKO,
        close=providers.close,
    )
