"""Sends SIGKILL at random times to the service, its worker, one of its HTTP processes, or all of them."""

import itertools
import random
import statistics
import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import psutil
import sqlalchemy as sa

from backend.markets.tables import price_points
from benchmarks.aim_report import AimReport
from benchmarks.faults import stores
from benchmarks.faults.site import Node, Site, measure_wait, run_site
from benchmarks.faults.verdict import check_final_state, report_damage
from benchmarks.faults.writing import Writers
from tests.support.processes import programs

START_KILL_SHARE = 0.3
"""The share of kills during a start."""
MAX_START_DELAY_SECONDS = 4.0
TICK_SECONDS = 2
READY_SECONDS, STOP_SECONDS, ORPHAN_SECONDS = 3.0, 10.0, 10.0


@dataclass
class KillResults:
    ready: list[float] = field(default_factory=list)
    start_cpu: list[float] = field(default_factory=list)
    orphans: int = 0
    refreshes: set[datetime] = field(default_factory=set)
    killed: dict[str, int] = field(default_factory=dict)


def run(
    report: AimReport, store: stores.StoreName, folder: Path, *, seeds: int, kills: int, workers: int
) -> None:
    """Run ``kills`` kills for each seed, each over its own store."""
    total = KillResults()
    for seed in range(1, seeds + 1):
        print(
            f"-- {store}, seed {seed}, {workers} HTTP process{'es' if workers > 1 else ''} a node", flush=True
        )
        place = folder / f"seed-{seed}"
        place.mkdir()
        over = stores.make(store, place)
        site = Site(over, place, arguments=("--workers", str(workers)) if workers > 1 else ())
        with run_site(site):
            _run_seed(report, site, seed, kills, total)
            if store == "postgresql":
                report_damage(report, over.damage())
        report_damage(report, [] if store == "postgresql" else over.damage())
    report.record("killed", sum(total.killed.values()), "")
    print("   ", ", ".join(f"{n} {name}" for name, n in sorted(total.killed.items())))
    report.record("processes left behind by a kill", total.orphans, "", 0)
    report.record("ready again, median", statistics.median(total.ready), "s")
    report.record("ready again, worst", max(total.ready), "s", READY_SECONDS)
    report.record("CPU of a start until ready, median", statistics.median(total.start_cpu), "s")
    load = psutil.getloadavg()[0]
    report.record("load of the machine, of its cores", 100 * load / (psutil.cpu_count() or 1), "%")


def _run_seed(report: AimReport, site: Site, seed: int, kills: int, total: KillResults) -> None:
    rng = random.Random(seed)
    writers = Writers(site, site.folder, seed)
    writers.tokens.stock()
    writers.start(lambda: site.nodes[0].home, **site.settings)
    try:
        for _ in range(kills):
            _kill(site, rng, total)
    finally:
        writers.stop()
    for node in site.nodes:
        node.wait_until_ready()
    check_final_state(report, site, writers)
    _report_refreshes(report, site, total.refreshes)
    total.refreshes.clear()
    _stop_while_writing(report, site, writers)


def _kill(site: Site, rng: random.Random, total: KillResults) -> None:
    node, early = rng.choice(site.nodes), rng.random() < START_KILL_SHARE
    if early:
        _kill_now(node, total, "service before a start")
        site.start(node)
        time.sleep(rng.uniform(0, MAX_START_DELAY_SECONDS))
        target = "service amid its start"
    else:
        node.wait_until_ready()
        time.sleep(rng.uniform(0, 2 * TICK_SECONDS))
        total.refreshes |= _read_refreshes(site)
        target = rng.choice(("service", "everything", "worker", "http"))
    total.killed[target] = total.killed.get(target, 0) + 1
    if target in ("worker", "http"):
        assert node.program is not None
        found = node.program.children(target)
        if found:
            rng.choice(found).kill()
            return
    _kill_now(node, total, target)
    site.start(node)
    total.ready.append(node.wait_until_ready())
    total.start_cpu.append(node.cpu_seconds())


def _kill_now(node: Node, total: KillResults, target: str) -> None:
    assert node.program is not None
    if target == "everything":
        programs.kill_all(node.home)
        node.program.process.wait()
    else:
        node.program.kill()
    if measure_wait(lambda: not _list_services(node), ORPHAN_SECONDS) is None:
        total.orphans += len(_list_services(node))
        programs.kill_all(node.home)


def _list_services(node: Node) -> list[psutil.Process]:
    """List its processes, without commands of the writers."""
    return [
        process
        for process in node.processes()
        if programs.get_command(process) in ("serve", "worker", "http")
    ]


def _read_refreshes(site: Site) -> set[datetime]:
    database = site.store.database()
    try:
        with database.read() as connection:
            return set(connection.execute(sa.select(price_points.c.at).distinct()).scalars())
    finally:
        database.dispose()


def _report_refreshes(report: AimReport, site: Site, before: set[datetime]) -> None:
    now = _read_refreshes(site)
    gaps = [second - first for first, second in itertools.pairwise(sorted(now))]
    report.record("refreshes of the market that are gone", len(before - now), "", 0)
    report.record("refreshes done twice", sum(gap.total_seconds() < TICK_SECONDS / 2 for gap in gaps), "", 0)


def _stop_while_writing(report: AimReport, site: Site, writers: Writers) -> None:
    """Stop the nodes one by one with SIGTERM during writes; the next start completes the rest."""
    writers.start()
    time.sleep(2)
    ended = [site.stop(node) for node in site.nodes]
    writers.stop()
    report.record("stopped after SIGTERM, worst", max(seconds for _, seconds in ended), "s", STOP_SECONDS)
    report.record("exit codes other than 0", sum(code != 0 for code, _ in ended), "", 0)
    site.start_all()
    check_final_state(report, site, writers)
