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
from benchmarks.faults.probing import HOT, Probe
from benchmarks.faults.site import Site, running, until
from benchmarks.faults.upstreams import Fault, Upstream, settings, upstreams

SECONDS = 6.0
JOB = 120.0
HEALED = 90.0
MARKETS = ("coingecko", "coinmarketcap")
ENDED = ("completed", "failed")


def run(report: AimReport, store: stores.StoreName, folder: Path) -> None:
    offset = clock.Offset(folder)
    with upstreams() as those:
        site = Site(
            stores.make(store, folder),
            folder,
            settings={**settings(those, folder), **offset.settings},
        )
        with running(site):
            until(lambda: prices(site)[1] > 0, HEALED)
            slowest = 0.0
            for name, upstream in those.items():
                for fault in get_args(Fault):
                    print(f"-- {name} {fault}", flush=True)
                    slowest = max(slowest, _suffers(report, site, upstream, fault))
            report.record("the slowest source-finding job ended after", slowest, "s", JOB)
            if offset.library is not None:
                _stale(report, site, those, offset)
        report.record("processes that died", site.words().count("process_died"), "", 0)
        report.record("tracebacks in the logs", site.words().count("Traceback"), "", 0)


def _suffers(report: AimReport, site: Site, upstream: Upstream, fault: Fault) -> float:
    """How many seconds the job took that was submitted meanwhile."""
    report.quiet = True
    upstream.suffer(fault)
    began = time.monotonic()
    place = _submit(site, f"Bitcoin rose because {upstream.name} is {fault}.")
    with Probe(site, HOT) as probe:
        ended = until(lambda: _ended(site, place), JOB + 20)
        time.sleep(max(0.0, SECONDS - (time.monotonic() - began)))
    probe.tell(report, "hot GETs", 200)
    job = _json(site, place)["data"]
    report.record("jobs without an end", ended is None, "", 0)
    told = job["status"] == "completed" or str(job["error"]).endswith(".")
    report.record("jobs that failed without a sentence", not told, "", 0)
    upstream.recover()
    report.quiet = False
    took = JOB + 20 if ended is None else ended
    print(f"   hot GETs {probe.seen.total()}, job {job['status']} after {took:.1f} s", flush=True)
    return took


def _stale(report: AimReport, site: Site, those: dict[str, Upstream], offset: clock.Offset) -> None:
    print("-- all of the market's providers ended", flush=True)
    _, live = prices(site)
    for name in MARKETS:
        those[name].suffer("ended")
    offset.move(timedelta(minutes=50))
    until(lambda: prices(site)[0] >= live, HEALED)
    stale, _ = prices(site)
    report.record("figures that were known", live, "", 1, is_minimum=True)
    report.record("of them marked stale 50 minutes later", stale, "", live, is_minimum=True)
    for name in MARKETS:
        those[name].recover()
    offset.move(-offset.value)  # to the time of those servers, who stamp what they send
    healed = until(lambda: prices(site)[1] >= live, HEALED)
    report.record("renewed after", HEALED + 1 if healed is None else healed, "s", HEALED)


def prices(site: Site) -> tuple[int, int]:
    """How many figures are marked stale, and how many are not."""
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
