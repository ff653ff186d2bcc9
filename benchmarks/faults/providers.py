"""Makes each provider of a live service stop, hang and send invalid responses, then all market ones at once.

Cached responses continue, a source-finding job ends with a result or an error sentence, and figures that are
not refreshed become stale. The clock is moved forward instead of waiting for hours (see ``clock.py``).
"""

import time
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import httpx

from benchmarks.aim_report import AimReport
from benchmarks.faults import clock, stores
from benchmarks.faults.probing import CACHED_PATHS, Probe
from benchmarks.faults.site import Site, measure_wait, run_site
from benchmarks.faults.upstreams import Fault, Upstream, build_settings, upstreams

SECONDS = 6.0
JOB_TIMEOUT_SECONDS = 120.0
RECOVERY_SECONDS = 90.0
MARKETS = ("coingecko", "coinmarketcap")
ENDED = ("completed", "failed")


def run(report: AimReport, store: stores.StoreName, folder: Path) -> None:
    offset = clock.Offset(folder)
    with upstreams() as those:
        site = Site(
            stores.make(store, folder),
            folder,
            settings={**build_settings(those, folder), **offset.settings},
        )
        with run_site(site):
            measure_wait(lambda: count_prices(site)[1] > 0, RECOVERY_SECONDS)
            slowest = 0.0
            for name, upstream in those.items():
                for fault in get_args(Fault):
                    print(f"-- {name} {fault}", flush=True)
                    slowest = max(slowest, _test_fault(report, site, upstream, fault))
            report.record("the slowest source-finding job ended after", slowest, "s", JOB_TIMEOUT_SECONDS)
            if offset.library is not None:
                _stale(report, site, those, offset)
        report.record("processes that died", site.output().count("process_died"), "", 0)
        report.record("tracebacks in the logs", site.output().count("Traceback"), "", 0)


def _test_fault(report: AimReport, site: Site, upstream: Upstream, fault: Fault) -> float:
    """Run one fault; returns the seconds of a job that was submitted during it."""
    report.quiet = True
    upstream.start_fault(fault)
    began = time.monotonic()
    place = _submit(site, f"Bitcoin rose because {upstream.name} is {fault}.")
    with Probe(site, CACHED_PATHS) as probe:
        ended = measure_wait(lambda: _ended(site, place), JOB_TIMEOUT_SECONDS + 20)
        time.sleep(max(0.0, SECONDS - (time.monotonic() - began)))
    probe.tell(report, "hot GETs", 200)
    job = _json(site, place)["data"]
    report.record("jobs without an end", ended is None, "", 0)
    has_result = job["status"] == "completed" or str(job["error"]).endswith(".")
    report.record("jobs that failed without a sentence", not has_result, "", 0)
    upstream.recover()
    report.quiet = False
    seconds = JOB_TIMEOUT_SECONDS + 20 if ended is None else ended
    print(f"   hot GETs {probe.seen.total()}, job {job['status']} after {seconds:.1f} s", flush=True)
    return seconds


def _stale(report: AimReport, site: Site, those: dict[str, Upstream], offset: clock.Offset) -> None:
    print("-- all of the market's providers ended", flush=True)
    _, live = count_prices(site)
    for name in MARKETS:
        those[name].start_fault("ended")
    offset.move(timedelta(minutes=50))
    measure_wait(lambda: count_prices(site)[0] >= live, RECOVERY_SECONDS)
    stale, _ = count_prices(site)
    report.record("figures that were known", live, "", 1, is_minimum=True)
    report.record("of them marked stale 50 minutes later", stale, "", live, is_minimum=True)
    for name in MARKETS:
        those[name].recover()
    offset.move(-offset.value)  # back to the time of those servers, which set the timestamps
    healed = measure_wait(lambda: count_prices(site)[1] >= live, RECOVERY_SECONDS)
    report.record("renewed after", RECOVERY_SECONDS + 1 if healed is None else healed, "s", RECOVERY_SECONDS)


def count_prices(site: Site) -> tuple[int, int]:
    """Count the stale and the current figures."""
    rows = [row for row in _json(site, "/prices").values() if row["price_usd"] is not None]
    stale = sum(row["source"].endswith(":stale") for row in rows)
    return stale, len(rows) - stale


def _json(site: Site, path: str) -> Any:
    headers = {"CP-X-API-KEY": site.key}
    return httpx.get(f"{site.nodes[0].url}{path}", headers=headers, timeout=10, trust_env=False).json()


def _submit(site: Site, statement: str) -> str:
    answer = httpx.post(
        f"{site.nodes[0].url}/sources",
        json={"statement": statement},
        headers={"CP-X-API-KEY": site.key},
        timeout=10,
        trust_env=False,
    )
    return str(answer.raise_for_status().headers["location"])


def _ended(site: Site, place: str) -> bool:
    return _json(site, place)["data"]["status"] in ENDED
