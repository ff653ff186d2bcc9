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
from benchmarks.faults.probing import CACHED_PATHS, Probe
from benchmarks.faults.site import Node, Site, measure_wait, run_site
from benchmarks.faults.stores import StoreName
from benchmarks.faults.verdict import check_final_state
from benchmarks.faults.writing import Writers
from tests.support.processes.redis_server import RedisServer

OUTAGE_SECONDS = 10.0
DETECTION_SECONDS, RECOVERY_SECONDS, MAX_RESPONSE_SECONDS = 5.0, 5.0, 1.0
WAIT_TIMEOUT_SECONDS = 60.0
RATE = "1000000/minute"
"""High enough that requests are counted but never refused."""


def run(report: AimReport, name: StoreName, folder: Path, *, rounds: int) -> None:
    redis = RedisServer(folder)
    site = Site(
        stores.make(name, folder),
        folder,
        settings={"CHAINPROOF_REDIS_URL": redis.url, "CHAINPROOF_RATE_LIMIT": RATE},
    )
    redis.start()
    try:
        with run_site(site):
            writers = Writers(site, folder, seed=1)
            writers.start()
            try:
                for number in range(1, rounds + 1):
                    print(f"-- {number}: killed", flush=True)
                    _test_outage(report, site, redis.stop, redis.start)
                    print(f"-- {number}: stopped, with its lines open", flush=True)
                    pause, go_on = (partial(redis.signal, sent) for sent in (signal.SIGSTOP, signal.SIGCONT))
                    _test_outage(report, site, pause, go_on)
            finally:
                writers.stop()
            check_final_state(report, site, writers)
            report.record("writes refused", writers.refusals.unavailable, "", 0)
    finally:
        redis.stop()


def _test_outage(
    report: AimReport, site: Site, stop: Callable[[], None], restore: Callable[[], None]
) -> None:
    with Probe(site, (*CACHED_PATHS, "/readyz")) as probe:
        stop()
        try:
            _report_counting(
                report, site, "counted in each process after", "Redis does not answer", DETECTION_SECONDS
            )
            time.sleep(OUTAGE_SECONDS)
        finally:
            restore()
        _report_counting(report, site, "counted in Redis again after", "counted in Redis", RECOVERY_SECONDS)
    probe.tell(report, "hot GETs and readyz", 200)
    report.record("the slowest of them against its aim", probe.slowest, "s", MAX_RESPONSE_SECONDS)


def _report_counting(report: AimReport, site: Site, name: str, words: str, aim: float) -> None:
    with ThreadPoolExecutor() as pool:
        durations = list(
            pool.map(
                lambda node: measure_wait(lambda: words in where(node), WAIT_TIMEOUT_SECONDS), site.nodes
            )
        )
    report.record(
        f"{name} (every node)",
        max(WAIT_TIMEOUT_SECONDS if seconds is None else seconds for seconds in durations),
        "s",
        aim,
    )


def where(node: Node) -> str:
    """Return where a node counts requests, by its readiness check; empty if it does not answer."""
    try:
        answer = httpx.get(f"{node.url}/readyz", timeout=5, trust_env=False)
    except httpx.TransportError:
        return ""
    return str(answer.json()["checks"]["limits"]["detail"])
