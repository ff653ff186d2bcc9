"""Runs all upstreams of a live service on loopback, which can stop, hang and send invalid responses."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.support.providers import chat_completions
from tests.support.providers.feeds import item, rss
from tests.support.providers.provider_pages import Pages
from tests.support.providers.provider_server import Behaviour, ProviderServer, says
from tests.support.providers.simulated_coins import COINS
from tests.support.providers.x_server import TOKEN, XServer

Fault = Literal["ended", "hanging", "nonsense"]
NONSENSE = Behaviour(body=b'\x00\xff{"data": [[[NaN, 1e999', content_type="application/json")
HANGING = Behaviour(pause=3600.0)


@dataclass
class Upstream:
    """One upstream with a fixed port."""

    name: str
    make: Callable[[int], ProviderServer]
    server: ProviderServer

    def start_fault(self, fault: Fault) -> None:
        if fault == "ended":
            self.server.__exit__()
        else:
            self.server.always("*", HANGING if fault == "hanging" else NONSENSE)
            for path in list(self.server._always):
                self.server.always(path, HANGING if fault == "hanging" else NONSENSE)

    def recover(self) -> None:
        """Restart the server, which also closes hanging connections."""
        if not self.server.stopping.is_set():
            self.server.__exit__()
        self.server = self.make(self.server.port).__enter__()


def _markets(port: int) -> ProviderServer:
    return ProviderServer(Pages(seed=1, coins=COINS), port=port)


def _feeds(port: int) -> ProviderServer:
    server = ProviderServer(port=port)
    items = [item(n, f"Bitcoin rises by {n} percent", "Bitcoin rose on Monday.") for n in range(5)]
    server.always("/news", Behaviour(body=rss(items), content_type="application/rss+xml"))
    return server


def _search(port: int) -> ProviderServer:
    server = ProviderServer(port=port)
    server.always("/search", says(200, {"results": [{"url": f"{server.url}/images/page"}]}))
    return server


def _model(port: int) -> ProviderServer:
    server = ProviderServer(port=port)
    server.always(chat_completions.PATH, chat_completions.completion("I cannot say."))
    return server


def _x(port: int) -> ProviderServer:
    return XServer(port=port)


@contextmanager
def upstreams() -> Iterator[dict[str, Upstream]]:
    makers: dict[str, Callable[[int], ProviderServer]] = {
        "coingecko": _markets,
        "coinmarketcap": _markets,
        "alternative.me": _markets,
        "feeds": _feeds,
        "search": _search,
        "model": _model,
        "x": _x,
    }
    running = {name: Upstream(name, make, make(0).__enter__()) for name, make in makers.items()}
    try:
        yield running
    finally:
        for upstream in running.values():
            if not upstream.server.stopping.is_set():
                upstream.server.__exit__()


def build_settings(servers: dict[str, Upstream], folder: Path) -> dict[str, str]:
    """Build settings with which a service calls only these servers."""
    url = {name: upstream.server.url for name, upstream in servers.items()}
    feeds = folder / "feeds.yaml"
    feeds.write_text(
        f"disable: all\nfeeds:\n  - {{id: local, name: Local, url: '{url['feeds']}/news', "
        "language: en, kind: trade_press, every_minutes: 1}\n"
    )
    return {
        "CHAINPROOF_MODE": "live",
        "CHAINPROOF_COINGECKO_BASE_URL": url["coingecko"],
        "CHAINPROOF_COINMARKETCAP_BASE_URL": url["coinmarketcap"],
        "CHAINPROOF_COINMARKETCAP_API_KEY": "any",
        "CHAINPROOF_ALTERNATIVE_ME_BASE_URL": url["alternative.me"],
        "CHAINPROOF_SEARCH_SEARXNG_URL": url["search"],
        "CHAINPROOF_MODEL_BASE_URL": f"{url['model']}/v1",
        "CHAINPROOF_MODEL_NAME": "small-1",
        "CHAINPROOF_X_BASE_URL": url["x"],
        "CHAINPROOF_X_BEARER_TOKEN": TOKEN,
        "CHAINPROOF_FEEDS_FILE": str(feeds),
        "CHAINPROOF_FETCH_ALLOW": ",".join(f"127.0.0.1:{server.server.port}" for server in servers.values()),
    }
