"""Kill the service and its worker at random moments, some of them amid a start, and count what that costs.

``python -m benchmarks.kills [--kills 30] [--seed 1] [--during-start 0.3]``

After each kill: does SQLite find its files whole, does anything stay running, is each key that was
made still accepted, is each refresh and candle still there, was any refresh done twice, and how long
until it is ready and refreshes again. Ends with exit code 1 when something was lost or doubled, a file
damaged, or a process left behind.
"""

import argparse
import contextlib
import itertools
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from backend.auth.service import create_key
from backend.db import Database
from tests.support import programs
from tests.support.running import free_port, wait_for

TICK_SECONDS = 2
SETTINGS = {"CHAINPROOF_TICK_SECONDS": str(TICK_SECONDS)}
CLOSEST = TICK_SECONDS / 2
"""Two refreshes nearer to each other than this, in seconds, are one done twice."""

Row = tuple[str, ...]


@dataclass
class Count:
    """What the kills did, over all of them."""

    lost: int = 0
    damaged: list[str] = field(default_factory=list)
    orphans: int = 0
    ready: list[float] = field(default_factory=list)
    refreshed: list[float] = field(default_factory=list)


class Victim:
    """A data folder, the service over it, and what it is known to hold."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.port = {"CHAINPROOF_PORT": str(free_port())}
        self.keys: list[str] = []
        self.rows: set[Row] = set()
        self.started = 0.0
        self.service = self.start()

    def start(self) -> programs.Program:
        self.started = time.monotonic()
        self.service = programs.start(self.home, "serve", **self.port, **SETTINGS)
        return self.service

    def make_key(self) -> None:
        """Committed, and so known to be held, when this returns."""
        database = Database(f"sqlite:///{self.home / 'chainproof.db'}")
        try:
            made = create_key(database, name=f"key {len(self.keys)}", scopes=["read"], now=datetime.now(UTC))
            self.keys.append(made.key)
        finally:
            database.dispose()

    def held(self) -> set[Row]:
        """The keys of all refreshes and candles that are stored."""
        with contextlib.closing(sqlite3.connect(self.home / "chainproof.db", timeout=30)) as store:
            found: set[Row] = set()
            found.update(store.execute("SELECT DISTINCT 'point', at FROM price_points"))
            found.update(store.execute("SELECT 'candle', asset_id, span, basis FROM candle_strips"))
            return found

    def refreshes(self) -> list[datetime]:
        return sorted(datetime.fromisoformat(row[1]) for row in self.held() if row[0] == "point")

    def doubled(self) -> int:
        at = self.refreshes()
        near = [second - first for first, second in itertools.pairwise(at)]
        return sum(gap.total_seconds() < CLOSEST for gap in near)

    def refused_keys(self) -> int:
        return sum(self.service.get("/prices", key=key).status_code != 200 for key in self.keys)


def seconds_until(condition: Callable[[], bool], what: str) -> float:
    began = time.monotonic()
    wait_for(condition, what)
    return time.monotonic() - began


def kill_service(victim: Victim, moment: random.Random, count: Count, *, during_start: bool) -> str:
    if during_start:
        time.sleep(max(0.0, moment.uniform(0, 4) - (time.monotonic() - victim.started)))
        when = f"{time.monotonic() - victim.started:.1f} s into its start"
    else:
        victim.service.until_ready()
        time.sleep(moment.uniform(0, TICK_SECONDS))
        victim.make_key()
        victim.rows = victim.held()
        when = "in operation"
    victim.service.kill()
    try:
        wait_for(lambda: programs.nothing_runs(victim.home), "The end of its worker", 10)
    except AssertionError:
        count.orphans += len(programs.processes_of(victim.home))
        programs.end_all(victim.home)
    count.damaged += programs.faults_of(victim.home)
    victim.start()
    if not during_start:  # else it is perhaps killed once more before it is ready
        wait_for(victim.service.is_ready, "A ready service")
        count.ready.append(time.monotonic() - victim.started)
    return f"service, {when}"


def kill_worker(victim: Victim, moment: random.Random, count: Count, *, during_start: bool) -> str:
    victim.service.until_ready(figures=not during_start)
    worker = victim.service.child("worker")
    time.sleep(moment.uniform(0, TICK_SECONDS))
    victim.make_key()
    victim.rows = victim.held()
    worker.kill()
    last = max(victim.refreshes(), default=datetime.min.replace(tzinfo=UTC))
    count.refreshed.append(
        seconds_until(lambda: any(at > last for at in victim.refreshes()), "A refresh by the next worker")
    )
    return "worker"


def lost(victim: Victim) -> int:
    """What is lost now of what was held; the service is ready after this."""
    wait_for(victim.service.is_ready, "A ready service")
    gone = victim.rows - victim.held()
    return len(gone) + victim.refused_keys()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--during-start", type=float, default=0.3, help="share of the kills")
    options = parser.parse_args()
    moment, count = random.Random(options.seed), Count()
    with (
        tempfile.TemporaryDirectory(prefix="chainproof-kills-") as folder,
        programs.home_in(Path(folder), few=False) as home,
    ):
        victim = Victim(home)
        victim.service.until_ready()
        for number in range(1, options.kills + 1):
            during_start = moment.random() < options.during_start
            kill = moment.choice((kill_service, kill_worker))
            told = kill(victim, moment, count, during_start=during_start)
            if not during_start:
                count.lost += lost(victim)
            print(f"{number:4} {told}; lost {count.lost}, damaged {len(count.damaged)}", flush=True)
        victim.service.until_ready()
        count.lost += lost(victim)
        doubled, refreshes = victim.doubled(), len(victim.refreshes())
        began = time.monotonic()
        code = victim.service.stop()
        stop_seconds = time.monotonic() - began
        count.damaged += programs.faults_of(home)
    print(f"\n{options.kills} kills, seed {options.seed}; {len(victim.keys)} keys, {refreshes} refreshes")
    print(f"lost {count.lost}, doubled {doubled}, damaged files {len(count.damaged)}, left {count.orphans}")
    for name, times in (("ready again", count.ready), ("refreshed again by a worker", count.refreshed)):
        if times:
            print(f"{name}: median {statistics.median(times):.1f} s, worst {max(times):.1f} s")
    print(f"stopped with exit code {code} after {stop_seconds:.1f} s")
    sys.exit(1 if count.lost or doubled or count.damaged or count.orphans or code else 0)


if __name__ == "__main__":
    main()
