"""Measures scanning (without and with storing) and correcting an article of 5 KB over HTTP, on one worker.

Requests are sent one after another on one connection. Each figure is compared, in the same run, with the same
work without HTTP and with an empty response of the service. Aim: a median of at most 5 ms for scanning
without storing.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from backend.articles.batches import run_batch
from backend.articles.rules.active_rules import ActiveRules
from backend.articles.schemas import Article
from backend.settings import Settings
from benchmarks.servers import free_port, process, service_environment

AIM_MS = 5.0
SENTENCES = (
    "Traders watched the order books on Tuesday while funding rates drifted lower across venues. ",
    "ビットコインは一時下落したが、その後は反発した。市場関係者は様子見の姿勢を保っている。",
    "以太坊网络的手续费在周末回落，分析师认为活跃地址数有所增加。",
    "The upgrade, developers of Ethereum said, would not change the supply of the asset at all. ",
)
WRONG = "Etherium fell. "
ARTICLE_BYTES = 5 * 1024
CHARS_PER_ERROR = 450
"""Characters between two wrong names."""


def build_article() -> dict[str, Any]:
    text, wrong_at = "", CHARS_PER_ERROR
    number = 0
    while len(text.encode()) < ARTICLE_BYTES:
        text += SENTENCES[number % len(SENTENCES)]
        number += 1
        if len(text) >= wrong_at:
            text, wrong_at = text + WRONG, wrong_at + CHARS_PER_ERROR
    return {"id": "1", "title": "Markets on Tuesday", "content": text, "tags": ["markets"], "language": "en"}


def measure_milliseconds(call: Callable[[], object], rounds: int) -> list[float]:
    """Sorted; a fifth of the rounds before them are not counted."""
    milliseconds = []
    for number in range(rounds + rounds // 5):
        started = time.perf_counter()
        call()
        if number >= rounds // 5:
            milliseconds.append((time.perf_counter() - started) * 1000)
    return sorted(milliseconds)


def show(name: str, milliseconds: list[float]) -> float:
    p50 = statistics.median(milliseconds)
    p99 = milliseconds[int(len(milliseconds) * 0.99)]
    print(
        f"{name:<38} p50 {p50:6.2f} ms   p99 {p99:6.2f} ms   longest {milliseconds[-1]:6.2f} ms", flush=True
    )
    return p50


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return measure(Path(folder), options.rounds)


def measure(folder: Path, rounds: int) -> int:
    article = build_article()
    rules = ActiveRules(Settings(home=folder / "alone")).current
    without_http = show(
        "without HTTP", measure_milliseconds(lambda: run_batch("scan", rules, [Article(**article)]), rounds)
    )
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    environment = service_environment(folder / "home", port)
    with process(["-m", "backend.cli", "serve", "--no-worker"], environment, f"{base}/readyz"):
        key = (folder / "home" / "local.key").read_text().strip()
        with httpx.Client(base_url=base, headers={"CP-X-API-KEY": key}, timeout=30) as client:

            def post(path: str, **more: Any) -> Callable[[], object]:
                return lambda: client.post(path, json={"articles": [article], **more}).raise_for_status()

            show("GET /healthz", measure_milliseconds(lambda: client.get("/healthz"), rounds))
            empty = {"articles": [], "persist": False}
            show(
                "scan of nothing",
                measure_milliseconds(lambda: client.post("/articles/scan", json=empty), rounds),
            )
            p50 = show(
                "scan, not stored", measure_milliseconds(post("/articles/scan", persist=False), rounds)
            )
            show("apply", measure_milliseconds(post("/articles/apply"), rounds))
            show("scan, stored before the answer", measure_milliseconds(post("/articles/scan"), rounds))
    reached = "reached" if p50 <= AIM_MS else "NOT reached"
    print(f"scan over HTTP / without: ×{p50 / without_http:.2f}; aim of {AIM_MS:g} ms {reached}")
    return 0 if p50 <= AIM_MS else 1


if __name__ == "__main__":
    sys.exit(main())
