"""Simulates many simultaneous dashboard sessions with the WebSocket protocol of Streamlit's client.

Each session opens the page, runs it completely every few seconds (a reader who clicks), and runs its
fragments as often as the server asks (a page that refreshes itself). The latency of a run is the time from
sending the request to the server's message that the script has finished.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

RUN_LIMIT = 60.0
"""Seconds until a run without an end counts as lost."""
KEPT_RUNS = 2
"""Whole runs for which a client keeps a cached message (Streamlit's ``global.maxCachedMessageAge``)."""


@dataclass
class Tally:
    """What all sessions of one level saw. Latencies in seconds."""

    opened: list[float] = field(default_factory=list)
    full_run_latencies: list[float] = field(default_factory=list)
    fragments: list[float] = field(default_factory=list)
    received: int = 0
    messages: int = 0
    lost: int = 0
    exceptions: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Level:
    """One number of sessions: what they saw, and what the server's process took meanwhile."""

    sessions: int
    seconds: float
    tally: Tally
    cpu_percent: float
    megabytes: float
    megabytes_before: float

    @property
    def megabytes_each(self) -> float:
        return (self.megabytes - self.megabytes_before) / self.sessions


def quantile(latencies: Sequence[float], share: float) -> float:
    """In milliseconds; the latency that ``share`` of all do not exceed. Not a number without any."""
    if not latencies:
        return float("nan")
    ordered = sorted(latencies)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


class Session:
    """One reader. ``page`` is a page's path without the slash, empty for the first page."""

    def __init__(self, base: str, page: str, interval: float, tally: Tally) -> None:
        self._base, self._page, self._every, self._tally = base, page, interval, tally
        self._page_hash = ""
        self._cached: dict[str, int] = {}
        self._runs = 0
        self._one_at_a_time = asyncio.Lock()
        self._finished = asyncio.Event()
        self._refreshing: dict[str, asyncio.Task[None]] = {}
        self._socket: ClientConnection

    async def live(self, until: float) -> None:
        """Until the loop's clock shows ``until``; a fault of the connection or the protocol is raised."""
        address = f"ws://{urlsplit(self._base).netloc}/_stcore/stream"
        protocols, origin = [Subprotocol("streamlit")], Origin(self._base)
        async with connect(address, subprotocols=protocols, origin=origin, max_size=None) as self._socket:
            reading = asyncio.create_task(self._read())
            try:
                await self._alongside(reading, self._use(until))
            finally:
                tasks = [reading, *self._refreshing.values()]
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _alongside(self, reading: "asyncio.Task[None]", use: Coroutine[Any, Any, None]) -> None:
        using = asyncio.create_task(use)
        done, _ = await asyncio.wait({reading, using}, return_when=asyncio.FIRST_COMPLETED)
        if using not in done:
            using.cancel()
            raise ConnectionError("the server closed a session")
        for task in done:
            task.result()

    async def _use(self, until: float) -> None:
        clock = asyncio.get_running_loop().time
        await self._run(self._tally.opened)
        while (left := until - clock()) > 0:
            await asyncio.sleep(min(left, self._every * random.uniform(0.7, 1.3)))
            if clock() < until:
                await self._run(self._tally.full_run_latencies)

    async def _refresh(self, fragment: str, interval: float) -> None:
        while True:
            await asyncio.sleep(interval)
            await self._run(self._tally.fragments, fragment)

    async def _run(self, latencies: list[float], fragment: str = "") -> None:
        """One run; another one of this session waits, as a browser's would in the server's queue."""
        async with self._one_at_a_time:
            if not fragment:
                self._runs += 1
            self._finished.clear()
            started = time.perf_counter()
            await self._socket.send(self._request(fragment))
            try:
                await asyncio.wait_for(self._finished.wait(), RUN_LIMIT)
            except TimeoutError:
                self._tally.lost += 1
            else:
                latencies.append(time.perf_counter() - started)

    def _request(self, fragment: str) -> bytes:
        message = BackMsg()
        rerun = message.rerun_script
        rerun.page_script_hash = self._page_hash
        rerun.page_name = "" if self._page_hash else self._page
        rerun.fragment_id = fragment
        rerun.is_auto_rerun = bool(fragment)
        rerun.context_info.timezone = "UTC"
        rerun.context_info.locale = "en-US"
        rerun.context_info.url = f"{self._base}/{self._page}"
        rerun.context_info.color_scheme = "light"
        fresh = {key: run for key, run in self._cached.items() if self._runs - run <= KEPT_RUNS}
        self._cached = fresh
        rerun.cached_message_hashes.extend(fresh)
        encoded: bytes = message.SerializeToString()
        return encoded

    async def _read(self) -> None:
        async for raw in self._socket:
            self._tally.received += len(raw)
            self._tally.messages += 1
            message = ForwardMsg()
            message.ParseFromString(raw if isinstance(raw, bytes) else raw.encode())
            self._take(message)

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            self._cached[message.ref_hash] = self._runs
        elif message.metadata.cacheable:
            self._cached[message.hash] = self._runs
        if kind == "script_finished":
            self._finished.set()
        elif kind == "new_session":
            self._page_hash = message.new_session.page_script_hash or self._page_hash
        elif kind == "navigation":
            self._page_hash = message.navigation.page_script_hash or self._page_hash
        elif kind == "auto_rerun":
            fragment, interval = message.auto_rerun.fragment_id, message.auto_rerun.interval
            if fragment not in self._refreshing:
                self._refreshing[fragment] = asyncio.create_task(self._refresh(fragment, interval))
        elif kind == "page_not_found":
            self._tally.exceptions.append(f"there is no page {self._page!r}")
        elif kind == "delta" and message.delta.new_element.WhichOneof("type") == "exception":
            fault = message.delta.new_element.exception
            self._tally.exceptions.append(f"{fault.type}: {fault.message}"[:200])


async def _level(base: str, page: str, count: int, seconds: float, interval: float, server: int) -> Level:
    process = psutil.Process(server)
    before = process.memory_info().rss / 1e6
    tally = Tally()
    clock = asyncio.get_running_loop().time
    ramp = min(5.0, seconds / 4)
    until = clock() + ramp + seconds
    tasks = []
    for _ in range(count):
        tasks.append(asyncio.create_task(Session(base, page, interval, tally).live(until)))
        await asyncio.sleep(ramp / count)
    process.cpu_percent(None)
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait(tasks, timeout=max(0.0, until - clock() - 0.5))
    cpu, after = process.cpu_percent(None), process.memory_info().rss / 1e6
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, BaseException):
            tally.exceptions.append(f"{type(outcome).__name__}: {outcome}"[:200])
    return Level(count, seconds, tally, cpu, after, before)


def run_level(base: str, page: str, count: int, seconds: float, interval: float, server: int) -> Level:
    """``count`` sessions for ``seconds`` after they have all come; ``server`` is the process's id."""
    return asyncio.run(_level(base, page, count, seconds, interval, server))
