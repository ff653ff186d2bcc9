"""Puts the whole service under load: at capacity, at two and ten times capacity, and below it for an hour.

    python -m benchmarks.load [--store sqlite|postgresql] [--serve 1] [--seconds 20] [--soak MINUTES]

HTTP processes, a worker and a dashboard with ten readers run during the load, which is a mix of cached
responses, pages, scans, stored scans, submissions and timelines (benchmarks/load/request_mix.py). The
capacity is measured first, with a closed loop. Then requests are sent at multiples of it, whether or not
earlier ones were answered. Aims: above capacity only 2xx, 429 and 503, each refusal with a Retry-After;
``/healthz`` on the management port within 100 ms (p99); memory grows by at most 100 MiB; recovery within 5 s;
at the end each accepted submission is completed and each stored scan exists. ``--soak`` stays at 40 % of the
capacity instead and requires memory within 10 % and no growth of open files. The exit code is 1 if an aim is
missed. Everything runs on loopback, with limited time and connections.
"""

import argparse
import contextlib
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import httpx
import orjson
import sqlalchemy as sa

from backend.articles.tables import violations
from backend.jobs.tables import jobs
from benchmarks.aim_report import AimReport
from benchmarks.dashboard.sessions import Level, run_level
from benchmarks.dashboard.sessions import quantile as of_seconds
from benchmarks.load.client import LoadResult, Plan, percentile, run
from benchmarks.load.processes import ServiceGroup, crew, descriptors, memory
from benchmarks.load.request_mix import ARTICLE, build_request_kinds
from tests.support.processes.running import loopback

CONNECTIONS = 32
CAPACITY_FACTORS = (1, 2, 10)
READERS = 10
HEALTH_AIM_MS, RECOVERY_AIM_SECONDS, MEMORY_AIM_MIB = 100.0, 5.0, 100.0
SOAK_SHARE, SOAK_AIM_PERCENT = 0.4, 10.0
EXPECTED_STATUSES = frozenset({200, 201, 202, 304, 404, 429, 503})
"""404 is the answer for a topic without a text in the requested language."""


@dataclass
class HealthLog:
    """Latencies of ``/healthz`` in ms, and the memory of the HTTP processes in MB, while the block ran."""

    health: list[float] = field(default_factory=list)
    failed: int = 0
    megabytes: float = 0.0
    most: float = 0.0

    @property
    def grown(self) -> float:
        return self.most - self.megabytes


def run_load_level(
    crew: ServiceGroup, seconds: float, *, rate: float | None = None, seed: int = 1
) -> tuple[LoadResult, HealthLog]:
    """Send requests from two processes; ``rate`` is their sum."""
    plan = Plan(crew.ports, (), seconds, seed, None if rate is None else rate / 2, CONNECTIONS // 2)
    now = datetime.now(UTC)
    plans = [replace(plan, seed=n, kinds=build_request_kinds(crew.key, now, n)) for n in (seed, seed + 1)]
    with watch_group(crew) as watch:
        return run(plans), watch


@contextlib.contextmanager
def watch_group(crew: ServiceGroup) -> Iterator[HealthLog]:
    watch, stop = HealthLog(megabytes=crew.megabytes()), threading.Event()

    def probe_health() -> None:
        while not stop.wait(0.1):
            for port in crew.management_ports:
                began = time.perf_counter()
                try:
                    right = loopback.get(f"http://127.0.0.1:{port}/healthz", timeout=10).is_success
                except httpx.HTTPError:
                    right = False
                watch.health.append((time.perf_counter() - began) * 1000)
                watch.failed += not right
            watch.most = max(watch.most, crew.megabytes())

    thread = threading.Thread(target=probe_health)
    thread.start()
    try:
        yield watch
    finally:
        stop.set()
        thread.join()


def measure_recovery(crew: ServiceGroup) -> float:
    """Return the seconds until ten scans in a row succeed within 250 ms each."""
    began, right = time.perf_counter(), 0
    headers = {"CP-X-API-KEY": crew.key}
    body = {"articles": [{"content": "Etherium"}], "persist": False}
    while right < 10 and time.perf_counter() - began < 60:
        for port in crew.ports:
            sent_at = time.perf_counter()
            with contextlib.suppress(httpx.HTTPError):
                answer = loopback.post(
                    f"http://127.0.0.1:{port}/articles/scan", json=body, headers=headers, timeout=5
                )
                well = answer.status_code == 200 and time.perf_counter() - sent_at < 0.25
                right = right + 1 if well else 0
    return time.perf_counter() - began


def print_level(name: str, result: LoadResult, watch: HealthLog, seconds: float) -> None:
    statuses = "  ".join(f"{status or 'lost'} {n}" for status, n in sorted(result.by_status.items()))
    print(
        f"\n{name}: {result.sent / seconds:.0f}/s sent, {result.skipped} more had no connection;  {statuses}"
    )
    for kind, latencies_ms in sorted(result.latencies_ms.items()):
        print(
            f"  {kind:10} {len(latencies_ms) / seconds:7.1f}/s   p50 {percentile(latencies_ms, 50):7.1f}   "
            f"p95 {percentile(latencies_ms, 95):7.1f}   p99 {percentile(latencies_ms, 99):7.1f} ms"
        )
    if refusals := result.refusal_latencies_ms:
        print(
            f"  refusals   {len(refusals) / seconds:7.1f}/s   p50 {percentile(refusals, 50):7.1f}   "
            f"p99 {percentile(refusals, 99):7.1f} ms"
        )
    print(
        f"  /healthz p50 {percentile(watch.health, 50):.1f}, most {max(watch.health):.1f} ms of "
        f"{len(watch.health)}; memory {watch.megabytes:.0f} MB + {watch.grown:.0f}"
    )


def judge_level(report: AimReport, result: LoadResult, watch: HealthLog, recovered: float) -> None:
    unfair = sum(n for status, n in result.by_status.items() if status not in EXPECTED_STATUSES)
    report.record("neither 2xx, 404, 429 nor 503", unfair, "answers", 0)
    report.record("refusals without a time to come back", result.refusals_without_retry_after, "answers", 0)
    report.record("/healthz p99", percentile(watch.health, 99), "ms", HEALTH_AIM_MS)
    report.record("/healthz failed", watch.failed, "times", 0)
    report.record("memory more", watch.grown, "MB", MEMORY_AIM_MIB)
    report.record("well again after", recovered, "s", RECOVERY_AIM_SECONDS)


def check_stored(report: AimReport, crew: ServiceGroup, result: LoadResult) -> None:
    """Check that all accepted jobs are completed and all acknowledged scans are stored."""
    accepted = {orjson.loads(body)["data"]["job_id"] for body in result.bodies if body.startswith(b'{"data"')}
    began = time.perf_counter()
    while (unfinished := accepted - list_completed_jobs(crew)) and time.perf_counter() - began < 300:
        time.sleep(1)
    report.record(f"of {len(accepted)} accepted jobs not completed", len(unfinished), "jobs", 0)
    scans = sum(n for status, n in result.statuses["store"].items() if status == 200)
    with crew.database.read() as connection:
        rows = connection.execute(sa.select(sa.func.count()).select_from(violations)).scalar_one()
    once = count_violations(crew)
    report.record(
        f"stored findings of {scans} acknowledged scans that lack", max(0, scans * once - rows), "rows", 0
    )


def list_completed_jobs(crew: ServiceGroup) -> set[str]:
    query = sa.select(jobs.c.id).where(jobs.c.status == "completed")
    with crew.database.read() as connection:
        return {str(row.id) for row in connection.execute(query)}


def count_violations(crew: ServiceGroup) -> int:
    """Count the findings in the article that the load stores repeatedly."""
    answer = loopback.post(
        f"http://127.0.0.1:{crew.ports[0]}/articles/scan",
        json={"articles": [ARTICLE], "persist": False},
        headers={"CP-X-API-KEY": crew.key},
        timeout=30,
    )
    return len(answer.json()[0]["violations"])


def run_levels(report: AimReport, crew: ServiceGroup, seconds: float) -> None:
    result, watch = run_load_level(crew, seconds)
    print_level(f"as fast as {CONNECTIONS} connections go", result, watch, seconds)
    capacity = result.count_accepted() / seconds
    everything = result
    for number, factor in enumerate(CAPACITY_FACTORS, 2):
        with ThreadPoolExecutor(1) as pool:
            read = pool.submit(run_readers, crew, seconds)
            result, watch = run_load_level(crew, seconds, rate=factor * capacity, seed=10 * number)
            recovered = measure_recovery(crew)
            print_level(f"{factor} x capacity ({factor * capacity:.0f}/s)", result, watch, seconds)
            page = read.result()
        slowest = (
            of_seconds(page.tally.full_run_latencies, 0.5),
            of_seconds(page.tally.full_run_latencies, 0.95),
        )
        print(
            f"  {READERS} readers of the Rankings: a click p50 {slowest[0]:.0f}, p95 {slowest[1]:.0f} ms; "
            f"{page.tally.lost} lost, {len(page.tally.exceptions)} exceptions"
        )
        judge_level(report, result, watch, recovered)
        everything.add(result)
    check_stored(report, crew, everything)


def run_readers(crew: ServiceGroup, seconds: float) -> Level:
    return run_level(crew.dashboard, "rankings", READERS, seconds, 5.0, crew.other_processes[1].pid)


def run_soak(report: AimReport, crew: ServiceGroup, minutes: float) -> None:
    """Record memory and open files of each process every minute, at a share of the capacity."""
    result, _ = run_load_level(crew, 20)
    rate = SOAK_SHARE * result.count_accepted() / 20
    everything = result
    processes = {f"serve {n}": process for n, process in enumerate(crew.serving)}
    processes |= dict(zip(("worker", "dashboard"), crew.other_processes, strict=True))
    samples_by_process: dict[str, list[tuple[float, int]]] = {name: [] for name in processes}
    print(f"soak: {minutes:g} minutes at {rate:.0f}/s")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(run_readers, crew, minutes * 60)
        for minute in range(int(minutes)):
            result, watch = run_load_level(crew, 60, rate=rate, seed=1000 + 2 * minute)
            everything.add(replace(result, latencies_ms={}, refusal_latencies_ms=[]))
            for name, process in processes.items():
                samples_by_process[name].append((memory(process), descriptors(process)))
            usage = "  ".join(
                f"{name} {samples_by_process[name][-1][0]:.0f} MB {samples_by_process[name][-1][1]} fd"
                for name in processes
            )
            health = f"healthz p99 {percentile(watch.health, 99):.0f} ms"
            print(f"  {minute + 1:3}: {dict(result.by_status)}  {health}  {usage}", flush=True)
        page = read.result()
    report.record(
        "neither 2xx, 404, 429 nor 503",
        sum(n for s, n in everything.by_status.items() if s not in EXPECTED_STATUSES),
        "answers",
        0,
    )
    report.record("readers' exceptions", len(page.tally.exceptions), "times", 0)
    for name, samples in samples_by_process.items():
        warm = samples[min(len(samples) // 6, 10) :]
        early, late = (statistics.median(mb for mb, _ in part) for part in (warm[:5], warm[-5:]))
        report.record(
            f"{name}: memory after warming up {early:.0f} MB, more",
            (late / early - 1) * 100,
            "%",
            SOAK_AIM_PERCENT,
        )
        opened = [max(fd for _, fd in part) for part in (warm[:5], warm[-5:])]
        report.record(
            f"{name}: open files after warming up {opened[0]}, more", opened[1] - opened[0], "files", 5
        )
    check_stored(report, crew, everything)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--store", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--serve", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--soak", type=float, metavar="MINUTES")
    options = parser.parse_args()
    report = AimReport()
    with crew(options.store, options.serve) as started:
        print(f"{options.store}, {options.serve} that serve, a worker, a dashboard")
        if options.soak:
            run_soak(report, started, options.soak)
        else:
            run_levels(report, started, options.seconds)
    sys.exit(1 if report.missed else 0)


if __name__ == "__main__":
    main()
