"""Provides the service with the whole sample market, with incomplete live providers, and without figures."""

from collections.abc import Iterator

import pytest

from tests.support.apps.market_app import (
    BarePages,
    Clock,
    Running,
    build_worker,
    enable_only,
    live_settings,
    run_app,
    settings_in,
    sync_server_clock,
)
from tests.support.providers.provider_server import ProviderServer


@pytest.fixture(scope="package")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The whole shipped registry after two refreshes."""
    settings, clock = settings_in(tmp_path_factory.mktemp("sample")), Clock()
    running = run_app(settings, clock)
    worker = build_worker(running)
    worker.tick()
    worker.tick(seconds=15)
    running.poll_changes()
    yield running
    running.close()


@pytest.fixture(scope="package")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Live mode with providers that leave out whatever they may; most assets unknown to them."""
    clock, home = Clock(), tmp_path_factory.mktemp("bare")
    enable_only(home, ("bitcoin", "ethereum", "monero", "unus-sed-leo", "usdc"))
    with ProviderServer(BarePages()) as server:
        sync_server_clock(server, clock)
        settings = live_settings(home, server.url)
        running = run_app(settings, clock)
        build_worker(running).tick()
        running.poll_changes()
        yield running
        running.close()


@pytest.fixture(scope="package")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Before the first refresh."""
    running = run_app(settings_in(tmp_path_factory.mktemp("empty")), Clock())
    yield running
    running.close()


@pytest.fixture(params=["sample", "bare", "empty"])
def running(request: pytest.FixtureRequest) -> Running:
    found: Running = request.getfixturevalue(request.param)
    return found
