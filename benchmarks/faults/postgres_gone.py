"""PostgreSQL ends at once, or hangs, under three services that go on; then it is back."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.faults import stores
from benchmarks.faults.probing import HOT, Probe, tell_healing
from benchmarks.faults.site import Node, Site, running, until
from benchmarks.faults.verdict import settle, tell_damage
from benchmarks.faults.writing import Writers
from benchmarks.judge import Judge

SECONDS = 25.0
"""How long it is away."""
NOTICED, HEALED = 16.0, 5.0
"""Seconds. The former is what a hanging statement is given, and then a new line, with a second to look."""


def run(judge: Judge, folder: Path, *, rounds: int) -> None:
    over = stores.PostgresStore(folder / "pgdata")
    site = Site(over, folder)
    with running(site):
        writers = Writers(site, folder, seed=1)
        writers.tokens.stock()
        writers.start()
        try:
            for number in range(1, rounds + 1):
                time.sleep(3)
                print(f"-- {number}: its first process killed", flush=True)
                over.kill_postmaster()
                _while_it_is_away(judge, site, writers)
                over.start()
                tell_healing(judge, site, aim=HEALED)
                time.sleep(3)
                print(f"-- {number}: all its processes stopped", flush=True)
                over.signal(signal.SIGSTOP)
                _while_it_is_away(judge, site, writers)
                over.signal(signal.SIGCONT)
                tell_healing(judge, site, aim=HEALED)
        finally:
            over.signal(signal.SIGCONT)
            writers.stop()
        settle(judge, site, writers)
        tell_damage(judge, over.damage())


def _while_it_is_away(judge: Judge, site: Site, writers: Writers) -> None:
    refused, writers.refusals.slowest = writers.refusals.unavailable, 0.0
    began = time.monotonic()
    with ThreadPoolExecutor() as pool:
        noticed = list(pool.map(_noticed, site.nodes))
    judge.say("readyz is 503 on every node after", max(noticed), "s", NOTICED)
    with Probe(site, HOT) as hot, Probe(site, ("/readyz",), timeout=20) as ready:
        time.sleep(max(1.0, SECONDS - (time.monotonic() - began)))
    hot.tell(judge, "hot GETs", 200)
    ready.tell(judge, "readyz", 503)
    judge.say("writes refused with 503", writers.refusals.unavailable - refused, "", 1, least=True)
    judge.say("a refusal took, at the most", writers.refusals.slowest, "s", NOTICED)


def _noticed(node: Node) -> float:
    took = until(lambda: node.status("/readyz", timeout=20) == 503, 60)
    return 60 if took is None else took
