"""Measures how fast jobs are accepted, run and answered, and the cost of waiting for them.

``python -m benchmarks.jobs [submissions|throughput|idle|latency …] [--postgres] [--workers 2]``

``submissions``: a hundred a second for a minute over HTTP to one process, with a worker; the time of each,
and lost ones. ``throughput``: short jobs a second on this machine, submitted as fast as one process can.
``idle``: the share of a core that an idle worker uses, with and without polling for jobs. ``latency``: from
the submission of a single job to its completion.
"""

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import httpx
import psutil
import sqlalchemy as sa

from backend.auth.service import create_key
from backend.jobs import job_store
from backend.jobs.job_kinds import JobKind
from backend.jobs.tables import jobs
from backend.settings import Settings
from backend.store.database import Database
from benchmarks.jobs.processes import child, children, store
from tests.support.processes.running import free_port, is_answering, wait_for

TEXT = "Bitcoin rose after the regulator's decision. " * 10


def measure_submissions(settings: Settings, options: argparse.Namespace) -> None:
    database, port = Database(settings.app_database_url), free_port()
    key = create_key(database, name="bench", scopes=["write"], now=datetime.now(UTC)).key
    with children() as started:
        started.append(child(settings, "serve", "--port", str(port)))
        wait_for(lambda: is_answering(f"http://127.0.0.1:{port}/healthz"), "the service", 60)
        start_workers(settings, started, 1)
        service = psutil.Process(started[0].pid)
        before = get_cpu_seconds(service)
        durations, late = asyncio.run(
            send(f"http://127.0.0.1:{port}/jobs", key, options.rate, options.seconds)
        )
        spent = get_cpu_seconds(service) - before
        sent_count = options.rate * options.seconds
        wait_for(
            lambda: count_states(database).get("completed", 0) >= len(durations), "the end of all jobs", 60
        )
    print(
        f"submissions: {len(durations)} of {sent_count} accepted in {options.seconds} s; "
        f"stored {count_states(database)}"
    )
    print(f"  answered in {format_quantiles(durations)}; sent late by at most {late * 1000:.0f} ms")
    print(f"  the service's process took {spent / sent_count * 1000:.2f} ms of CPU each")
    if count_states(database) != {"completed": sent_count}:
        raise SystemExit("Some were lost.")
    database.dispose()


async def send(url: str, key: str, rate: int, seconds: int) -> tuple[list[float], float]:
    """Seconds that each accepted one took, and by how much the latest was sent too late."""
    durations: list[float] = []
    late = 0.0
    limits = httpx.Limits(max_connections=64)
    async with httpx.AsyncClient(headers={"CP-X-API-KEY": key}, timeout=30, limits=limits) as client:

        async def submit_job(number: int) -> None:
            began = time.perf_counter()
            answer = await client.post(url, json={"text": TEXT}, headers={"Idempotency-Key": str(number)})
            if answer.status_code == 202:
                durations.append(time.perf_counter() - began)

        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for number in range(rate * seconds):
                due = began + number / rate
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                late = max(late, time.perf_counter() - due)
                group.create_task(submit_job(number))
    return durations, late


def measure_throughput(settings: Settings, options: argparse.Namespace) -> None:
    database = Database(settings.app_database_url)
    with children() as started:
        start_workers(settings, started, options.workers)
        processes = [psutil.Process(child_process.pid) for child_process in started]
        before = sum(map(get_cpu_seconds, processes))
        began = time.perf_counter()
        for number in range(options.jobs):
            submit(database, "extraction", f"{number} {TEXT}", settings)
        submitted = time.perf_counter() - began
        wait_for(
            lambda: count_states(database).get("completed", 0) == options.jobs, "the end of all jobs", 300
        )
        ended = time.perf_counter() - began
        spent = sum(map(get_cpu_seconds, processes)) - before
    print(
        f"throughput, {options.workers} workers: {options.jobs / ended:.0f} jobs/s over {options.jobs}, "
        f"submitted at {options.jobs / submitted:.0f}/s; workers took {spent / options.jobs * 1000:.2f} ms "
        "of CPU for each"
    )
    database.dispose()


def measure_idle_load(settings: Settings, options: argparse.Namespace) -> None:
    with children() as started:
        start_workers(settings, started, 1)
        started.append(child(settings, "idle"))
        wait_for(lambda: (settings.home / f"working-{started[1].pid}").exists(), "the second worker", 60)
        time.sleep(3)
        processes = [psutil.Process(child_process.pid) for child_process in started]
        before = list(map(get_cpu_seconds, processes))
        time.sleep(options.seconds)
        spent = [get_cpu_seconds(child) - was for child, was in zip(processes, before, strict=True)]
    looks, none = (cpu_seconds / options.seconds * 100 for cpu_seconds in spent)
    print(f"idle: {looks:.1f} % of a core; without looking for jobs {none:.1f} %")


def measure_latency(settings: Settings, options: argparse.Namespace) -> None:
    database, rng = Database(settings.app_database_url), random.Random(1)
    kinds: tuple[JobKind, ...] = ("extraction", "sources")
    with children() as started:
        start_workers(settings, started, options.workers)
        time.sleep(3)
        for kind in kinds:
            for number in range(options.lone):
                submit(database, kind, f"{number} {TEXT}", settings)
                time.sleep(rng.uniform(0.35, 0.55))
            wait_for(lambda: "pending" not in count_states(database), "the end of all jobs", 60)
    for kind in kinds:
        durations = [(ended - began).total_seconds() for began, ended in load_times(database, kind)]
        waited = [
            (start - began).total_seconds() for began, start in load_times(database, kind, jobs.c.started_at)
        ]
        print(
            f"latency of a lone {kind} job: started after {format_quantiles(waited)}; "
            f"completed {format_quantiles(durations)}"
        )
    database.dispose()


def submit(database: Database, kind: JobKind, text: str, settings: Settings) -> None:
    body = {"text": text, "folder": str(settings.home)}
    now = datetime.now(UTC)
    job_store.submit(database, kind, body, submitted_by="bench", idempotency_key=None, now=now)


def start_workers(settings: Settings, started: list[Any], count: int) -> None:
    new = [child(settings, "work") for _ in range(count)]
    started.extend(new)
    for worker in new:
        wait_for((settings.home / f"working-{worker.pid}").exists, "a worker", 60)


def count_states(database: Database) -> dict[str, int]:
    """How many jobs are in which state."""
    query = sa.select(jobs.c.status, sa.func.count().label("n")).group_by(jobs.c.status)
    with database.read() as connection:
        return {row.status: row.n for row in connection.execute(query)}


def load_times(
    database: Database, kind: JobKind, until: sa.Column[Any] = jobs.c.completed_at
) -> Sequence[tuple[datetime, datetime]]:
    query = sa.select(jobs.c.created_at, until).where(jobs.c.kind == kind)
    with database.read() as connection:
        return [(began, ended) for began, ended in connection.execute(query)]


def get_cpu_seconds(process: psutil.Process) -> float:
    spent = process.cpu_times()
    return float(spent.user + spent.system)


def format_quantiles(seconds: Sequence[float]) -> str:
    cuts = statistics.quantiles(seconds, n=100)
    return f"p50 {cuts[49] * 1000:.0f}, p95 {cuts[94] * 1000:.0f}, p99 {cuts[98] * 1000:.0f} ms"


MEASURES: dict[str, Callable[[Settings, argparse.Namespace], None]] = {
    "submissions": measure_submissions,
    "throughput": measure_throughput,
    "idle": measure_idle_load,
    "latency": measure_latency,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("measures", nargs="*", choices=[*MEASURES, []], help="all, unless some are named")
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=3000)
    parser.add_argument("--rate", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--lone", type=int, default=40)
    options = parser.parse_args()
    for name in options.measures or MEASURES:
        with store(postgres=options.postgres) as settings:
            MEASURES[name](settings, options)


if __name__ == "__main__":
    main()
