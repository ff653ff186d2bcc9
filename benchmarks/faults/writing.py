"""Runs writers of all kinds at once, which record acknowledged and interrupted writes."""

import json
import random
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import httpx

from backend.formats.timestamps import Clock, utc_now
from backend.store.database import Database
from benchmarks.faults.lanes import Lane, Sent, found_keys, lanes
from benchmarks.faults.ledger import Count, Ledger
from benchmarks.faults.oauth_lane import TokenLane
from benchmarks.faults.refusals import Refusals
from benchmarks.faults.site import Site
from tests.support.processes import programs

RESPONSE_TIMEOUT_SECONDS = 40.0
"""The service reports a hanging store well before."""


class Writers:
    """Writes each kind in its own thread to random nodes, until :meth:`stop`."""

    def __init__(self, site: Site, folder: Path, seed: int, clock: Clock = utc_now) -> None:
        """Record acknowledged writes in ``folder``; ``clock`` is that of the services."""
        assert site.registered is not None
        self._urls = site.urls
        self._key = site.key
        self._seed = seed
        self._folder = folder
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self.refusals = Refusals()
        self.lanes = {lane.name: lane for lane in lanes()}
        self.ledgers = {name: Ledger(folder / f"acknowledged-{name}") for name in self.lanes}
        acknowledged_file = folder / "acknowledged-oauth"
        self.tokens = TokenLane(site.urls, site.registered, acknowledged_file, seed, self.refusals, clock)

    def start(self, keys: Callable[[], Path] | None = None, **environment: str) -> "Writers":
        """Start all threads. ``keys`` returns the data folder for which a command creates API keys."""
        self._stop.clear()
        for lane in self.lanes.values():
            self._run(partial(self._write, lane))
        self._run(lambda: self.tokens.run(self._stop))
        if keys is not None:
            self.ledgers.setdefault("key", Ledger(self._folder / "acknowledged-key"))
            self._run(lambda: self._make_keys(keys, environment))
        return self

    def _run(self, target: Callable[[], None]) -> None:
        thread = threading.Thread(target=target)
        thread.start()
        self._threads.append(thread)

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def compare(self, database: Database) -> dict[str, Count]:
        """Compare stored with acknowledged writes, by kind."""
        with database.read() as connection:
            found = {name: lane.found(connection) for name, lane in self.lanes.items()}
            found["key"] = found_keys(connection)
            tokens = self.tokens.compared(connection)
        return {**{name: ledger.compare(found[name]) for name, ledger in self.ledgers.items()}, **tokens}

    def _write(self, lane: Lane) -> None:
        rng = random.Random(f"{self._seed} {lane.name}")
        ledger, number = self.ledgers[lane.name], len(self.ledgers[lane.name].acknowledged)
        headers = {"CP-X-API-KEY": self._key}
        with httpx.Client(
            headers=headers, timeout=RESPONSE_TIMEOUT_SECONDS, trust_env=False, verify=False
        ) as client:
            while not self._stop.wait(lane.pause * rng.uniform(0.5, 1.5)):
                number += 1
                request = lane.make(rng, f"Bitcoin-{lane.name}-{self._seed}-{time.monotonic_ns()}-{number}")
                if request is not None:
                    self._send_until_acknowledged(client, lane, request, ledger, rng)

    def _send_until_acknowledged(
        self, client: httpx.Client, lane: Lane, request: Sent, ledger: Ledger, rng: random.Random
    ) -> None:
        """Send until acknowledged, or give up as a client would."""
        while True:
            try:
                answer = self._send(client, request, rng)
            except httpx.ConnectError:  # nothing was sent
                if self._stop.wait(0.1):
                    return
                continue
            if answer is not None and answer.is_success:
                lane.on_answer(answer)
                ledger.acknowledge(request.name, lane.rows(answer, request))
                return
            if self._stop.is_set() or not lane.repeatable or rng.random() < 0.5:
                ledger.record_unknown(request.name, request.rows)
                return
            self._stop.wait(0.2)

    def _send(self, client: httpx.Client, request: Sent, rng: random.Random) -> httpx.Response | None:
        began = time.monotonic()
        try:
            url = rng.choice(self._urls())
            answer = client.post(f"{url}{request.path}", json=request.body, headers=dict(request.headers))
        except httpx.ConnectError:
            raise
        except httpx.TransportError:
            return None
        if not answer.is_success:
            self.refusals.record(answer, time.monotonic() - began)
        return answer

    def _make_keys(self, home: Callable[[], Path], environment: dict[str, str]) -> None:
        ledger, number = self.ledgers["key"], 0
        while not self._stop.wait(0.5):
            number += 1
            name = f"key {self._seed}-{time.monotonic_ns()}-{number}"
            command = ("keys", "create", "--name", name, "--scope", "read", "--json")
            process = programs.run(home(), *command, settings=environment)
            if process.returncode == 0 and json.loads(process.stdout)["key"]:
                ledger.acknowledge(name, 1)
            else:
                ledger.record_unknown(name, 1)
                if "Traceback" in process.stderr:
                    self.refusals.unexpected.append(f"keys create: {process.stderr[-300:]}")
