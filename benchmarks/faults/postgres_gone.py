"""Kills or freezes PostgreSQL under three running services, then restores it."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.aim_report import AimReport
from benchmarks.faults import stores
from benchmarks.faults.probing import HOT, Probe, tell_healing
from benchmarks.faults.site import Node, Site, running, until
from benchmarks.faults.verdict import settle, tell_damage
from benchmarks.faults.writing import Writers

SECONDS = 25.0
"""How long it is away."""
NOTICED, HEALED = 16.0, 5.0
"""Seconds. The former is what a hanging statement is given, and then a new line, with a second to look."""


def run(report: AimReport, folder: Path, *, rounds: int) -> None:
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
                _while_it_is_away(report, site, writers)
                over.start()
                tell_healing(report, site, aim=HEALED)
                time.sleep(3)
                print(f"-- {number}: all its processes stopped", flush=True)
                over.signal(signal.SIGSTOP)
                _while_it_is_away(report, site, writers)
                over.signal(signal.SIGCONT)
                tell_healing(report, site, aim=HEALED)
        finally:
            over.signal(signal.SIGCONT)
            writers.stop()
        settle(report, site, writers)
        tell_damage(report, over.damage())


def _while_it_is_away(report: AimReport, site: Site, writers: Writers) -> None:
    refused, writers.refusals.slowest = writers.refusals.unavailable, 0.0
    began = time.monotonic()
    with ThreadPoolExecutor() as pool:
        noticed = list(pool.map(_noticed, site.nodes))
    report.record("readyz is 503 on every node after", max(noticed), "s", NOTICED)
    with Probe(site, HOT) as hot, Probe(site, ("/readyz",), timeout=20) as ready:
        time.sleep(max(1.0, SECONDS - (time.monotonic() - began)))
    hot.tell(report, "hot GETs", 200)
    ready.tell(report, "readyz", 503)
    report.record("writes refused with 503", writers.refusals.unavailable - refused, "", 1, is_minimum=True)
    report.record("a refusal took, at the most", writers.refusals.slowest, "s", NOTICED)


def _noticed(node: Node) -> float:
    took = until(lambda: node.status("/readyz", timeout=20) == 503, 60)
    return 60 if took is None else took
