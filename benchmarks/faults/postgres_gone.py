"""Kills or freezes PostgreSQL under three running services, then restores it."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.aim_report import AimReport
from benchmarks.faults import stores
from benchmarks.faults.probing import CACHED_PATHS, Probe, report_recovery
from benchmarks.faults.site import Node, Site, measure_wait, run_site
from benchmarks.faults.verdict import check_final_state, report_damage
from benchmarks.faults.writing import Writers

OUTAGE_SECONDS = 25.0
DETECTION_SECONDS, RECOVERY_SECONDS = 16.0, 5.0
"""Detection takes the timeouts of a statement and of a new connection, and a second to poll."""


def run(report: AimReport, folder: Path, *, rounds: int) -> None:
    over = stores.PostgresStore(folder / "pgdata")
    site = Site(over, folder)
    with run_site(site):
        writers = Writers(site, folder, seed=1)
        writers.tokens.stock()
        writers.start()
        try:
            for number in range(1, rounds + 1):
                time.sleep(3)
                print(f"-- {number}: its first process killed", flush=True)
                over.kill_postmaster()
                _observe_outage(report, site, writers)
                over.start()
                report_recovery(report, site, aim=RECOVERY_SECONDS)
                time.sleep(3)
                print(f"-- {number}: all its processes stopped", flush=True)
                over.signal(signal.SIGSTOP)
                _observe_outage(report, site, writers)
                over.signal(signal.SIGCONT)
                report_recovery(report, site, aim=RECOVERY_SECONDS)
        finally:
            over.signal(signal.SIGCONT)
            writers.stop()
        check_final_state(report, site, writers)
        report_damage(report, over.damage())


def _observe_outage(report: AimReport, site: Site, writers: Writers) -> None:
    refused, writers.refusals.slowest = writers.refusals.unavailable, 0.0
    began = time.monotonic()
    with ThreadPoolExecutor() as pool:
        noticed = list(pool.map(_measure_detection, site.nodes))
    report.record("readyz is 503 on every node after", max(noticed), "s", DETECTION_SECONDS)
    with Probe(site, CACHED_PATHS) as hot, Probe(site, ("/readyz",), timeout=20) as ready:
        time.sleep(max(1.0, OUTAGE_SECONDS - (time.monotonic() - began)))
    hot.tell(report, "hot GETs", 200)
    ready.tell(report, "readyz", 503)
    report.record("writes refused with 503", writers.refusals.unavailable - refused, "", 1, is_minimum=True)
    report.record("a refusal took, at the most", writers.refusals.slowest, "s", DETECTION_SECONDS)


def _measure_detection(node: Node) -> float:
    seconds = measure_wait(lambda: node.status("/readyz", timeout=20) == 503, 60)
    return 60 if seconds is None else seconds
