"""Kill the service at random moments while it takes in scored runs, and look what became of them.

``python -m benchmarks.run_kills [--kills 20] [--seed 1] [--size 2000]``

A client adds arrays of runs without a pause, and notes those that were acknowledged. An array that was
cut off by a kill is sent again in half of the cases, as a client would, and else forgotten. At the end each
run of an acknowledged array must be there exactly once, a forgotten array all or not at all, the counts must
be right, and SQLite must find its file whole. Ends with exit code 1 otherwise.
"""

import argparse
import contextlib
import random
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import msgspec
import orjson

from backend.timelines.store import fields
from benchmarks.timelines import make_run, profiles_of
from tests.support import programs
from tests.support.running import free_port

PROFILES = profiles_of(3)


@dataclass
class Client:
    """Adds arrays until it is told to stop."""

    url: str
    key: str
    chance: random.Random
    size: int
    acknowledged: list[list[str]] = field(default_factory=list)
    forgotten: list[list[str]] = field(default_factory=list)
    resent: int = 0
    stop: threading.Event = field(default_factory=threading.Event)
    _numbers: int = 0

    def run(self) -> None:
        with httpx.Client(headers={"CP-X-API-KEY": self.key}, timeout=30, trust_env=False) as client:
            while not self.stop.is_set():
                name = self.chance.choice(list(PROFILES))
                runs = [make_run(self.chance, name, self._numbers + n) for n in range(self.size)]
                self._numbers += self.size
                body = b"[" + b",".join(msgspec.json.encode(run) for run in runs) + b"]"
                ids = [run.run_id for run in runs]
                while not self._sent(client, name, body):
                    if self.chance.random() < 0.5 or self.stop.is_set():
                        self.forgotten.append(ids)
                        break
                    self.resent += 1
                else:
                    self.acknowledged.append(ids)

    def _sent(self, client: httpx.Client, name: str, body: bytes) -> bool:
        path = name.replace(" ", "%20").replace("/", "%2F")
        headers = {"Content-Type": "application/json"}
        while True:
            try:
                answer = client.post(f"{self.url}/v1/timelines/{path}/entries", content=body, headers=headers)
                break
            except httpx.ConnectError:  # it is not up again
                if self.stop.is_set():
                    return False
                time.sleep(0.1)
            except httpx.TransportError:
                return False
        if answer.status_code != 201:
            raise SystemExit(f"{answer.status_code}: {answer.text}")
        told = answer.json()
        return bool(told["added"] + told["known"] == self.size)


def faults(client: Client, home: Path) -> list[str]:
    """What is wrong with the store."""
    with contextlib.closing(sqlite3.connect(home / "chainproof.db")) as store:
        stored = Counter(row[0] for row in store.execute("SELECT run_id FROM timeline_runs"))
        counted = dict(store.execute("SELECT profile, runs FROM timeline_versions"))
        joined = "timeline_runs JOIN timeline_series ON id = series_id"
        by_profile = dict(store.execute(f"SELECT profile, count(*) FROM {joined} GROUP BY profile"))
    found = programs.faults_of(home)
    lost = sum(stored[each] != 1 for ids in client.acknowledged for each in ids)
    halved = sum(0 < sum(stored[each] for each in ids) < len(ids) for ids in client.forgotten)
    doubled = sum(times > 1 for times in stored.values())
    known = {each for ids in (*client.acknowledged, *client.forgotten) for each in ids}
    strange = sum(each not in known for each in stored)
    for what, count in (("lost", lost), ("halved", halved), ("doubled", doubled), ("strange", strange)):
        if count:
            found.append(f"{count} {what}")
    if counted != by_profile:
        found.append(f"counted {counted}, but there are {by_profile}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=2000, help="runs of an array")
    options = parser.parse_args()
    moment = random.Random(options.seed)
    with (
        tempfile.TemporaryDirectory(prefix="chainproof-run-kills-") as folder,
        programs.home_in(Path(folder)) as home,
    ):
        file = Path(folder) / "profiles.json"
        file.write_bytes(orjson.dumps({name: fields(profile) for name, profile in PROFILES.items()}))
        settings = {"CHAINPROOF_PORT": str(free_port()), "CHAINPROOF_PROFILES": str(file)}
        service = programs.start(home, "serve", "--no-worker", **settings).until_ready(figures=False)
        client = Client(service.url, service.key, random.Random(options.seed), options.size)
        working = threading.Thread(target=client.run)
        working.start()
        for number in range(1, options.kills + 1):
            time.sleep(moment.uniform(0.2, 1.5))
            service.kill()
            service = programs.start(home, "serve", "--no-worker", **settings).until_ready(figures=False)
            print(f"{number:4} acknowledged {len(client.acknowledged)}, resent {client.resent}", flush=True)
        client.stop.set()
        working.join()
        service.stop()
        found = faults(client, home)
    runs = sum(map(len, client.acknowledged))
    print(f"{options.kills} kills: {runs:,} runs acknowledged, {len(client.forgotten)} arrays forgotten")
    print("; ".join(found) or "each acknowledged run is there exactly once, and no array in part")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
