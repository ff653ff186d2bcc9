"""Makes the wall clock of a running service jump, with a preloaded library.

``CLOCK_MONOTONIC`` continues normally, as when a clock is set. The clock of PostgreSQL stays unchanged, since
the service reads none of its timestamps.
"""

import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx

from backend.auth.service import create_key
from benchmarks.aim_report import AimReport
from benchmarks.faults import stores
from benchmarks.faults.probing import CACHED_PATHS, STORED_PATHS, Probe, is_done, submit
from benchmarks.faults.shim import build_library
from benchmarks.faults.site import Site, measure_wait, run_site
from benchmarks.faults.verdict import check_final_state, report_damage
from benchmarks.faults.writing import Writers

JUMPS = (timedelta(hours=1), timedelta(hours=-1), timedelta(days=40), timedelta(days=-40))
SECONDS = 15.0
KEY_LIFETIME = timedelta(days=10)
RECOVERY_SECONDS = 60.0
"""The limit after a jump until the market is refreshed and a job is done."""


def run(report: AimReport, store: stores.StoreName, folder: Path) -> None:
    offset = Offset(folder)
    if offset.library is None:
        return
    over = stores.make(store, folder)
    # Otherwise jobs of weeks ago are deleted, as they should be.
    site = Site(over, folder, settings={**offset.settings, "CHAINPROOF_JOBS_KEEP_DAYS": "400"})
    with run_site(site):
        database = over.database()
        lasting = create_key(
            database, name="ten days", scopes=["read"], expires_in=KEY_LIFETIME, now=datetime.now(UTC)
        ).key
        database.dispose()
        writers = Writers(site, folder, seed=1, clock=offset.now)
        writers.start()
        try:
            time.sleep(8)
            for jump in JUMPS:
                print(f"-- {jump.total_seconds() / 3600:+.0f} hours", flush=True)
                offset.move(jump)
                _check_jump(report, site, offset, lasting)
        finally:
            writers.stop()
        check_final_state(report, site, writers, may_fail=True)
        report.record("processes that died", site.output().count("process_died"), "", 0)
        report.record("tracebacks in the logs", site.output().count("Traceback"), "", 0)
        if store == "postgresql":
            report_damage(report, over.damage())
    if store == "sqlite":
        report_damage(report, over.damage())


class Offset:
    """The difference of the site's clock to ours, in a file that ``clock.c`` maps."""

    def __init__(self, folder: Path) -> None:
        self.library = build_library("clock", folder)
        self.file = folder / "offset"
        self.value = timedelta()
        self.file.write_bytes(bytes(8))

    @property
    def settings(self) -> dict[str, str]:
        """The settings of programs with this clock; empty if it could not be built."""
        if self.library is None:
            return {}
        return {"LD_PRELOAD": str(self.library), "CLOCK_OFFSET": str(self.file)}

    def move(self, by: timedelta) -> None:
        self.value += by
        with self.file.open("r+b") as file:  # keep the same file, since it is mapped
            file.write(round(self.value.total_seconds()).to_bytes(8, sys.byteorder, signed=True))

    def now(self) -> datetime:
        return datetime.now(UTC) + self.value


def _check_jump(report: AimReport, site: Site, offset: Offset, lasting: str) -> None:
    jumped = time.monotonic()
    with Probe(site, (*CACHED_PATHS, *STORED_PATHS, "/readyz")) as probe:
        expired = offset.value > KEY_LIFETIME
        seconds_until_judged = measure_wait(lambda: _status(site, lasting) == (401 if expired else 200), 10)
        report.record(
            "a key of ten days is judged by the new time after",
            99 if seconds_until_judged is None else seconds_until_judged,
            "s",
            10,
        )
        place = submit(site, site.nodes[0].url)
        measure_wait(lambda: place is not None and is_done(site, place), RECOVERY_SECONDS)
        report.record("a new job is done after", time.monotonic() - jumped, "s", RECOVERY_SECONDS)
        measure_wait(lambda: _is_refreshed(site, offset), RECOVERY_SECONDS)
        report.record("the market is refreshed after", time.monotonic() - jumped, "s", RECOVERY_SECONDS)
        time.sleep(max(0.0, SECONDS - (time.monotonic() - jumped)))
    probe.tell(report, "reads", 200)
    report.record("candles out of order, doubled or of the future", _count_wrong_candles(site, offset), "", 0)


def _status(site: Site, key: str) -> int:
    return site.nodes[0].status("/prices", key)


def _json(site: Site, path: str) -> Any:
    headers = {"CP-X-API-KEY": site.key}
    return httpx.get(f"{site.nodes[0].url}{path}", headers=headers, timeout=10, trust_env=False).json()


def _is_refreshed(site: Site, offset: Offset) -> bool:
    """Whether the latest refresh is at most 30 s old by the site's clock."""
    at = _json(site, "/markets/status")["refreshed_at"]
    return at is not None and abs(offset.now() - datetime.fromisoformat(at)) < timedelta(seconds=30)


def _count_wrong_candles(site: Site, offset: Offset) -> int:
    wrong, now = 0, (offset.now().timestamp() + 5) * 1000
    for span in ("24h", "7d"):
        for row in _json(site, f"/rankings?with_candles={span}"):
            times = [candle[0] for candle in row[f"candles_{span}"]]
            wrong += sum(second <= first for first, second in pairwise(times))
            wrong += sum(at > now for at in times)
            wrong += sum(
                not low <= min(o, c) <= max(o, c) <= high for _, o, high, low, c, _ in row[f"candles_{span}"]
            )
    return wrong
