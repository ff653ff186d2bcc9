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
from benchmarks.faults.site import Node, Site, running, until
from benchmarks.faults.verdict import settle, tell_damage
from benchmarks.faults.writing import Writers
from tests.support import programs

DURING_START = 0.3
"""Share of the kills that come during a start."""
START_SECONDS = 4.0
TICK_SECONDS = 2
READY, STOPPED, ORPHANS = 3.0, 10.0, 10.0


@dataclass
class Seen:
    ready: list[float] = field(default_factory=list)
    start_cpu: list[float] = field(default_factory=list)
    orphans: int = 0
    refreshes: set[datetime] = field(default_factory=set)
    killed: dict[str, int] = field(default_factory=dict)


def run(
    report: AimReport, store: stores.StoreName, folder: Path, *, seeds: int, kills: int, workers: int
) -> None:
    """``kills`` for each seed, over a store of its own each."""
    total = Seen()
    for seed in range(1, seeds + 1):
        print(
            f"-- {store}, seed {seed}, {workers} HTTP process{'es' if workers > 1 else ''} a node", flush=True
        )
        place = folder / f"seed-{seed}"
        place.mkdir()
        over = stores.make(store, place)
        site = Site(over, place, arguments=("--workers", str(workers)) if workers > 1 else ())
        with running(site):
            _one_seed(report, site, seed, kills, total)
            if store == "postgresql":
                tell_damage(report, over.damage())
        tell_damage(report, [] if store == "postgresql" else over.damage())
    report.record("killed", sum(total.killed.values()), "")
    print("   ", ", ".join(f"{n} {what}" for what, n in sorted(total.killed.items())))
    report.record("processes left behind by a kill", total.orphans, "", 0)
    report.record("ready again, median", statistics.median(total.ready), "s")
    report.record("ready again, worst", max(total.ready), "s", READY)
    report.record("CPU of a start until ready, median", statistics.median(total.start_cpu), "s")
    load = psutil.getloadavg()[0]
    report.record("load of the machine, of its cores", 100 * load / (psutil.cpu_count() or 1), "%")


def _one_seed(report: AimReport, site: Site, seed: int, kills: int, total: Seen) -> None:
    chance = random.Random(seed)
    writers = Writers(site, site.folder, seed)
    writers.tokens.stock()
    writers.start(lambda: site.nodes[0].home, **site.settings)
    try:
        for _ in range(kills):
            _kill(site, chance, total)
    finally:
        writers.stop()
    for node in site.nodes:
        node.ready_after()
    settle(report, site, writers)
    _judge_refreshes(report, site, total.refreshes)
    total.refreshes.clear()
    _stop_with_work_in_hand(report, site, writers)


def _kill(site: Site, chance: random.Random, total: Seen) -> None:
    node, early = chance.choice(site.nodes), chance.random() < DURING_START
    if early:
        _end_at_once(node, total, "service before a start")
        site.start(node)
        time.sleep(chance.uniform(0, START_SECONDS))
        what = "service amid its start"
    else:
        node.ready_after()
        time.sleep(chance.uniform(0, 2 * TICK_SECONDS))
        total.refreshes |= _refreshes(site)
        what = chance.choice(("service", "everything", "worker", "http"))
    total.killed[what] = total.killed.get(what, 0) + 1
    if what in ("worker", "http"):
        assert node.program is not None
        found = node.program.children(what)
        if found:
            chance.choice(found).kill()
            return
    _end_at_once(node, total, what)
    site.start(node)
    total.ready.append(node.ready_after())
    total.start_cpu.append(node.cpu_seconds())


def _end_at_once(node: Node, total: Seen, what: str) -> None:
    assert node.program is not None
    if what == "everything":
        programs.kill_all(node.home)
        node.program.process.wait()
    else:
        node.program.kill()
    if until(lambda: not _services(node), ORPHANS) is None:
        total.orphans += len(_services(node))
        programs.kill_all(node.home)


def _services(node: Node) -> list[psutil.Process]:
    """Its processes but for commands of the writers."""
    return [each for each in node.processes() if programs.get_command(each) in ("serve", "worker", "http")]


def _refreshes(site: Site) -> set[datetime]:
    database = site.store.database()
    try:
        with database.read() as connection:
            return set(connection.execute(sa.select(price_points.c.at).distinct()).scalars())
    finally:
        database.dispose()


def _judge_refreshes(report: AimReport, site: Site, held: set[datetime]) -> None:
    now = _refreshes(site)
    gaps = [second - first for first, second in itertools.pairwise(sorted(now))]
    report.record("refreshes of the market that are gone", len(held - now), "", 0)
    report.record("refreshes done twice", sum(gap.total_seconds() < TICK_SECONDS / 2 for gap in gaps), "", 0)


def _stop_with_work_in_hand(report: AimReport, site: Site, writers: Writers) -> None:
    """SIGTERM to one node after the other while all is written; the next start does what they left."""
    writers.start()
    time.sleep(2)
    ended = [site.stop(node) for node in site.nodes]
    writers.stop()
    report.record("stopped after SIGTERM, worst", max(seconds for _, seconds in ended), "s", STOPPED)
    report.record("exit codes other than 0", sum(code != 0 for code, _ in ended), "", 0)
    site.start_all()
    settle(report, site, writers)
