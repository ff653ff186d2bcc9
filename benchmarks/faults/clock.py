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
from benchmarks.faults.probing import HOT, STORED, Probe, is_done, submit
from benchmarks.faults.shim import built
from benchmarks.faults.site import Site, running, until
from benchmarks.faults.verdict import settle, tell_damage
from benchmarks.faults.writing import Writers

JUMPS = (timedelta(hours=1), timedelta(hours=-1), timedelta(days=40), timedelta(days=-40))
SECONDS = 15.0
KEY_LASTS = timedelta(days=10)
RECOVERED = 60.0
"""Seconds after a jump until the market is refreshed and a job is done again."""


def run(report: AimReport, store: stores.StoreName, folder: Path) -> None:
    offset = Offset(folder)
    if offset.library is None:
        return
    over = stores.make(store, folder)
    # Or jobs of weeks ago are gone, as they should.
    site = Site(over, folder, settings={**offset.settings, "CHAINPROOF_JOBS_KEEP_DAYS": "400"})
    with running(site):
        database = over.database()
        lasting = create_key(
            database, name="ten days", scopes=["read"], expires_in=KEY_LASTS, now=datetime.now(UTC)
        ).key
        database.dispose()
        writers = Writers(site, folder, seed=1, clock=offset.now)
        writers.start()
        try:
            time.sleep(8)
            for jump in JUMPS:
                print(f"-- {jump.total_seconds() / 3600:+.0f} hours", flush=True)
                offset.move(jump)
                _after(report, site, offset, lasting)
        finally:
            writers.stop()
        settle(report, site, writers, may_fail=True)
        report.record("processes that died", site.words().count("process_died"), "", 0)
        report.record("tracebacks in the logs", site.words().count("Traceback"), "", 0)
        if store == "postgresql":
            tell_damage(report, over.damage())
    if store == "sqlite":
        tell_damage(report, over.damage())


class Offset:
    """What the site's clock is ahead of ours, in a file that ``clock.c`` has before its eyes."""

    def __init__(self, folder: Path) -> None:
        self.library = built("clock", folder)
        self.file = folder / "offset"
        self.value = timedelta()
        self.file.write_bytes(bytes(8))

    @property
    def settings(self) -> dict[str, str]:
        """Of programs that are to have this clock; none where it could not be built."""
        if self.library is None:
            return {}
        return {"LD_PRELOAD": str(self.library), "CLOCK_OFFSET": str(self.file)}

    def move(self, by: timedelta) -> None:
        self.value += by
        with self.file.open("r+b") as file:  # the same file: it is mapped
            file.write(round(self.value.total_seconds()).to_bytes(8, sys.byteorder, signed=True))

    def now(self) -> datetime:
        return datetime.now(UTC) + self.value


def _after(report: AimReport, site: Site, offset: Offset, lasting: str) -> None:
    jumped = time.monotonic()
    with Probe(site, (*HOT, *STORED, "/readyz")) as probe:
        expired = offset.value > KEY_LASTS
        said = until(lambda: _status(site, lasting) == (401 if expired else 200), 10)
        report.record(
            "a key of ten days is judged by the new time after", 99 if said is None else said, "s", 10
        )
        place = submit(site, site.nodes[0].url)
        until(lambda: place is not None and is_done(site, place), RECOVERED)
        report.record("a new job is done after", time.monotonic() - jumped, "s", RECOVERED)
        until(lambda: _is_refreshed(site, offset), RECOVERED)
        report.record("the market is refreshed after", time.monotonic() - jumped, "s", RECOVERED)
        time.sleep(max(0.0, SECONDS - (time.monotonic() - jumped)))
    probe.tell(report, "reads", 200)
    report.record("candles out of order, doubled or of the future", _wrong_candles(site, offset), "", 0)


def _status(site: Site, key: str) -> int:
    return site.nodes[0].status("/prices", key)


def _json(site: Site, path: str) -> Any:
    headers = {"CP-X-API-KEY": site.key}
    return httpx.get(f"{site.nodes[0].url}{path}", headers=headers, timeout=10, trust_env=False).json()


def _is_refreshed(site: Site, offset: Offset) -> bool:
    """Whether the latest refresh is of the last half minute, by the site's own clock."""
    at = _json(site, "/markets/status")["refreshed_at"]
    return at is not None and abs(offset.now() - datetime.fromisoformat(at)) < timedelta(seconds=30)


def _wrong_candles(site: Site, offset: Offset) -> int:
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


def is_sound(candle: list[float]) -> bool:
    _, opened, high, low, closed, _ = candle
    return low <= min(opened, closed) <= max(opened, closed) <= high
