"""Simulates power failures during writes of all kinds: parts of unsynced data are lost."""

import random
import time
from pathlib import Path

from benchmarks.aim_report import AimReport
from benchmarks.faults import stores
from benchmarks.faults.power_loss import Disk
from benchmarks.faults.shim import build_library
from benchmarks.faults.site import Site
from benchmarks.faults.verdict import check_final_state, report_counts, report_damage
from benchmarks.faults.writing import Writers
from tests.support.processes import programs

WRITING_SECONDS = (1.0, 6.0)
MAX_START_DELAY_SECONDS = 4.0
START_LOSS_SHARE = 0.3


def run(report: AimReport, store: stores.StoreName, folder: Path, *, rounds: int, seed: int = 1) -> None:
    """Simulate repeated power failures on one store; the last one is on a disk that ignores syncs."""
    shim = build_library("power", folder)
    if shim is None:
        return
    log = folder / "log"
    log.touch()
    log.chmod(0o666)
    watched = folder / ("home" if store == "sqlite" else "pgdata")
    watch = {"LD_PRELOAD": str(shim), "POWER_FOLDER": str(watched), "POWER_LOG": str(log)}
    over = stores.make(store, folder, watch)
    site = Site(over, folder, settings=watch if store == "sqlite" else None)
    over.start()
    try:
        site.make_credentials()
        over.stop()
        _rounds(report, site, watched, log, rounds, random.Random(seed))
    finally:
        site.kill_all()
        over.stop()


def _rounds(report: AimReport, site: Site, watched: Path, log: Path, rounds: int, rng: random.Random) -> None:
    writers = Writers(site, site.folder, seed=1)
    dropped = 0
    for number in range(1, rounds + 1):
        early = rng.random() < START_LOSS_SHARE
        disk = lose_power(site, writers, watched, log, rng, early=early)
        disk.lose_power(log, rng)
        dropped += disk.writes_dropped
        print(f"-- loss {number}: {disk.writes_dropped} writes were not synced", flush=True)
        site.store.start()
        report.quiet = number < rounds
        report_damage(report, site.store.damage())
        site.start_all()
        if number == 1:  # only now, so that the first start over a new store is lost too
            writers.tokens.stock()
        check_final_state(report, site, writers)
        for node in site.nodes:
            site.stop(node)
        site.store.stop()
    report.record("power losses", rounds, "")
    report.record("writes that were not synced then, in all", dropped, "", 1, is_minimum=True)
    if site.store.name == "sqlite":
        _control(report, site, writers, watched, log, rng)


def lose_power(
    site: Site, writers: Writers, watched: Path, log: Path, rng: random.Random, *, early: bool
) -> Disk:
    """Start, write and kill everything at once; with ``early`` during the start.

    Returns the disk as it was before the start.
    """
    disk = Disk(watched)
    log.write_bytes(b"")
    site.store.start()
    for node in site.nodes:
        site.start(node)
    writers.start(lambda: site.nodes[0].home, **site.settings)
    try:
        if early:
            time.sleep(rng.uniform(0, MAX_START_DELAY_SECONDS))
        else:
            for node in site.nodes:
                node.wait_until_ready(180)
            time.sleep(rng.uniform(*WRITING_SECONDS))
        site.store.kill()
        for node in site.nodes:
            programs.kill_all(node.home)
    finally:
        writers.stop()
    for node in site.nodes:  # processes that the writers started
        programs.kill_all(node.home)
    return disk


def _control(
    report: AimReport, site: Site, writers: Writers, watched: Path, log: Path, rng: random.Random
) -> None:
    """Repeat on a disk that ignores syncs, which must cause detectable faults."""
    disk = lose_power(site, writers, watched, log, rng, early=False)
    disk.lose_power(log, rng, lies=True)
    print("-- control: a disk that lies", flush=True)
    own = AimReport()
    database = site.store.database()
    try:
        report_damage(own, site.store.damage())
        report_counts(own, writers, database)
    except Exception as error:  # noqa: BLE001 - whatever such a file makes a store say
        print(f"    {type(error).__name__}: {str(error)[:200]}")
        own.missed.append("unreadable")
    finally:
        database.dispose()
    report.record("faults that the control shows", len(own.missed), "", 1, is_minimum=True)
