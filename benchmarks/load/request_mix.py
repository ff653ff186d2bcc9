"""Prepares the requests of the load benchmark: a typical mix of analysts, editors and programs."""

import random
from collections.abc import Iterable
from datetime import datetime, timedelta
from urllib.parse import quote

import orjson

from benchmarks.load.client import RequestKind

HOT = (
    "/rankings",
    "/rankings?with_candles=7d",
    "/prices",
    "/crypto/market-overview",
    "/topics",
    "/ranking_topics",
)
PARAGRAPH = (
    "Etherium and CoinBase led the day while bitcoin rose 4.2 % after the regulator's decision. "
    "イーサリウムの開発者は、ﾋﾞｯﾄｺｲﾝとの連携を発表した。 "
    "Analysts at Bitstamp said that volumes on Solanna were twice those of last week. "
)
ARTICLE = {"id": "load", "title": "Markets today", "content": PARAGRAPH * 18, "language": "en"}
"""About 5 KB, as editors paste them."""


def build_request_kinds(key: str, now: datetime, seed: int) -> tuple[RequestKind, ...]:
    """Build the kinds of requests. Their paths and bodies vary, so that few answers are prepared ones."""
    rng = random.Random(seed)
    head = f"Host: 127.0.0.1\r\nCP-X-API-KEY: {key}\r\nAccept-Encoding: gzip\r\n"
    texts = [f"{n} {PARAGRAPH * 4}" for n in rng.sample(range(10**9), 200)]
    return (
        RequestKind("hot", 0.45, tuple(_get(path, head) for path in HOT)),
        RequestKind("page", 0.25, tuple(_get(path, head) for path in _pages(rng, now))),
        RequestKind(
            "scan", 0.15, (_post("/articles/scan", {"articles": [ARTICLE], "persist": False}, head),)
        ),
        RequestKind(
            "store", 0.03, (_post("/articles/scan", {"articles": [ARTICLE]}, head),), keep_bodies=True
        ),
        RequestKind(
            "submit",
            0.10,
            tuple(_post("/entities/extractions", {"text": text}, head) for text in texts),
            keep_bodies=True,
        ),
        RequestKind("timelines", 0.02, tuple(_get(f"/v1/timelines?limit={n}", head) for n in range(60, 100))),
    )


def _pages(rng: random.Random, now: datetime) -> Iterable[str]:
    for _ in range(400):
        before = now - timedelta(seconds=rng.randrange(86_400 * 365))
        yield f"/topics?page={rng.randrange(1, 12)}&publish_before={quote(f'{before:%Y-%m-%dT%H:%M:%SZ}')}"
    for _ in range(100):
        yield f"/topics/{rng.randrange(1, 200)}"
        yield f"/rankings?sort=pct_change_24h&limit={rng.randrange(10, 200)}"
        yield f"/articles/violations?article_id=load&limit={rng.randrange(10, 50)}"


def _get(path: str, head: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\n{head}\r\n".encode()


def _post(path: str, body: object, head: str) -> bytes:
    content = orjson.dumps(body)
    framing = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
    return f"POST {path} HTTP/1.1\r\n{head}{framing}\r\n".encode() + content
