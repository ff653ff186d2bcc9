"""Lists paths with prepared responses, paths with computed ones, and a route that takes a body."""

from typing import Any

from tests.support.apps.market_app import Running
from tests.support.http.asgi import Answer, send

HOT = (
    "/assets",
    "/prices",
    "/prices/all",
    "/rankings",
    "/rankings?with_candles=24h",
    "/rankings?with_candles=7d",
    "/crypto/market-overview",
    "/markets/figures",
    "/markets/rates",
)
COLD = (
    "/assets/bitcoin",
    "/assets/bitcoin/candles",
    "/prices/bitcoin/quotes",
    "/aggregation/btc",
    "/markets/status",
    "/markets/totals",
)
BODY_LIMIT = 4096


def post(running: Running, body: bytes, *, declared: int | None = None, **headers: Any) -> Answer:
    length = {} if declared is None else {"Content-Length": str(declared)}
    request_headers = {"CP-X-API-KEY": running.key, "Content-Type": "application/json", **length, **headers}
    pieces = [body[start : start + 1000] for start in range(0, len(body), 1000)] or [b""]
    return send(running.app, "/notes", method="POST", headers=request_headers, body=pieces)
