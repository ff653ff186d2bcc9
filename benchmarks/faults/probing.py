"""Sends requests to all nodes during a fault, and measures the time until recovery."""

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Self

import httpx

from benchmarks.aim_report import AimReport
from benchmarks.faults.site import Node, Site, measure_wait

CACHED_PATHS = ("/prices", "/rankings", "/assets", "/crypto/market-overview", "/articles/rules")
"""Answered from memory, independent of the store."""
STORED_PATHS = (
    "/topics?page=2",
    "/entities/extractions",
    "/articles/violations",
    "/v1/timelines",
    "/entities",
)
"""Answered from the store."""
EXTRACTION = "/entities/extractions"


@dataclass
class Probe:
    """Requests every path of every node repeatedly until the block ends."""

    site: Site
    paths: tuple[str, ...]
    timeout: float = 5.0
    seen: Counter[tuple[str, int]] = field(default_factory=Counter)
    slowest: float = 0.0
    _stop: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> Self:
        for node in self.site.nodes:
            thread = threading.Thread(target=self._ask, args=(node.url,))
            thread.start()
            self._threads.append(thread)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, url: str) -> None:
        headers = {"CP-X-API-KEY": self.site.key}
        with httpx.Client(headers=headers, timeout=self.timeout, trust_env=False, verify=False) as client:
            while not self._stop.wait(0.1):
                for path in self.paths:
                    began = time.monotonic()
                    try:
                        status = client.get(f"{url}{path}").status_code
                    except httpx.TransportError:
                        status = 0
                    self.seen[path, status] += 1
                    self.slowest = max(self.slowest, time.monotonic() - began)

    def count_others(self, *good: int) -> int:
        return sum(n for (_, status), n in self.seen.items() if status not in good)

    def tell(self, report: AimReport, name: str, *good: int) -> None:
        """Report the number of responses with other statuses; status 0 means no response."""
        report.record(
            f"{name}: answers other than {'/'.join(map(str, good))}", self.count_others(*good), "", 0
        )
        report.record(f"{name}: asked", self.seen.total(), "", 1, is_minimum=True)
        report.record(f"{name}: slowest", self.slowest, "s")
        for (path, status), n in self.seen.items():
            if status not in good:
                print(f"    {path}: {n} times {status}")


def _accepts_job(site: Site, node: Node) -> bool:
    return submit(site, node.url) is not None


def report_recovery(report: AimReport, site: Site, *, aim: float, most: float = 90) -> None:
    """Measure the time until every node is ready and accepts a job, and the job is complete."""
    began = time.monotonic()
    for node in site.nodes:
        measure_wait(node.is_ready, most)
    report.record("healed: every node ready after", time.monotonic() - began, "s", aim)
    for node in site.nodes:
        measure_wait(partial(_accepts_job, site, node), most)
    report.record("healed: every node takes jobs after", time.monotonic() - began, "s", aim)
    place = submit(site, site.nodes[0].url)
    measure_wait(lambda: place is not None and is_done(site, place), most)
    report.record("healed: a new job is done after", time.monotonic() - began, "s")


def submit(site: Site, url: str) -> str | None:
    """Submit a job; returns its URL, or None if it was not accepted."""
    headers = {"CP-X-API-KEY": site.key}
    try:
        answer = httpx.post(
            f"{url}{EXTRACTION}", json={"text": "Bitcoin"}, headers=headers, timeout=10, trust_env=False
        )
    except httpx.TransportError:
        return None
    return f"{url}{answer.headers['location']}" if answer.status_code == 202 else None


def is_done(site: Site, place: str) -> bool:
    answer = httpx.get(place, headers={"CP-X-API-KEY": site.key}, timeout=10, trust_env=False)
    return bool(answer.json()["data"]["status"] == "completed")
