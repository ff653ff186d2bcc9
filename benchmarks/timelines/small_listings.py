"""Measures small listings of timelines, compared with a bare Starlette application that sends the same bytes.

    python -m benchmarks.timelines.small_listings [--profiles 100] [--seconds 3] [--rounds 3]
        [--connections 32]

For each number of runs per profile it prints both rates and 99th percentiles with their ratios, and the size
of the listing plain and compressed. Needs `wrk`. Aims: rate at least 0.9, p99 at most 2, and no compressed
response larger than the plain one.
"""

import argparse
import random
import sys
import tempfile
from argparse import Namespace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import orjson

from backend import migrations
from backend.auth.service import create_key
from backend.store.database import Database
from backend.timelines import store
from backend.timelines.validation.run_preparation import prepare_runs
from benchmarks.http.hot_gets import build_bare_command, compare, write_bare_application
from benchmarks.servers import free_port, process, service_environment
from benchmarks.timelines.listings import build_profiles, make_run

RUNS_PER_PROFILE = (0, 1, 3, 10)
PATHS = ("/v1/timelines", "/v1/timelines?limit=1", "/v1/timelines/agent-0%20%2F%20model%20003")


def fill(home: Path, profile_count: int, runs: int) -> tuple[str, Path]:
    """Fill a store; returns a key and the file of the profiles."""
    home.mkdir()
    url = f"sqlite:///{home / 'chainproof.db'}"
    migrations.upgrade(url)
    database, rng, profiles = Database(url), random.Random(7), build_profiles(profile_count)
    for name in profiles if runs else ():
        right = prepare_runs(
            [make_run(rng, name, number) for number in range(runs)], profile=name, shape_is_valid=True
        )
        store.add(database, "own", right.runs, profiles)
    file = home / "profiles.json"
    file.write_bytes(orjson.dumps({name: store.fields(profile) for name, profile in profiles.items()}))
    key = create_key(database, name="benchmark", scopes=("read",), now=datetime.now(UTC)).key
    database.dispose()
    return key, file


def compare_sizes(base: str, key: str, path: str) -> bool:
    """Print the sizes of the body plain and compressed; returns whether compression makes none larger."""
    sizes = []
    for encoding in ("identity", "gzip"):
        headers = {"CP-X-API-KEY": key, "Accept-Encoding": encoding}
        with httpx.stream("GET", base + path, headers=headers) as response:
            sizes.append(sum(map(len, response.iter_raw())))
    print(f"{path:<30} {sizes[0]:,} B plain, {sizes[1]:,} B compressed", flush=True)
    return sizes[1] <= sizes[0]


def measure(folder: Path, runs: int, options: Namespace) -> bool:
    key, profiles = fill(folder / "home", options.profiles, runs)
    port, bare_port = free_port(), free_port()
    own_url, bare_url = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{bare_port}"
    environment = service_environment(folder / "home", port, CHAINPROOF_PROFILES=str(profiles))
    with process(["-m", "backend.cli", "serve", "--no-worker"], environment, f"{own_url}/readyz"):
        write_bare_application(folder, own_url, key, PATHS)
        with process(build_bare_command(folder, bare_port), {}, bare_url + PATHS[0]):
            reached = [compare(own_url, bare_url, path, key, options) for path in PATHS]
            reached += [compare_sizes(own_url, key, path) for path in PATHS]
            return all(reached)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--profiles", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=32)
    options = parser.parse_args()
    reached = []
    for runs in RUNS_PER_PROFILE:
        print(f"{options.profiles} profiles with {runs} runs each", flush=True)
        with tempfile.TemporaryDirectory(prefix="chainproof-small-timelines-") as folder:
            reached.append(measure(Path(folder), runs, options))
    print("all aims reached" if all(reached) else "NOT all aims reached")
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
