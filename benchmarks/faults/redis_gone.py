"""The Redis that counts requests ends at once, or hangs, under services that go on; then it is back."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from benchmarks.faults import stores
from benchmarks.faults.probing import HOT, Probe
from benchmarks.faults.site import Node, Site, running, until
from benchmarks.faults.stores import StoreName
from benchmarks.faults.verdict import settle
from benchmarks.faults.writing import Writers
from benchmarks.judge import Judge
from tests.support.redis_server import RedisServer

SECONDS = 10.0
"""How long it is away."""
NOTICED, HEALED, SLOWEST = 5.0, 5.0, 1.0
"""Seconds, the last one of an answer while it is away."""
LONGEST = 60.0
RATE = "1000000/minute"
"""So that requests are counted, and none is refused."""


def run(judge: Judge, name: StoreName, folder: Path, *, rounds: int) -> None:
    redis = RedisServer(folder)
    site = Site(
        stores.make(name, folder),
        folder,
        settings={"CHAINPROOF_REDIS_URL": redis.url, "CHAINPROOF_RATE_LIMIT": RATE},
    )
    redis.start()
    try:
        with running(site):
            writers = Writers(site.urls, site.key, folder, seed=1)
            writers.start()
            try:
                for number in range(1, rounds + 1):
                    _killed(judge, site, redis, number)
                    _stopped(judge, site, redis, number)
            finally:
                writers.stop()
            settle(judge, site, writers)
            judge.say("writes refused", writers.refusals.unavailable, "", 0)
    finally:
        redis.stop()


def _killed(judge: Judge, site: Site, redis: RedisServer, number: int) -> None:
    print(f"-- {number}: killed", flush=True)
    with Probe(site, (*HOT, "/readyz")) as asked:
        redis.stop()
        _tell_where(judge, site, "counted in each process after", "Redis does not answer", NOTICED)
        time.sleep(SECONDS)
        redis.start()
        _tell_where(judge, site, "counted in Redis again after", "counted in Redis", HEALED)
    _tell(judge, asked)


def _stopped(judge: Judge, site: Site, redis: RedisServer, number: int) -> None:
    print(f"-- {number}: stopped, with its lines open", flush=True)
    with Probe(site, (*HOT, "/readyz")) as asked:
        redis.signal(signal.SIGSTOP)
        try:
            _tell_where(judge, site, "counted in each process after", "Redis does not answer", NOTICED)
            time.sleep(SECONDS)
        finally:
            redis.signal(signal.SIGCONT)
        _tell_where(judge, site, "counted in Redis again after", "counted in Redis", HEALED)
    _tell(judge, asked)


def _tell(judge: Judge, asked: Probe) -> None:
    asked.tell(judge, "hot GETs and readyz", 200)
    judge.say("the slowest of them", asked.slowest, "s", SLOWEST)


def _tell_where(judge: Judge, site: Site, what: str, words: str, aim: float) -> None:
    with ThreadPoolExecutor() as pool:
        took = list(pool.map(lambda node: until(lambda: words in where(node), LONGEST), site.nodes))
    judge.say(f"{what} (every node)", max(LONGEST if one is None else one for one in took), "s", aim)


def where(node: Node) -> str:
    """Where a node says that it counts requests; empty when it says nothing."""
    try:
        answer = httpx.get(f"{node.url}/readyz", timeout=5, trust_env=False)
    except httpx.TransportError:
        return ""
    return str(answer.json()["checks"]["limits"]["detail"])
