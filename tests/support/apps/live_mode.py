"""Runs live mode end to end: the application, its worker, and a local server in place of the providers."""

from collections.abc import Callable
from copy import copy
from datetime import datetime
from typing import Any

import structlog

from backend.upstream import UpstreamResponse
from tests.support.apps.market_app import Running, build_worker
from tests.support.providers.provider_server import ProviderServer

MARKETS = "/api/v3/coins/markets"
GLOBAL = "/api/v3/global"
FEAR_GREED = "/fng/"
QUOTES = "/v3/cryptocurrency/quotes/latest"
MAP = "/v1/cryptocurrency/map"
ASSETS = ("bitcoin", "ethereum", "solana", "pepe", "shiba-inu", "wrapped-bitcoin", "monero")
OWN = """\
assets:
  - {id: example-grain, name: Grain, symbol: GRAIN, datasrc1_slug: example-grain, datasrc2_id: example-grain}
  - {id: other-pepe, name: Other Pepe, symbol: PEPE, datasrc2_id: example-other-pepe}
"""
NOON = datetime.fromisoformat("2026-05-18T12:00:00Z")


class Live:
    """The application and its worker in live mode, and the server of the providers."""

    def __init__(self, server: ProviderServer, running: Running) -> None:
        self.server, self.running, self.clock = server, running, running.clock
        self.worker = build_worker(running)

    def tick(self, **later: float) -> None:
        self.clock.move(**later)
        self.server.pages.now = self.clock()
        with structlog.testing.capture_logs():
            self.worker.tick()
        self.running.poll_changes()

    def set_deadline(self, provider: str, path: str, *, seconds: float) -> None:
        """Set the deadline of one provider for one path; its other paths keep theirs."""
        source: Any = next(
            candidate for candidate in self.worker.market.sources.quotes if candidate.name == provider
        )
        hasty, patient = copy(source._client), source._client.get
        hasty._deadline_seconds = seconds

        def get(at: str, *parameters: Any) -> UpstreamResponse:
            return (hasty.get if path.endswith(at) else patient)(at, *parameters)

        source._client.get = get

    def prices(self) -> dict[str, Any]:
        response: dict[str, Any] = self.running.json("/prices")
        return response

    def provider(self, name: str) -> dict[str, Any]:
        providers: list[dict[str, Any]] = self.running.json("/markets/status")["providers"]
        return next(candidate for candidate in providers if candidate["provider"] == name)

    def overview(self) -> dict[str, Any]:
        response: dict[str, Any] = self.running.json("/crypto/market-overview")
        return response

    def quotes(self, asset_id: str) -> dict[str, Any]:
        response: dict[str, Any] = self.running.json(f"/prices/{asset_id}/quotes")
        return response | {"by_provider": {quote["provider"]: quote for quote in response["quotes"]}}


Start = Callable[..., Live]
