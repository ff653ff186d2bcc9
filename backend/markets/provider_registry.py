"""Who gives which figures: the live providers or the sample market's two views, never both."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from backend.markets.assets.model import Asset
from backend.markets.assets.registry import AssetBook
from backend.markets.model import Candle, FearGreed, GlobalFigures, QuotesResult, Span
from backend.markets.provider_limits.polling_schedule import Role
from backend.markets.provider_names import SAMPLE_PROVIDERS
from backend.markets.providers.coinmarketcap import SlugIds
from backend.markets.providers.factory import LiveProviders, build_providers, build_replay
from backend.markets.sample.market import SampleMarket
from backend.markets.sample.provider import SampleProvider
from backend.settings import Settings


class Named(Protocol):
    @property
    def name(self) -> str: ...


class QuoteSource(Named, Protocol):
    def quotes(self, assets: Sequence[Asset], now: datetime) -> QuotesResult: ...


class OverviewSource(Named, Protocol):
    def global_figures(self, now: datetime) -> GlobalFigures: ...


class FearGreedSource(Named, Protocol):
    def fear_greed(self, now: datetime) -> FearGreed: ...


class OhlcSource(Named, Protocol):
    def ohlc(self, asset: Asset, span: Span, now: datetime) -> tuple[Candle, ...]: ...


class HistorySource(Protocol):
    """Can tell half-hour candles of the past, so that history needs no waiting."""

    def history_30m(
        self, assets: Sequence[Asset], start: datetime, end: datetime
    ) -> Mapping[str, Sequence[Candle]]: ...


@dataclass(frozen=True, slots=True)
class Sources:
    """The providers by what they give, each list in order of preference."""

    realm: str
    quotes: tuple[QuoteSource, ...]
    overview: tuple[OverviewSource, ...]
    fear_greed: tuple[FearGreedSource, ...]
    ohlc: OhlcSource
    ohlc_fresh_for: timedelta
    """How long a series is current: the provider computes a new one about this often."""
    history: HistorySource | None = None
    close: Callable[[], None] = field(default=lambda: None)

    @property
    def names(self) -> tuple[str, ...]:
        every: tuple[Named, ...] = (*self.quotes, *self.overview, *self.fear_greed)
        return tuple(dict.fromkeys(source.name for source in every))

    def roles(self, name: str) -> tuple[Role, ...]:
        """What ``name`` is asked for."""
        given: dict[Role, Sequence[Named]] = {
            "quotes": self.quotes,
            "overview": self.overview,
            "fear_greed": self.fear_greed,
        }
        return tuple(role for role, sources in given.items() if name in (source.name for source in sources))


def realm_of(settings: Settings) -> str:
    """Rows of the sample market are kept apart from live ones, and those of one seed from another's.

    So are replayed ones, and those of one folder of recordings from another's.
    """
    match settings.mode:
        case "live":
            return "live"
        case "sample":
            return f"sample-{settings.sample_seed}"
        case "replay":
            told = f"{settings.replay_dir and settings.replay_dir.resolve()} {settings.replay_restamp}"
            return f"replay-{hashlib.blake2b(told.encode(), digest_size=8).hexdigest()}"


def sample_sources(settings: Settings, book: AssetBook) -> Sources:
    market = SampleMarket(settings.sample_seed, book.all)
    first, second = (SampleProvider(name, market) for name in SAMPLE_PROVIDERS)
    return Sources(
        realm=realm_of(settings),
        quotes=(first, second),
        overview=(first, second),
        fear_greed=(first, second),
        ohlc=first,
        ohlc_fresh_for=timedelta(seconds=settings.tick_seconds),
        history=first,
    )


def live_sources(
    settings: Settings, slug_ids: SlugIds | None, on_slugs_resolved: Callable[[SlugIds], None]
) -> Sources:
    return _of(
        build_providers(settings, slug_ids=slug_ids, on_slugs_resolved=on_slugs_resolved), realm_of(settings)
    )


def replay_sources(settings: Settings) -> Sources:
    """The live providers' own code over recorded answers, in a realm of their own."""
    return _of(build_replay(settings), realm_of(settings))


def _of(providers: LiveProviders, realm: str) -> Sources:
    return Sources(
        realm=realm,
        quotes=providers.quotes,
        overview=providers.overview,
        fear_greed=providers.fear_greed,
        ohlc=providers.ohlc,
        ohlc_fresh_for=timedelta(minutes=15),
        close=providers.close,
    )
