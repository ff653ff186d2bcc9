"""Runs a local HTTP server with the responses and the failures of the market data providers.

In a test::

    with ProviderServer() as server:
        server.once("/api/v3/coins/markets", FAULTS["throttled-json"])
        ...

By hand: ``python -m tests.support.providers.provider_server --port 9900 [--recorded DIR [--restamp]]``, and
while it runs ``curl 'http://127.0.0.1:9900/_control?path=/api/v3/coins/markets&fault=throttled-html'``
(``fault=none`` ends it).
"""

import argparse
import gzip
import json
import threading
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from backend.markets.assets.registry import load_assets
from tests.support.providers.provider_pages import Pages, png
from tests.support.providers.recorded_pages import RecordedPages
from tests.support.providers.simulated_coins import COINS, Coin, build_fictitious_coin

JSON = "application/json; charset=utf-8"
HTML = "text/html; charset=UTF-8"


@dataclass(frozen=True)
class Behaviour:
    """How to answer a request. Without ``body`` the server sends the normal page.

    ``cut`` closes the connection after that number of bytes; ``drop`` closes it without a response; ``pause``
    waits that many seconds before each ``chunk`` of bytes.
    """

    status: int = 200
    body: bytes | None = None
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    drop: bool = False
    pause: float = 0.0
    chunk: int = 1
    announce: bool = True
    """Whether to send Content-Length; otherwise the body is chunked."""


def says(status: int, value: object, **headers: str) -> Behaviour:
    """Build a JSON response with ``status``; ``retry_after="7"`` becomes the header Retry-After."""
    response_headers = {name.replace("_", "-"): text for name, text in headers.items()}
    return Behaviour(status, json.dumps(value).encode(), headers=response_headers)


def cmc_error(status: int, code: int | str, message: str | None, **headers: str) -> Behaviour:
    value = {"status": {"error_code": code, "error_message": message, "elapsed": 0, "credit_count": 0}}
    return says(status, value, **headers)


_GECKO_LIMIT = {"status": {"error_code": 429, "error_message": "You've exceeded the Rate Limit."}}
_BLOCKED = b"<!DOCTYPE html>\n<html><head><title>Access denied</title></head><body></body></html>"

FAULTS: Mapping[str, Behaviour] = {
    "throttled-json": says(429, _GECKO_LIMIT),
    "throttled-json-7s": says(429, _GECKO_LIMIT, retry_after="7"),
    "throttled-text": Behaviour(429, b"error code: 1015", "text/plain; charset=UTF-8"),
    "throttled-html": Behaviour(429, _BLOCKED, HTML),
    "forbidden-html": Behaviour(403, _BLOCKED, HTML),
    "unauthorised": says(401, {"status": {"error_code": 10002, "error_message": "API Key Missing."}}),
    "payment": cmc_error(402, 1004, "Your plan has expired."),
    "not-found": says(404, {"error": "coin not found"}),
    "broken-json": Behaviour(200, b'[{"id": "bitcoin", "current_pr'),
    "web-page": Behaviour(200, _BLOCKED, HTML),
    "empty": Behaviour(200, b""),
    "cut-off": Behaviour(cut=20),
    "dropped": Behaviour(drop=True),
    "slow": Behaviour(pause=0.05),
    "down": Behaviour(503, b"upstream connect error", "text/plain"),
    "month-spent": cmc_error(429, "1010", "Monthly credits used up."),
    "key-wrong": cmc_error(401, 1001, "This API Key is invalid."),
}
"""Faults by name, for tests and manual use."""


@dataclass(frozen=True)
class Seen:
    """A received request; header names are in lower case."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""


class ProviderServer:
    """The server on loopback in a thread; ``port`` 0 selects a free one."""

    def __init__(self, pages: Pages | None = None, *, port: int = 0) -> None:
        self.pages = pages or Pages()
        self.requests: list[Seen] = []
        self.stopping = threading.Event()
        self._once: dict[str, deque[Behaviour]] = defaultdict(deque)
        self._always: dict[str, Behaviour] = {}
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", port), _Handler)
        self._http.owner = self
        self.port = int(self._http.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.pages.base_url = self.url

    def __enter__(self) -> "ProviderServer":
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()

    def serve_until_stopped(self) -> None:
        self._http.serve_forever()

    def once(self, path: str, *behaviours: Behaviour) -> None:
        """Answer the next requests for ``path`` (``*``: any) with one behaviour each, then normally."""
        with self._lock:
            self._once[path].extend(behaviours)

    def always(self, path: str, behaviour: Behaviour | None) -> None:
        """Answer every request for ``path`` (``*``: any) with this behaviour; None ends it."""
        with self._lock:
            if behaviour is None:
                self._always.pop(path, None)
            else:
                self._always[path] = behaviour

    def seen(self, path: str) -> list[Seen]:
        with self._lock:
            return [request for request in self.requests if request.path == path]

    def behaviour(self, request: Seen) -> Behaviour:
        with self._lock:
            self.requests.append(request)
            for path in (request.path, "*"):
                if self._once[path]:
                    return self._once[path].popleft()
            return self._always.get(request.path) or self._always.get("*") or Behaviour()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    owner: ProviderServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore disconnected clients, which many tests cause."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        owner = self.server.owner
        split = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", "0")))
        request = Seen(split.path, dict(parse_qsl(split.query)), headers, body)
        if request.path == "/_control":
            self._control(request.query)
            return
        behaviour = owner.behaviour(request)
        if behaviour.drop:
            self.close_connection = True
            return
        status, content_type, body = self._page(request, behaviour)
        self._send(status, content_type, body, behaviour, headers)

    do_POST = do_GET  # noqa: N815 - the name that the base class calls

    def _control(self, query: Mapping[str, str]) -> None:
        fault = query.get("fault", "none")
        if fault != "none" and fault not in FAULTS:
            text = f"Known faults: none, {', '.join(FAULTS)}\n"
        else:
            self.server.owner.always(query.get("path", "*"), FAULTS.get(fault))
            text = f"{query.get('path', '*')}: {fault}\n"
        self._send(200, "text/plain", text.encode(), Behaviour(), {})

    def _page(self, request: Seen, behaviour: Behaviour) -> tuple[int, str, bytes]:
        if behaviour.body is not None:
            return behaviour.status, behaviour.content_type, behaviour.body
        if request.path.startswith("/images/"):
            return behaviour.status, "image/png", png()
        is_cmc = request.path.startswith(("/v1/", "/v2/", "/v3/"))
        if is_cmc and "x-cmc_pro_api_key" not in request.headers:
            missing = cmc_error(401, 1002, "API key missing.")
            return 401, JSON, missing.body or b""
        status, value = self.server.owner.pages.answer(request.path, request.query)
        body = json.dumps(value).encode()
        return (status if behaviour.status == 200 else behaviour.status), behaviour.content_type, body

    def _send(
        self,
        status: int,
        content_type: str,
        body: bytes,
        behaviour: Behaviour,
        request_headers: Mapping[str, str],
    ) -> None:
        headers = dict(behaviour.headers)
        is_page = behaviour.body is None and behaviour.cut is None
        if is_page and len(body) > 1024 and "gzip" in request_headers.get("accept-encoding", ""):
            body, headers = gzip.compress(body, 1), {**headers, "Content-Encoding": "gzip"}
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        for name, value in headers.items():
            self.send_header(name, value)
        if behaviour.announce:
            self.send_header("Content-Length", str(len(body)))
        else:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if behaviour.cut is not None:
            body, self.close_connection = body[: behaviour.cut], True
        step = behaviour.chunk if behaviour.pause else 65536
        for start in range(0, len(body), step):
            if behaviour.pause and self.server.owner.stopping.wait(behaviour.pause):
                self.close_connection = True
                return
            chunk = body[start : start + step]
            self.wfile.write(chunk if behaviour.announce else b"%x\r\n%s\r\n" % (len(chunk), chunk))
        if not behaviour.announce:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing; ``requests`` contains the requests."""


def _every_asset() -> tuple[Coin, ...]:
    """Return the table's coins, and fictitious ones for the other assets that the service ships."""
    known_ids = {coin.gecko for coin in COINS}
    other_assets = (
        asset for asset in load_assets() if asset.datasrc2_id and asset.datasrc2_id not in known_ids
    )
    return COINS + tuple(
        build_fictitious_coin(
            asset.datasrc2_id or "", asset.datasrc1_slug or asset.id, asset.cmc_id, asset.symbol
        )
        for asset in other_assets
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=9900)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--recorded", type=Path, help="serve the recorded payloads in this folder")
    parser.add_argument("--restamp", action="store_true", help="shift the recorded times to the present")
    parser.add_argument("--known-only", action="store_true", help="exclude the service's other assets")
    options = parser.parse_args()
    if options.recorded:
        pages: Pages = RecordedPages(seed=options.seed, folder=options.recorded, restamp=options.restamp)
    else:
        pages = Pages(seed=options.seed, coins=COINS if options.known_only else _every_asset())
    server = ProviderServer(pages, port=options.port)
    print(f"Providers at {server.url}. Live mode against them:")
    print(f"  CHAINPROOF_MODE=live CHAINPROOF_COINGECKO_BASE_URL={server.url}")
    print(f"  CHAINPROOF_COINMARKETCAP_BASE_URL={server.url} CHAINPROOF_COINMARKETCAP_API_KEY=any")
    print(f"  CHAINPROOF_ALTERNATIVE_ME_BASE_URL={server.url} CHAINPROOF_FETCH_ALLOW=127.0.0.1:{server.port}")
    try:
        server.serve_until_stopped()
    except KeyboardInterrupt:
        print("Stopped.")


if __name__ == "__main__":
    main()
