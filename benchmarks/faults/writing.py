"""Writers of all kinds at once, who note what was acknowledged and what was cut off."""

import json
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx

from backend.db import Database
from benchmarks.faults.lanes import Lane, Sent, found_keys, lanes
from benchmarks.faults.ledger import Count, Ledger
from tests.support import programs

PATIENCE = 40.0
"""Seconds that an answer may take; a store that hangs is told of well before."""


@dataclass
class Refusals:
    """Answers other than an acknowledgement, over all writers."""

    unavailable: int = 0
    """503 with a sentence and ``Retry-After``."""
    strange: list[str] = field(default_factory=list)
    slowest: float = 0.0
    """Seconds that the slowest of the 503 took."""


class Writers:
    """A thread for each kind that goes to any of the nodes, until :meth:`stop`."""

    def __init__(self, urls: Callable[[], Sequence[str]], key: str, folder: Path, seed: int) -> None:
        """``urls`` are asked for anew for each request, since nodes come and go."""
        self._urls = urls
        self._key = key
        self._seed = seed
        self._folder = folder
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self.refusals = Refusals()
        self.lanes = {lane.name: lane for lane in lanes()}
        self.ledgers = {name: Ledger(folder / f"acknowledged-{name}") for name in self.lanes}

    def start(self, keys: Callable[[], Path] | None = None, **environment: str) -> "Writers":
        """``keys`` gives the data folder for which a command makes keys, with ``environment``."""
        self._stop.clear()
        for lane in self.lanes.values():
            self._run(partial(self._write, lane))
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

    def acknowledged(self) -> int:
        return sum(len(ledger.acknowledged) for ledger in self.ledgers.values())

    def compared(self, database: Database) -> dict[str, Count]:
        """What the store holds of what was acknowledged, by kind."""
        with database.read() as connection:
            found = {name: lane.found(connection) for name, lane in self.lanes.items()}
            found["key"] = found_keys(connection)
        return {name: ledger.compared(found[name]) for name, ledger in self.ledgers.items()}

    def _write(self, lane: Lane) -> None:
        chance = random.Random(f"{self._seed} {lane.name}")
        ledger, number = self.ledgers[lane.name], len(self.ledgers[lane.name].acknowledged)
        headers = {"CP-X-API-KEY": self._key}
        with httpx.Client(headers=headers, timeout=PATIENCE, trust_env=False, verify=False) as client:
            while not self._stop.wait(lane.pause * chance.uniform(0.5, 1.5)):
                number += 1
                sent = lane.make(chance, f"Bitcoin-{lane.name}-{self._seed}-{time.monotonic_ns()}-{number}")
                if sent is not None:
                    self._settle(client, lane, sent, ledger, chance)

    def _settle(
        self, client: httpx.Client, lane: Lane, sent: Sent, ledger: Ledger, chance: random.Random
    ) -> None:
        """Send until it is acknowledged, or leave it as a client would who gives up."""
        while True:
            try:
                answer = self._sent(client, sent, chance)
            except httpx.ConnectError:  # nothing was sent
                if self._stop.wait(0.1):
                    return
                continue
            if answer is not None and answer.is_success:
                lane.told(answer)
                ledger.acknowledge(sent.name, lane.rows(answer, sent))
                return
            if self._stop.is_set() or not lane.repeatable or chance.random() < 0.5:
                ledger.leave(sent.name, sent.rows)
                return
            self._stop.wait(0.2)

    def _sent(self, client: httpx.Client, sent: Sent, chance: random.Random) -> httpx.Response | None:
        began = time.monotonic()
        try:
            url = chance.choice(self._urls())
            answer = client.post(f"{url}{sent.path}", json=sent.body, headers=dict(sent.headers))
        except httpx.ConnectError:
            raise
        except httpx.TransportError:
            return None
        if answer.status_code == 503 and is_told(answer):
            self.refusals.unavailable += 1
            self.refusals.slowest = max(self.refusals.slowest, time.monotonic() - began)
        elif not answer.is_success:
            self.refusals.strange.append(f"{sent.path}: {answer.status_code} {answer.text[:200]}")
        return answer

    def _make_keys(self, home: Callable[[], Path], environment: dict[str, str]) -> None:
        ledger, number = self.ledgers["key"], 0
        while not self._stop.wait(0.5):
            number += 1
            name = f"key {self._seed}-{time.monotonic_ns()}-{number}"
            command = ("keys", "create", "--name", name, "--scope", "read", "--json")
            done = programs.run(home(), *command, settings=environment)
            if done.returncode == 0 and json.loads(done.stdout)["key"]:
                ledger.acknowledge(name, 1)
            else:
                ledger.leave(name, 1)
                if "Traceback" in done.stderr:
                    self.refusals.strange.append(f"keys create: {done.stderr[-300:]}")


def is_told(answer: httpx.Response) -> bool:
    """Whether a refusal says in a sentence what is wrong, and when to ask again."""
    told = answer.json()
    sentence = told.get("detail") or told.get("message") or ""
    return sentence.endswith(".") and int(answer.headers.get("retry-after", "0")) > 0
