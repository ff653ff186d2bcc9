"""Kills or freezes the Redis server that counts requests, under running services, then restores it."""

import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx

from benchmarks.aim_report import AimReport
from benchmarks.faults import stores
from benchmarks.faults.probing import HOT, Probe
from benchmarks.faults.site import Node, Site, running, until
from benchmarks.faults.stores import StoreName
from benchmarks.faults.verdict import settle
from benchmarks.faults.writing import Writers
from tests.support.redis_server import RedisServer

SECONDS = 10.0
"""How long it is away."""
NOTICED, HEALED, SLOWEST = 5.0, 5.0, 1.0
"""Seconds, the last one of an answer while it is away."""
LONGEST = 60.0
RATE = "1000000/minute"
"""So that requests are counted, and none is refused."""


def run(report: AimReport, name: StoreName, folder: Path, *, rounds: int) -> None:
    redis = RedisServer(folder)
    site = Site(
        stores.make(name, folder),
        folder,
        settings={"CHAINPROOF_REDIS_URL": redis.url, "CHAINPROOF_RATE_LIMIT": RATE},
    )
    redis.start()
    try:
        with running(site):
            writers = Writers(site, folder, seed=1)
            writers.start()
            try:
                for number in range(1, rounds + 1):
                    print(f"-- {number}: killed", flush=True)
                    _away(report, site, redis.stop, redis.start)
                    print(f"-- {number}: stopped, with its lines open", flush=True)
                    pause, go_on = (partial(redis.signal, sent) for sent in (signal.SIGSTOP, signal.SIGCONT))
                    _away(report, site, pause, go_on)
            finally:
                writers.stop()
            settle(report, site, writers)
            report.record("writes refused", writers.refusals.unavailable, "", 0)
    finally:
        redis.stop()


def _away(report: AimReport, site: Site, go: Callable[[], None], come: Callable[[], None]) -> None:
    with Probe(site, (*HOT, "/readyz")) as asked:
        go()
        try:
            _tell_where(report, site, "counted in each process after", "Redis does not answer", NOTICED)
            time.sleep(SECONDS)
        finally:
            come()
        _tell_where(report, site, "counted in Redis again after", "counted in Redis", HEALED)
    asked.tell(report, "hot GETs and readyz", 200)
    report.record("the slowest of them against its aim", asked.slowest, "s", SLOWEST)


def _tell_where(report: AimReport, site: Site, what: str, words: str, aim: float) -> None:
    with ThreadPoolExecutor() as pool:
        took = list(pool.map(lambda node: until(lambda: words in where(node), LONGEST), site.nodes))
    report.record(f"{what} (every node)", max(LONGEST if one is None else one for one in took), "s", aim)


def where(node: Node) -> str:
    """Where a node says that it counts requests; empty when it says nothing."""
    try:
        answer = httpx.get(f"{node.url}/readyz", timeout=5, trust_env=False)
    except httpx.TransportError:
        return ""
    return str(answer.json()["checks"]["limits"]["detail"])
