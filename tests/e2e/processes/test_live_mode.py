"""Live mode as processes, against a local server that speaks the providers' shapes and goes down.

Hours pass by making what is stored older, not by waiting: the programs keep the real clock.
"""

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from backend.markets.responses.snapshot import CHANGE_TOPIC
from backend.markets.tables import provider_quotes, provider_states, published_figures
from backend.markets.tasks import market_schedules
from backend.store.database import Database, bump
from tests.support.apps.market_app import live_settings
from tests.support.processes import programs
from tests.support.processes.running import wait_for
from tests.support.providers.provider_pages import png
from tests.support.providers.provider_server import FAULTS, ProviderServer

pytestmark = pytest.mark.processes

BOTH = "coingecko+coinmarketcap"
PRICES = "/api/v3/coins/markets"
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")


@pytest.fixture
def providers() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    with programs.create_home(tmp_path) as folder:
        yield folder


def build_live_environment(server: ProviderServer) -> dict[str, str]:
    return {
        "CHAINPROOF_MODE": "live",
        "CHAINPROOF_COINGECKO_BASE_URL": server.url,
        "CHAINPROOF_COINMARKETCAP_BASE_URL": server.url,
        "CHAINPROOF_COINMARKETCAP_API_KEY": "a-key-of-the-test",
        "CHAINPROOF_ALTERNATIVE_ME_BASE_URL": server.url,
        "CHAINPROOF_FETCH_ALLOW": server.url.removeprefix("http://"),
        "CHAINPROOF_TICK_SECONDS": "1",
    }


def age_data(home: Path, **duration: float) -> None:
    """Make all that is known of providers and figures older, as if so much time had passed."""
    by = timedelta(**duration)
    database = Database(f"sqlite:///{home / 'chainproof.db'}")
    try:
        with database.write() as connection:
            for table, column in (
                (published_figures, published_figures.c.last_updated),
                (provider_quotes, provider_quotes.c.as_of),
                (provider_quotes, provider_quotes.c.received_at),
            ):
                keys = list(table.primary_key)
                for row in connection.execute(sa.select(*keys, column).where(column.is_not(None))).all():
                    conditions = [key == value for key, value in zip(keys, row[:-1], strict=True)]
                    connection.execute(sa.update(table).where(*conditions).values({column: row[-1] - by}))
            for row in connection.execute(sa.select(provider_states)).all():
                older = INSTANT.sub(lambda found: _older(found[0], by), row.body)
                connection.execute(
                    sa.update(provider_states)
                    .where(provider_states.c.realm == row.realm, provider_states.c.provider == row.provider)
                    .values(body=older)
                )
            bump(connection, CHANGE_TOPIC)
    finally:
        database.dispose()


def _older(instant: str, by: timedelta) -> str:
    return (datetime.fromisoformat(instant) - by).isoformat().replace("+00:00", "Z")


def wait_for_hours(home: Path, condition: Callable[[], bool], what: str) -> None:
    """While an hour passes every few seconds: a poll that was on its way as one did has put off the next."""
    passed = float("-inf")

    def holds() -> bool:
        nonlocal passed
        if time.monotonic() - passed > 15:
            age_data(home, hours=1)
            passed = time.monotonic()
        return condition()

    wait_for(holds, what)


def bitcoin(service: programs.Program) -> Any:
    return service.json("/prices")["bitcoin"]


def states(service: programs.Program) -> dict[str, str]:
    return {item["provider"]: item["state"] for item in service.json("/markets/status")["providers"]}


def test_live_figures_last_while_the_providers_are_away_and_come_with_them(
    providers: ProviderServer, home: Path
) -> None:
    providers.always("*", FAULTS["down"])
    service = programs.start(home, "serve", **build_live_environment(providers)).wait_until_ready(
        figures=False
    )
    wait_for(lambda: states(service)["coingecko"] == "open", "A provider that is left alone")
    assert (bitcoin(service)["price_usd"], bitcoin(service)["source"]) == (None, None)
    assert service.get("/rankings").status_code == 200

    providers.always("*", None)
    wait_for_hours(home, lambda: bitcoin(service)["source"] == BOTH, "The first figures, of both")
    first = bitcoin(service)
    assert service.json("/markets/status")["mode"] == "live"
    assert service.get("/prices").headers["X-Data-Mode"] == "live"

    providers.always("*", FAULTS["down"])
    age_data(home, minutes=12)  # the next polls are due, and the figures still count
    wait_for(lambda: states(service)["coingecko"] == "open", "A provider that is left alone")
    wait_for(lambda: states(service)["coinmarketcap"] == "open", "The other one as well")
    payload = {item["provider"]: item for item in service.json("/markets/status")["providers"]}
    for name in ("coingecko", "coinmarketcap"):
        assert payload[name]["message"]
        assert payload[name]["retry_at"]
    during = bitcoin(service)
    assert during["source"] == BOTH
    assert during["price_usd"] == first["price_usd"]

    age_data(home, hours=1)
    wait_for(lambda: bitcoin(service)["source"] == f"{BOTH}:stale", "Figures that are labelled stale")
    assert bitcoin(service)["price_usd"] == first["price_usd"]
    status = service.json("/markets/status")
    assert status["stale"] == status["assets"]
    for path in ("/rankings", "/assets/bitcoin", "/prices/bitcoin/quotes", "/crypto/market-overview"):
        assert service.get(path).status_code == 200, path
    worker = service.child("worker")

    providers.always("*", None)
    wait_for_hours(home, lambda: bitcoin(service)["source"] == BOTH, "Fresh figures of both")
    assert service.child("worker").pid == worker.pid, "Nothing was restarted."
    wait_for(lambda: set(states(service).values()) == {"ok"}, "Providers that are well")
    assert service.stop() == 0
    assert "Traceback" not in service.words


def test_a_provider_is_asked_at_its_cadence_and_its_images_are_served(
    providers: ProviderServer, home: Path
) -> None:
    service = programs.start(home, "serve", **build_live_environment(providers)).wait_until_ready()
    settings = live_settings(home, providers.url)
    database = Database(settings.app_database_url)
    try:
        schedules = {schedule.name: schedule for schedule in market_schedules(settings, database)}
        # What the worker does at the next full minute. It may fetch the same images at this moment.
        schedules["market-icons"].run(datetime.now(UTC))
    finally:
        database.dispose()

    def is_the_image() -> bool:
        answer = service.get("/assets/bitcoin/icon", key="none")
        return answer.headers["Content-Type"] == "image/png" and answer.content == png()

    wait_for(is_the_image, "The provider's image")
    calls = len(providers.seen(PRICES))
    assert calls == 1, "The tick is a second, but the quota allows one poll in five minutes."
    assert service.stop() == 0
