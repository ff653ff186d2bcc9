"""Provides live mode against a local provider server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.upstream import RetryPolicy, UpstreamClient
from tests.support.apps.live_mode import ASSETS, NOON, OWN, Live, Start
from tests.support.apps.market_app import Clock, enable_only, live_settings, run_app
from tests.support.providers.provider_pages import Pages
from tests.support.providers.provider_server import ProviderServer
from tests.support.waiting import LIMIT_SECONDS


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """One attempt, which may take as long as the machine needs."""
    defaults: dict[str, Any] = UpstreamClient.__init__.__kwdefaults__ or {}
    assert {"deadline_seconds", "retry"} <= set(defaults)
    monkeypatch.setitem(defaults, "deadline_seconds", LIMIT_SECONDS)
    monkeypatch.setitem(defaults, "retry", RetryPolicy(attempts=1))


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Live mode with ``pages``, and what else the settings are to say."""
    started: list[Live] = []

    def begin(pages: Pages | None = None, *, assets: tuple[str, ...] = ASSETS, **settings: Any) -> Live:
        enable_only(tmp_path, assets, more=OWN)
        server = ProviderServer(pages or Pages())
        server.__enter__()
        live = Live(server, run_app(live_settings(tmp_path, server.url, **settings), Clock(NOON)))
        started.append(live)
        return live

    yield begin
    for live in started:
        live.running.close()
        live.server.__exit__()
