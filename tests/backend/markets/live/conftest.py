"""Live mode against a local provider server, with clients in haste."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.http_client import Retry, UpstreamClient
from tests.support.live import ASSETS, NOON, OWN, Live, Start
from tests.support.market_app import Clock, enable_only, live_settings, run_app
from tests.support.provider_pages import Pages
from tests.support.provider_server import ProviderServer


@pytest.fixture(autouse=True)
def _hasty(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One attempt, and a tiny deadline for a slow provider, whose test is not to be slow itself; the others
    answer at once, but on a busy machine.
    """
    fault = request.node.callspec.params.get("fault") if hasattr(request.node, "callspec") else None
    defaults: dict[str, Any] = UpstreamClient.__init__.__kwdefaults__ or {}
    assert {"deadline", "retry"} <= set(defaults)
    monkeypatch.setitem(defaults, "deadline", 1.2 if fault == "slow" else 10.0)
    monkeypatch.setitem(defaults, "retry", Retry(attempts=1))


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Live mode with ``pages``, and what else the settings are to say."""
    begun: list[Live] = []

    def begin(pages: Pages | None = None, *, assets: tuple[str, ...] = ASSETS, **settings: Any) -> Live:
        enable_only(tmp_path, assets, more=OWN)
        server = ProviderServer(pages or Pages())
        server.__enter__()
        live = Live(server, run_app(live_settings(tmp_path, server.url, **settings), Clock(NOON)))
        begun.append(live)
        return live

    yield begin
    for live in begun:
        live.running.close()
        live.server.__exit__()
