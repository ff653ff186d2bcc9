"""Sends HTTP/1.1 requests from separate processes, at a mean rate or as fast as they are answered.

The open loop sends requests at random times with a given mean rate (a Poisson process), whether or not
earlier ones were answered. It opens connections as needed, up to a limit. In the closed loop each connection
sends its next request as soon as the last one is answered. No client library is used, because the measured
service runs on the same machine.
"""

import asyncio
import contextlib
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context

TIMEOUT_SECONDS = 70.0
"""Seconds until a request without an answer counts as lost; the service's own limit is 60."""
MAX_CONNECTIONS = 800
IDLE_SECONDS = 10.0
"""An idle connection is replaced after this time, before the server closes it."""
MAX_KEPT_REPLY_BYTES = 400
"""Bytes that are kept of the answer to an accepted submission, to look it up afterwards."""


@dataclass(frozen=True)
class RequestKind:
    """A kind of request: its ``share`` of all requests, its variants, and whether to keep answers."""

    name: str
    share: float
    requests: tuple[bytes, ...]
    keep_bodies: bool = False


@dataclass(frozen=True)
class Plan:
    """The requests of one process: ``rate`` per second on average, or with None a closed loop over
    ``connections``."""

    ports: tuple[int, ...]
    kinds: tuple[RequestKind, ...]
    seconds: float
    seed: int
    rate: float | None = None
    connections: int = 16


@dataclass
class LoadResult:
    """Counts and latencies in milliseconds, by kind of request. Status 0 means that no answer came."""

    sent: int = 0
    skipped: int = 0
    """Requests that were not sent, because all connections were busy."""
    statuses: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    latencies_ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Latencies of answers that are not refusals."""
    refusal_latencies_ms: list[float] = field(default_factory=list)
    """Latencies of refusals (status 429 or 503)."""
    refusals_without_retry_after: int = 0
    """Refusals without a Retry-After header."""
    bodies: list[bytes] = field(default_factory=list)

    def add(self, other: "LoadResult") -> None:
        self.sent += other.sent
        self.skipped += other.skipped
        self.refusals_without_retry_after += other.refusals_without_retry_after
        self.refusal_latencies_ms += other.refusal_latencies_ms
        self.bodies += other.bodies
        for name, counted in other.statuses.items():
            self.statuses[name].update(counted)
        for name, latencies_ms in other.latencies_ms.items():
            self.latencies_ms[name] += latencies_ms

    @property
    def by_status(self) -> Counter[int]:
        return sum(self.statuses.values(), Counter())

    def count_accepted(self) -> int:
        """Count the answers that are not refusals."""
        return sum(len(latencies_ms) for latencies_ms in self.latencies_ms.values())


def run(plans: Sequence[Plan]) -> LoadResult:
    """Run all plans at once, each in its own process."""
    total = LoadResult()
    with ProcessPoolExecutor(len(plans), mp_context=get_context("spawn")) as pool:
        for result in pool.map(_run, plans):
            total.add(result)
    return total


def _run(plan: Plan) -> LoadResult:
    return asyncio.run(_Client(plan).run())


class _Client:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._rng = random.Random(plan.seed)
        self._result = LoadResult()
        self._idle: list[_Connection] = []
        self._open = 0

    async def run(self) -> LoadResult:
        plan, loop = self._plan, asyncio.get_running_loop()
        end = loop.time() + plan.seconds
        async with asyncio.TaskGroup() as group:
            if plan.rate is None:
                for _ in range(plan.connections):
                    group.create_task(self._send_continuously(end))
            else:
                due = loop.time()
                while due < end:
                    await asyncio.sleep(max(0.0, due - loop.time()))
                    connection = self._take_connection()
                    if connection is None:
                        self._result.skipped += 1
                    else:
                        group.create_task(self._send(connection))
                    due += self._rng.expovariate(plan.rate)
        for connection in self._idle:
            connection.close()
        return self._result

    async def _send_continuously(self, end: float) -> None:
        while asyncio.get_running_loop().time() < end:
            connection = self._take_connection()
            if connection is not None:
                await self._send(connection)

    def _take_connection(self) -> "_Connection | None":
        while self._idle:
            connection = self._idle.pop()
            if time.perf_counter() - connection.used_at < IDLE_SECONDS:
                return connection
            connection.close()
            self._open -= 1
        if self._open >= MAX_CONNECTIONS:
            return None
        self._open += 1
        return _Connection(self._rng.choice(self._plan.ports))

    async def _send(self, connection: "_Connection") -> None:
        kinds = self._plan.kinds
        (kind,) = self._rng.choices(kinds, [request_kind.share for request_kind in kinds])
        request = self._rng.choice(kind.requests)
        self._result.sent += 1
        started = time.perf_counter()
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                answer = await connection.ask(request)
        except (OSError, asyncio.IncompleteReadError, ValueError, TimeoutError):
            connection.close()
            self._open -= 1
            self._result.statuses[kind.name][0] += 1
            return
        self._record(kind, answer, (time.perf_counter() - started) * 1000)
        if answer.closes:
            connection.close()
            self._open -= 1
        else:
            self._idle.append(connection)

    def _record(self, kind: RequestKind, answer: "_Answer", latency_ms: float) -> None:
        result = self._result
        result.statuses[kind.name][answer.status] += 1
        if answer.status in (429, 503):
            result.refusal_latencies_ms.append(latency_ms)
            result.refusals_without_retry_after += not answer.has_retry_after
        else:
            result.latencies_ms[kind.name].append(latency_ms)
            if kind.keep_bodies and answer.status < 300:
                result.bodies.append(answer.body[:MAX_KEPT_REPLY_BYTES])


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes
    closes: bool
    has_retry_after: bool


class _Connection:
    """A persistent connection, opened on first use."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.used_at = time.perf_counter()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> _Answer:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 20)
        reader, writer = self._streams
        self.used_at = time.perf_counter()
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        status = int(head[9:12])
        length = head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0]
        if length:
            body = await reader.readexactly(int(length))
        else:
            body = await _chunks(reader) if b"\r\ntransfer-encoding: chunked" in head else b""
        return _Answer(status, body, b"\r\nconnection: close" in head, b"\r\nretry-after:" in head)

    def close(self) -> None:
        if self._streams is not None:
            with contextlib.suppress(OSError):
                self._streams[1].close()


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    while size := int(await reader.readline(), 16):
        parts.append((await reader.readexactly(size + 2))[:-2])
    await reader.readline()
    return b"".join(parts)


def percentile(milliseconds: Sequence[float], percent: int) -> float:
    """Return a percentile; NaN without values."""
    if len(milliseconds) < 2:
        return milliseconds[0] if milliseconds else float("nan")
    return statistics.quantiles(milliseconds, n=100)[percent - 1]
