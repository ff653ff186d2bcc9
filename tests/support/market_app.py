"""The market's back end for tests: a home of its own, a clock to move, a refresh by hand, raw answers.

Nothing here waits: ticks, reloads and looks at the clock are called by the test.
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
from tests.support.asgi import Answer, send
from tests.support.provider_pages import Coin, Pages, Query
from tests.support.provider_server import ProviderServer

CALM = datetime(2026, 11, 18, 10, 7, 42, tzinfo=UTC)
"""In the sample market's calm week; no view fails for a day and a half but by the daily throttle."""

FEW = ("bitcoin", "ethereum", "usdc", "monero", "wrapped-bitcoin", "unus-sed-leo", "litecoin", "neo")
"""Two large ones, a peg, one that the second sample view shows late, one without a rank, one that only
the first view knows, one in which the views diverge and one in which they will be in conflict."""


class Clock:
    """Stands still until it is moved."""

    def __init__(self, at: datetime = CALM) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def move(self, **duration: float) -> datetime:
        """Forward by ``timedelta(**duration)``; gives the new time."""
        self.at += timedelta(**duration)
        return self.at


@cache
def _shipped_ids() -> tuple[str, ...]:
    return tuple(asset.id for asset in load_assets().enabled)


def enable_only(home: Path, ids: Iterable[str], *, more: str = "") -> None:
    """Write the user's file of assets so that of the shipped ones only ``ids`` are enabled.

    ``more`` is YAML that comes after: ``assets:`` of the user's own.
    """
    kept = set(ids)
    home.mkdir(parents=True, exist_ok=True)
    disabled = ", ".join(asset_id for asset_id in _shipped_ids() if asset_id not in kept)
    (home / "assets.yaml").write_text(f"disable: [{disabled}]\n{more}")


def settings_in(home: Path, *, database_url: str | None = None, **more: Any) -> Settings:
    """Settings of ``home``; SQLite there unless ``database_url`` says otherwise."""
    secret = None if database_url is None else SecretStr(database_url)
    return Settings(home=home, database_url=secret, log_level="error", **more)


def live_settings(home: Path, server_url: str, *, database_url: str | None = None, **more: Any) -> Settings:
    """Live mode against the local provider server, CoinMarketCap included."""
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
    """The application over a store, and what a test does to it."""

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
        """GET with the key; ``if_none_match="…"`` becomes the header If-None-Match."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return send(self.app, path, headers={"CP-X-API-KEY": key or self.key, **named})

    def json(self, path: str) -> Any:
        answer = self.get(path)
        assert answer.status == 200, answer.body
        return answer.json()

    def look(self) -> None:
        """What the change watcher's thread does once a second."""
        self.inner.state.watcher.poll()
        self.market.view.refresh_if_stale()

    def close(self) -> None:
        self.market.close()
        self.database.dispose()


def run_app(settings: Settings, clock: Clock) -> Running:
    """The application with a key that may read; close it when done."""
    app = create_app(settings, now=clock)
    running = Running(app, clock, key="")
    made = create_key(running.database, name="test", scopes=("read",), now=datetime.now(UTC))
    running.inner.state.watcher.poll()
    return replace(running, key=made.key)


@contextmanager
def sample_app(home: Path, ids: Iterable[str], **settings: Any) -> Iterator[Running]:
    """The application over the sample market of the assets ``ids``, after one refresh."""
    enable_only(home, ids)
    running = run_app(settings_in(home, **settings), Clock())
    worker_of(running).tick()
    running.look()
    yield running
    running.close()


@dataclass
class Worker:
    """What asks the providers and writes: one refresher over a store."""

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
        """What a process that serves would show now."""
        view = MarketView(self.database, self.market, now=self.clock)
        view.reload()
        return view

    def price(self, asset_id: str) -> Any:
        """The asset's price record as it would be served now."""
        return body_of(self.view(), "/prices")[asset_id]

    def status(self) -> dict[str, Any]:
        """What ``/markets/status`` would say, its providers by name."""
        view = self.view()
        told = build_status_response(self.database, self.market, view.snapshot, "sample", self.clock())
        return told | {"by_name": {each["provider"]: each for each in told["providers"]}}

    @property
    def realm(self) -> str:
        return self.market.sources.realm


def worker_of(running: Running) -> Worker:
    """A worker over the store of a running application, in its time."""
    return Worker(running.database, running.market.market, running.clock)


class Moody:
    """A source of market figures that fails when it is told to, and remembers what it was asked for."""

    def __init__(self, source: Any) -> None:
        self.name = str(source.name)
        self.fault: Exception | None = None
        self.asked: list[str] = []
        self.while_asked: Callable[[], None] = lambda: None
        self._source = source

    def fail(self, fault: ErrorKind = ErrorKind.UNAVAILABLE, *, retry_after: float | None = None) -> None:
        self.fault = ProviderError(self.name, fault, "as the test has it", retry_after=retry_after)

    def recover(self) -> None:
        self.fault = None

    def quotes(self, assets: Any, now: datetime) -> Any:
        return self._ask("quotes", assets, now)

    def global_figures(self, now: datetime) -> Any:
        return self._ask("global_figures", now)

    def fear_greed(self, now: datetime) -> Any:
        return self._ask("fear_greed", now)

    def ohlc(self, *question: Any) -> Any:
        return self._ask("ohlc", *question)

    def _ask(self, what: str, *question: Any) -> Any:
        self.asked.append(what)
        self.while_asked()
        if self.fault is not None:
            raise self.fault
        return getattr(self._source, what)(*question)


def moody(market: Market) -> tuple[Market, dict[str, Moody]]:
    """``market`` with every source made moody, and those by name."""
    sources = market.sources
    found = {
        source.name: Moody(source) for source in (*sources.overview, *sources.fear_greed, *sources.quotes)
    }

    def each(given: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(found[source.name] for source in given)

    changed = replace(
        sources,
        quotes=each(sources.quotes),
        overview=each(sources.overview),
        fear_greed=each(sources.fear_greed),
        ohlc=found[sources.ohlc.name],
    )
    return replace(market, sources=changed), found


@cache
def few_in_sample() -> Market:
    """The sample market of the few; it never changes, so all tests of a process share it."""
    with TemporaryDirectory() as folder:
        enable_only(Path(folder), FEW)
        settings = settings_in(Path(folder))
        return configuration.build_market(settings, Database(settings.app_database_url))


def body_of(view: MarketView, path: str, query: bytes = b"") -> Any:
    """What stands ready at ``path``."""
    found = view.find(path, query)
    assert found is not None
    return orjson.loads(found.body)


def stored(database: Database) -> dict[str, list[str]]:
    """Everything in the store but the keys, in an order of its own."""
    with database.read() as connection:
        return {
            name: sorted(str(tuple(row)) for row in connection.execute(sa.select(table)))
            for name, table in metadata.tables.items()
            if name != "api_keys"
        }


def follow(server: ProviderServer, clock: Clock) -> None:
    """Let the provider server's pages be of the clock's time; call it after each move."""
    server.pages.now = clock()


class BarePages(Pages):
    """Pages on which everything that may be null is null, and most of what may be absent is absent."""

    def gecko_row(self, coin: Coin, query: Query) -> dict[str, Any]:
        full = super().gecko_row(coin, query)
        kept = ("id", "symbol", "current_price", "last_updated")
        return {name: (value if name in kept else None) for name, value in full.items()}

    def gecko_global(self) -> dict[str, Any]:
        data = super().gecko_global()["data"]
        return {"data": {"total_market_cap": data["total_market_cap"], "updated_at": data["updated_at"]}}

    def cmc_row(self, coin: Coin) -> dict[str, Any]:
        full = super().cmc_row(coin)
        when, price = full["last_updated"], self.price(coin, self.moment())
        usd = {"price": price, "last_updated": when, "market_cap": None, "volume_24h": None}
        return {"id": coin.cmc, "slug": coin.slug, "cmc_rank": None, "quote": self.in_form(usd)}
