"""Measures evaluation timelines over HTTP, compared with reading the same bytes and writing them to a socket.

    python -m benchmarks.timelines.listings [--runs 1000000] [--profiles 100] [--rounds 25] [--colds 5]
        [--postgres]

It fills a store with the runs; then one service in a separate process answers the whole listing. Times are
medians in milliseconds of alternating requests in one run; compare the ratios. The exit code is 1 if an aim
is missed.
"""

import argparse
import contextlib
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import msgspec
import orjson
import pandas as pd
import psutil
import pyarrow as pa

from backend import migrations
from backend.auth.service import create_key
from backend.formats.timestamps import write_instant
from backend.store.database import Database
from backend.timelines import store
from backend.timelines.model import Metrics, Profile, Run, ScoreAdjustment
from backend.timelines.validation.run_preparation import prepare_runs
from benchmarks.aim_report import AimReport
from benchmarks.servers import free_port, process, service_environment
from benchmarks.timelines.listings_probe import Connection
from tests.support.store import databases

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
GZIP = {"Accept-Encoding": "gzip"}
ARROW = {"Accept": "application/vnd.apache.arrow.stream"}
BATCH = 10_000
CASES = 200
REASONS = [("wrong_file_edited", 0.2), ("tests_fail", 0.25), ("left_debug_output", 0.05)]


def make_run(rng: random.Random, profile: str, number: int) -> Run:
    """A run of about 635 bytes, as logs of coding agents give them."""
    started = BEGAN + timedelta(seconds=number * 61, microseconds=rng.randrange(10**6))
    deductions = rng.sample(REASONS, rng.randrange(3))
    total = 1 - sum(points for _, points in deductions)
    result = "check of the sandbox: the file that the task names was not as it should be"
    return Run(
        run_id=f"{rng.getrandbits(64):016x}-{rng.getrandbits(64):016x}",
        timestamp=write_instant(started),
        finished_at=write_instant(started + timedelta(seconds=rng.uniform(20, 900))),
        case_id=f"case-{rng.randrange(CASES):03}",
        profile=profile,
        success=total > 0.6,
        total_score=total,
        raw_score=1.0,
        max_score=1.0,
        normalized_score=total,
        metrics=Metrics(rng.randrange(40), rng.randrange(9), rng.randrange(9), rng.random() * 8, 0.5),
        deductions=tuple(ScoreAdjustment(name, points, result) for name, points in deductions),
        cost_usd=round(rng.random(), 4),
    )


def build_profiles(count: int) -> dict[str, Profile]:
    return {
        f"agent-{n // 10} / model {n:03}": Profile(
            f"agent-{n // 10}", f"model-{n:03}", f"vendor-{n % 7}", "here"
        )
        for n in range(count)
    }


def fill(database: Database, profiles: Mapping[str, Profile], runs: int) -> float:
    """Runs stored a second, making them and judging them not counted."""
    rng, runs_per_profile, seconds = random.Random(7), runs // len(profiles), 0.0
    for name in profiles:
        for start in range(0, runs_per_profile, BATCH):
            new_runs = [make_run(rng, name, n) for n in range(start, min(runs_per_profile, start + BATCH))]
            right = prepare_runs(new_runs, profile=name, shape_is_valid=True).runs
            began = time.perf_counter()
            store.add(database, "own", right, profiles)
            seconds += time.perf_counter() - began
    return runs / seconds


@dataclass(frozen=True)
class Setting:
    """A filled store and how to start a service over it."""

    home: Path
    environment: Mapping[str, str]
    port: int
    key: str

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextlib.contextmanager
    def service(self) -> Iterator[psutil.Process]:
        arguments = ["-m", "backend.cli", "serve", "--no-worker"]
        with process(arguments, self.environment, f"{self.base}/readyz") as child:
            yield psutil.Process(child.pid)

    def connection(self) -> Connection:
        return Connection(self.base, self.key)


def prepare(folder: Path, options: argparse.Namespace) -> Setting:
    home, port = folder / "home", free_port()
    home.mkdir()
    profiles = build_profiles(options.profiles)
    file = folder / "profiles.json"
    file.write_bytes(orjson.dumps({name: store.fields(profile) for name, profile in profiles.items()}))
    more = {"CHAINPROOF_PROFILES": str(file)}
    url = f"sqlite:///{home / 'chainproof.db'}"
    if options.postgres:
        url = databases.start_server(folder / "postgres").replace("postgresql://", "postgresql+psycopg://")
        more["CHAINPROOF_DATABASE_URL"] = url
    migrations.upgrade(url)
    database = Database(url)
    rate = fill(database, profiles, options.runs)
    if options.postgres:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE timeline_runs")
    key = create_key(database, name="benchmark", scopes=("read", "ingest"), now=datetime.now(UTC)).key
    database.dispose()
    print(f"{options.runs:,} runs stored, {rate:,.0f} a second without HTTP", flush=True)
    return Setting(home, service_environment(home, port, **more), port, key)


@dataclass
class ColdReads:
    """The first listings of new processes: times in milliseconds, and the listing itself."""

    total_ms: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    body: bytes = b""


def get_cpu_ms(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system) * 1000


def measure_cold_reads(setting: Setting, count: int, *, ready_seconds: float = 0.0) -> ColdReads:
    """``ready_seconds``: seconds that a process has been ready for before it is asked."""
    found = ColdReads()
    for _ in range(count):
        with setting.service() as service:
            connection = setting.connection()
            connection.get("/v1/timelines?limit=1&case_id=none")  # the code is warm, not all tails are
            time.sleep(ready_seconds)
            before = get_cpu_ms(service)
            fetched = connection.get("/v1/timelines", keep=not found.body)
            found.processor.append(get_cpu_ms(service) - before)
            found.body = found.body or fetched.body
            found.total_ms.append(fetched.total_ms)
            found.first.append(fetched.first_byte)
            connection.close()
    return found


def median(rounds: int, connection: Connection, path: str, headers: Mapping[str, str] | None = None) -> float:
    """Of the times until the whole answer is there, in milliseconds."""
    return statistics.median(connection.get(path, headers).total_ms for _ in range(rounds))


@contextlib.contextmanager
def watch_listing(setting: Setting, path: str) -> Iterator[list[float]]:
    """Fills its list, when the block ends, with the times of another client's answers meanwhile."""
    latencies: list[float] = []
    program = [
        sys.executable,
        "-m",
        "benchmarks.timelines.listings_probe",
        "watch",
        f"{setting.base}{path}",
        setting.key,
    ]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        time.sleep(0.5)
        yield latencies
        latencies += json.loads(child.communicate()[0])


def p99(latencies: list[float]) -> float:
    return statistics.quantiles(latencies, n=100)[98]


def get_peak_megabytes(service: psutil.Process) -> float:
    status = Path(f"/proc/{service.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def measure_listing(
    setting: Setting, floor: Connection, options: argparse.Namespace, report: AimReport
) -> None:
    with setting.service() as service:
        connection = setting.connection()
        connection.get("/v1/timelines?limit=1&case_id=none")
        before = service.memory_info().rss / 1024**2
        connection.get("/v1/timelines")
        warm, first, floors = [], [], []
        spent = get_cpu_ms(service)
        for _ in range(options.rounds):
            floors.append(floor.get("/").total_ms)
            fetched = connection.get("/v1/timelines")
            warm.append(fetched.total_ms)
            first.append(fetched.first_byte)
        report.record("floor", statistics.median(floors), "ms")
        report.record("the whole listing, warm", statistics.median(warm), "ms")
        report.record("  times the floor", statistics.median(warm) / statistics.median(floors), "×", 1.5)
        report.record("  first byte", statistics.median(first), "ms", 5)
        report.record("  processor time", (get_cpu_ms(service) - spent) / options.rounds, "ms")
        report.record("  extra memory at its peak", get_peak_megabytes(service) - before, "MiB", 100)
        measure_smaller(connection, options, report)
        with watch_listing(setting, "/healthz") as other_latencies:
            for _ in range(options.rounds):
                connection.get("/v1/timelines")
        report.record("others' p99 meanwhile", p99(other_latencies), "ms", 50)
        report.record("  the longest", max(other_latencies), "ms")
        connection.close()


def measure_without_tails(
    setting: Setting, floor: Connection, options: argparse.Namespace, report: AimReport
) -> None:
    """A budget that holds one tail: every listing is read from the store, by a process that is warm."""
    small = {**setting.environment, "CHAINPROOF_TIMELINES_MEMORY_MIB": "1"}
    with replace(setting, environment=small).service():
        connection = setting.connection()
        connection.get("/v1/timelines")
        listing_times, first, floors = [], [], []
        for _ in range(options.rounds):
            floors.append(floor.get("/").total_ms)
            fetched = connection.get("/v1/timelines")
            listing_times.append(fetched.total_ms)
            first.append(fetched.first_byte)
        connection.close()
    report.record("the whole listing without memory for it", statistics.median(listing_times), "ms")
    report.record("  times the floor", statistics.median(listing_times) / statistics.median(floors), "×", 8)
    report.record("  first byte", statistics.median(first), "ms", 5)


def measure_smaller(connection: Connection, options: argparse.Namespace, report: AimReport) -> None:
    with httpx.Client(
        base_url=f"http://{connection._host}", headers={"CP-X-API-KEY": connection._key}
    ) as client:
        tag = client.head("/v1/timelines", headers={"Accept-Encoding": "identity"}).headers["etag"]
    rounds = options.rounds * 8
    not_modified = {"If-None-Match": tag}
    assert connection.get("/v1/timelines", not_modified).status == 304
    report.record("304", median(rounds, connection, "/v1/timelines", not_modified), "ms", 2)
    report.record(
        "one profile", median(rounds, connection, "/v1/timelines/agent-0%20%2F%20model%20003"), "ms"
    )
    report.record("limit=10", median(rounds, connection, "/v1/timelines?limit=10"), "ms")
    for name, query in (
        ("one vendor of seven", "model_vendor=vendor-1"),
        ("a model that nobody has", "model=none"),
        ("one case of 200", "case_id=case-017"),
        ("one case of one model", "case_id=case-017&model=model-003"),
    ):
        report.record(name, median(options.rounds, connection, f"/v1/timelines?{query}"), "ms")


def measure_forms(setting: Setting, options: argparse.Namespace, report: AimReport) -> None:
    for name, headers in (("gzip", GZIP), ("Arrow", ARROW)):
        with setting.service():
            connection = setting.connection()
            connection.get("/v1/timelines?limit=1&case_id=none", headers)
            cold = connection.get("/v1/timelines", headers, keep=True)
            report.record(f"{name}, cold", cold.total_ms, "ms")
            report.record(f"{name}, warm", median(options.rounds, connection, "/v1/timelines", headers), "ms")
            report.record("  size", cold.size / 1e6, "MB")
            connection.close()
        with setting.service():
            connection = setting.connection()
            with watch_listing(setting, "/healthz") as other_latencies:
                connection.get("/v1/timelines", headers)
            report.record("  others' p99 while it is made", p99(other_latencies), "ms", 50)
            connection.close()
    body = cold.body
    began = time.perf_counter()
    table = pa.ipc.open_stream(body).read_all()
    report.record("  read as columns", (time.perf_counter() - began) * 1000, "ms")
    began = time.perf_counter()
    frame: pd.DataFrame = table.drop_columns(["deductions", "bonuses"]).unify_dictionaries().to_pandas()
    report.record("  into pandas, without the parts", (time.perf_counter() - began) * 1000, "ms")
    assert len(frame) == table.num_rows
    ids = sum(len(value.as_py()) for value in table["run_id"])
    report.record("  bytes a run", len(body) / table.num_rows, "B")
    report.record("  of these its id", ids / table.num_rows, "B")


def measure_ingestion(setting: Setting, profile: str, report: AimReport) -> None:
    rng = random.Random(11)
    path = f"{setting.base}/v1/timelines/{profile.replace(' ', '%20').replace('/', '%2F')}/entries"
    headers = {"CP-X-API-KEY": setting.key, "Content-Type": "application/json"}
    with setting.service() as service, httpx.Client(headers=headers, timeout=60) as client:

        def add(size: int, count: int) -> float:
            """Runs a second."""
            batches = [
                b"[" + b",".join(msgspec.json.encode(make_run(rng, profile, n)) for n in range(size)) + b"]"
                for _ in range(count)
            ]
            began = time.perf_counter()
            for batch in batches:
                answer = client.post(path, content=batch)
                assert answer.json() == {"added": size, "known": 0}, answer.text
            return size * count / (time.perf_counter() - began)

        report.record("ingestion over HTTP, 1 a request", add(1, 50), "runs/s")
        report.record("ingestion over HTTP, 100 a request", add(100, 50), "runs/s")
        spent = get_cpu_ms(service)
        report.record(
            "ingestion over HTTP, 10,000 a request", add(10_000, 8), "runs/s", 10_000, is_minimum=True
        )
        report.record("  by processor time", 80_000 / (get_cpu_ms(service) - spent) * 1000, "runs/s")
        with watch_listing(setting, "/healthz") as other_latencies:
            add(10_000, 4)
        report.record("  others' p99 meanwhile", p99(other_latencies), "ms", 50)


def measure(folder: Path, options: argparse.Namespace) -> AimReport:
    report = AimReport()
    setting = prepare(folder, options)
    cold = measure_cold_reads(setting, options.colds)
    warm_reads = measure_cold_reads(setting, options.colds, ready_seconds=1.0)
    body = cold.body
    listing = folder / "listing.json"
    listing.write_bytes(body)
    entries = sum(
        len(profile_timeline["entries"]) for profile_timeline in orjson.loads(body)["profiles"].values()
    )
    print(f"the listing: {entries:,} entries, {len(body) / 1e6:.1f} MB, {len(body) / entries:.0f} bytes each")
    port = free_port()
    program = [sys.executable, "-m", "benchmarks.timelines.listings_probe", "floor", str(listing), str(port)]
    with subprocess.Popen(program) as server:
        try:
            time.sleep(1)
            floor = Connection(f"http://127.0.0.1:{port}", "")
            base = median(options.rounds, floor, "/")
            for when, firsts in (("as it starts", cold), ("a second later", warm_reads)):
                report.record(
                    f"the first listing of a process, {when}", statistics.median(firsts.total_ms), "ms"
                )
                report.record("  times the floor", statistics.median(firsts.total_ms) / base, "×", 8)
                report.record("  first byte", statistics.median(firsts.first), "ms", 5)
                report.record("  processor time", statistics.median(firsts.processor), "ms")
            measure_without_tails(setting, floor, options, report)
            measure_listing(setting, floor, options, report)
            measure_forms(setting, options, report)
        finally:
            server.terminate()
    measure_ingestion(setting, next(iter(build_profiles(options.profiles))), report)
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--profiles", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--colds", type=int, default=5)
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL, a server of its own")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chainproof-timelines-") as folder:
        try:
            report = measure(Path(folder), options)
        finally:
            if options.postgres:
                databases.stop_server(Path(folder) / "postgres")
    sys.exit(1 if report.missed else 0)


if __name__ == "__main__":
    main()
