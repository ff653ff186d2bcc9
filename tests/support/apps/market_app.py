"""Runs the market's backend for tests, with its own data folder, a manual clock and manual refreshes.

Nothing runs in the background: the test calls ticks, reloads and polls.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
import sqlalchemy as sa
from fastapi import FastAPI
from pydantic import SecretStr

from backend.app import create_app
from backend.auth.service import create_key
from backend.markets import configuration
from backend.markets.assets.registry import load_assets
from backend.markets.configuration import Market
from backend.markets.model import ErrorKind, ProviderError
from backend.markets.refresh import Refresher, RefreshReport
from backend.markets.responses.snapshot import MarketView
from backend.markets.responses.status_json import build_status_response
from backend.markets.service import MarketService
from backend.settings import Settings
from backend.store.database import Database, metadata
from tests.support.http.asgi import Answer, send
from tests.support.providers.provider_pages import Pages, Query
from tests.support.providers.provider_server import ProviderServer
from tests.support.providers.simulated_coins import Coin

CALM = datetime(2026, 11, 18, 10, 7, 42, tzinfo=UTC)
"""In the calm week of the sample market: for a day and a half only the daily throttle makes views fail."""

FEW = ("bitcoin", "ethereum", "usdc", "monero", "wrapped-bitcoin", "unus-sed-leo", "litecoin", "neo")
"""Two large assets, a peg, one that the second sample view shows late, one without a rank, one that only
the first view has, one for which the views diverge, and one for which they will conflict."""


class Clock:
    """A clock that the test moves."""

    def __init__(self, at: datetime = CALM) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def move(self, **duration: float) -> datetime:
        """Move forward by ``timedelta(**duration)``; returns the new time."""
        self.at += timedelta(**duration)
        return self.at


@cache
def _shipped_ids() -> tuple[str, ...]:
    return tuple(asset.id for asset in load_assets().enabled)


def enable_only(home: Path, ids: Iterable[str], *, more: str = "") -> None:
    """Write the user's asset file so that only ``ids`` of the shipped assets are enabled.

    ``more`` is YAML to append, such as the user's own ``assets:``.
    """
    enabled_ids = set(ids)
    home.mkdir(parents=True, exist_ok=True)
    disabled = ", ".join(asset_id for asset_id in _shipped_ids() if asset_id not in enabled_ids)
    (home / "assets.yaml").write_text(f"disable: [{disabled}]\n{more}")


def settings_in(home: Path, *, database_url: str | None = None, **more: Any) -> Settings:
    """Build settings for ``home``, with SQLite there unless ``database_url`` is set."""
    secret = None if database_url is None else SecretStr(database_url)
    return Settings(home=home, database_url=secret, log_level="error", **more)


def live_settings(home: Path, server_url: str, *, database_url: str | None = None, **more: Any) -> Settings:
    """Build settings for live mode with the local provider server, including CoinMarketCap."""
    keys: dict[str, Any] = {"coinmarketcap_api_key": SecretStr("a-key-of-the-test")} | more
    return settings_in(
        home,
        database_url=database_url,
        mode="live",
        coingecko_base_url=server_url,
        coinmarketcap_base_url=server_url,
        alternative_me_base_url=server_url,
        fetch_allow=(server_url.removeprefix("http://"),),
        **keys,
    )


@dataclass
class Running:
    """The application over a store, with shortcuts for tests."""

    app: Any
    clock: Clock
    key: str

    @property
    def inner(self) -> FastAPI:
        """The FastAPI application inside the outermost layer."""
        inner: FastAPI = self.app.inner
        return inner

    @property
    def market(self) -> MarketService:
        service: MarketService = self.inner.state.market
        return service

    @property
    def database(self) -> Database:
        database: Database = self.inner.state.database
        return database

    def get(self, path: str, *, key: str | None = None, **headers: str) -> Answer:
        """Send a GET request with the key; ``if_none_match="…"`` becomes the header If-None-Match."""
        request_headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return send(self.app, path, headers={"CP-X-API-KEY": key or self.key, **request_headers})

    def json(self, path: str) -> Any:
        answer = self.get(path)
        assert answer.status == 200, answer.body
        return answer.json()

    def poll_changes(self) -> None:
        """Poll for changes, as the change watcher's thread does once a second."""
        self.inner.state.watcher.poll()
        self.market.view.refresh_if_stale()

    def close(self) -> None:
        self.market.close()
        self.database.dispose()


def run_app(settings: Settings, clock: Clock) -> Running:
    """Create the application with a read key; the caller closes it."""
    app = create_app(settings, now=clock)
    running = Running(app, clock, key="")
    created = create_key(running.database, name="test", scopes=("read",), now=datetime.now(UTC))
    running.inner.state.watcher.poll()
    return replace(running, key=created.key)


@contextmanager
def sample_app(home: Path, ids: Iterable[str], **settings: Any) -> Iterator[Running]:
    """Run the application over the sample market of the assets ``ids``, after one refresh."""
    enable_only(home, ids)
    running = run_app(settings_in(home, **settings), Clock())
    build_worker(running).tick()
    running.poll_changes()
    yield running
    running.close()


@dataclass
class Worker:
    """A refresher that calls the providers and writes to a store."""

    database: Database
    market: Market
    clock: Clock = field(default_factory=Clock)
    reports: list[RefreshReport] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._refresher = Refresher(self.database, self.market)

    def tick(self, **later: float) -> RefreshReport:
        """Move the clock by ``timedelta(**later)`` and refresh."""
        self.clock.move(**later)
        report = self._refresher.tick(self.clock())
        self.reports.append(report)
        return report

    def view(self) -> MarketView:
        """Build the view that a serving process would have now."""
        view = MarketView(self.database, self.market, now=self.clock)
        view.reload()
        return view

    def price(self, asset_id: str) -> Any:
        """Return the asset's price record as it would be served now."""
        return read_body(self.view(), "/prices")[asset_id]

    def status(self) -> dict[str, Any]:
        """Return the response of ``/markets/status``, with providers by name."""
        view = self.view()
        response = build_status_response(self.database, self.market, view.snapshot, "sample", self.clock())
        return response | {"by_name": {provider["provider"]: provider for provider in response["providers"]}}

    @property
    def realm(self) -> str:
        return self.market.sources.realm


def build_worker(running: Running) -> Worker:
    """Build a worker over the store and the clock of a running application."""
    return Worker(running.database, running.market.market, running.clock)


class FailingSource:
    """A source of market figures that fails on demand and records its calls."""

    def __init__(self, source: Any) -> None:
        self.name = str(source.name)
        self.fault: Exception | None = None
        self.asked: list[str] = []
        self.before_answer: Callable[[], None] = lambda: None
        self._source = source

    def fail(self, fault: ErrorKind = ErrorKind.UNAVAILABLE, *, retry_after: float | None = None) -> None:
        self.fault = ProviderError(self.name, fault, "as the test has it", retry_after=retry_after)

    def recover(self) -> None:
        self.fault = None

    def quotes(self, assets: Any, now: datetime) -> Any:
        return self._call("quotes", assets, now)

    def market_totals(self, now: datetime) -> Any:
        return self._call("market_totals", now)

    def fear_greed(self, now: datetime) -> Any:
        return self._call("fear_greed", now)

    def ohlc(self, *question: Any) -> Any:
        return self._call("ohlc", *question)

    def past_prices(self, *question: Any) -> Any:
        return self._call("past_prices", *question)

    def _call(self, method: str, *arguments: Any) -> Any:
        self.asked.append(method)
        self.before_answer()
        if self.fault is not None:
            raise self.fault
        return getattr(self._source, method)(*arguments)


def make_sources_failable(market: Market) -> tuple[Market, dict[str, FailingSource]]:
    """Wrap every source of ``market`` in a :class:`FailingSource`; returns those by name too."""
    sources = market.sources
    found = {
        source.name: FailingSource(source)
        for source in (*sources.overview, *sources.fear_greed, *sources.quotes)
    }

    def each(market_sources: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(found[source.name] for source in market_sources)

    changed = replace(
        sources,
        quotes=each(sources.quotes),
        overview=each(sources.overview),
        fear_greed=each(sources.fear_greed),
        ohlc=found[sources.ohlc.name],
    )
    return replace(market, sources=changed), found


@cache
def build_sample_market() -> Market:
    """Build the sample market of :data:`FEW`. It never changes, so all tests of a process share it."""
    with TemporaryDirectory() as folder:
        enable_only(Path(folder), FEW)
        settings = settings_in(Path(folder))
        return configuration.build_market(settings, Database(settings.app_database_url))


def read_body(view: MarketView, path: str, query: bytes = b"") -> Any:
    """Return the prepared response for ``path``."""
    found = view.find(path, query)
    assert found is not None
    return orjson.loads(found.body)


def read_tables(database: Database) -> dict[str, list[str]]:
    """Read all tables except the keys, in a stable order."""
    with database.read() as connection:
        return {
            name: sorted(str(tuple(row)) for row in connection.execute(sa.select(table)))
            for name, table in metadata.tables.items()
            if name != "api_keys"
        }


def sync_server_clock(server: ProviderServer, clock: Clock) -> None:
    """Set the time of the provider server's pages to the clock; call it after each move."""
    server.pages.now = clock()


class BarePages(Pages):
    """Pages on which all nullable values are null, and most optional values are missing."""

    def gecko_row(self, coin: Coin, query: Query) -> dict[str, Any]:
        full = super().gecko_row(coin, query)
        basic_fields = ("id", "symbol", "current_price", "last_updated")
        return {name: (value if name in basic_fields else None) for name, value in full.items()}

    def gecko_global(self) -> dict[str, Any]:
        data = super().gecko_global()["data"]
        return {"data": {"total_market_cap": data["total_market_cap"], "updated_at": data["updated_at"]}}

    def cmc_row(self, coin: Coin) -> dict[str, Any]:
        full = super().cmc_row(coin)
        when, price = full["last_updated"], self.price(coin, self.moment())
        usd = {"price": price, "last_updated": when, "market_cap": None, "volume_24h": None}
        return {"id": coin.cmc, "slug": coin.slug, "cmc_rank": None, "quote": self.in_form(usd)}
