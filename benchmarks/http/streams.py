"""Measures what open event streams cost: memory, and the time of hot responses meanwhile.

    python -m benchmarks.http.streams [--streams 1000] [--seconds 10] [--rounds 3] [--idle 50]

A service refreshes its prices every 5 seconds. Another process opens the streams of ``/prices`` and reads
them. Prints the memory that they add, the time of a hot response without and with them in turns, the time in
which all readers get a change, what happens to clients that never read, and how streams end at a stop. Aims:
less than 100 MB, hot responses at most a tenth slower at the median, every stream ended whole.
"""

import argparse
import asyncio
import multiprocessing
import re
import signal
import socket
import statistics
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from benchmarks.servers import free_port, process, service_environment, wait_for_prices
from tests.support.processes.running import wait_for

HOT_PATH = "/crypto/market-overview"
END_OF_BODY = b"0\r\n\r\n"
OPENED_TOGETHER = 10
"""Few enough for the service to refuse none."""


class StreamReader(asyncio.Protocol):
    """Reads one stream and records when its events arrive."""

    def __init__(self, request: bytes, arrivals: list[float], ends: list[bool]) -> None:
        self._request, self._arrivals, self._ends = request, arrivals, ends
        self._tail = b""
        self.has_begun = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if b"\nid: " in data:
            self.has_begun = True
            self._arrivals.append(time.monotonic())
        self._tail = (self._tail + data)[-len(END_OF_BODY) :]

    def connection_lost(self, exc: Exception | None) -> None:
        self._ends.append(self._tail == END_OF_BODY)


def build_request(path: str, host: str, key: str, accept: str) -> bytes:
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", f"CP-X-API-KEY: {key}", f"Accept: {accept}", "", ""]
    return "\r\n".join(lines).encode()


def read_streams(url: str, key: str, count: int, pipe: Connection) -> None:
    """Open the streams, report it, and at any message report the arrivals; run in a process of its own."""

    async def read() -> None:
        loop, parts = asyncio.get_running_loop(), urlsplit(url)
        host, port = parts.hostname or "", parts.port or 0
        arrivals: list[float] = []
        ends: list[bool] = []
        request = build_request("/prices", parts.netloc, key, "text/event-stream")
        opened = []
        for start in range(0, count, OPENED_TOGETHER):
            together = [
                await loop.create_connection(lambda: StreamReader(request, arrivals, ends), host, port)
                for _ in range(min(OPENED_TOGETHER, count - start))
            ]
            while not all(reader.has_begun for _, reader in together):
                await asyncio.sleep(0.01)
            opened += together
        pipe.send(len(arrivals))
        while True:
            if await asyncio.to_thread(pipe.recv) == "close":
                break
            pipe.send((arrivals, ends))
        for transport, _ in opened:
            transport.abort()

    asyncio.run(read())


class Readers:
    """The process that reads streams."""

    def __init__(self, url: str, key: str, count: int) -> None:
        self._pipe, other = multiprocessing.Pipe()
        self._process = multiprocessing.Process(
            target=read_streams, args=(url, key, count, other), daemon=True
        )
        self._process.start()
        self._pipe.recv()

    def report(self) -> tuple[list[float], list[bool]]:
        self._pipe.send("report")
        arrivals, ends = self._pipe.recv()
        return arrivals, ends

    def close(self) -> None:
        self._pipe.send("close")
        self._process.join()


def measure_hot(url: str, key: str, seconds: float) -> list[float]:
    """Times in milliseconds of hot responses, sent one after another on one connection."""
    parts = urlsplit(url)
    request = build_request(HOT_PATH, parts.netloc, key, "*/*")
    times = []
    with socket.create_connection((parts.hostname or "", parts.port or 0)) as connection:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            started = time.perf_counter()
            connection.sendall(request)
            read_response(connection)
            times.append((time.perf_counter() - started) * 1000)
            time.sleep(0.001)
    return times


def read_response(connection: socket.socket) -> None:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    (length,) = map(int, re.findall(rb"content-length: (\d+)", head))
    while len(body) < length:
        body += connection.recv(65536)


def find_service(port: int, parent: psutil.Process) -> psutil.Process:
    """Return the process that listens on ``port``."""
    for candidate in (parent, *parent.children(recursive=True)):
        if any(item.laddr.port == port for item in candidate.net_connections() if item.status == "LISTEN"):
            return candidate
    raise SystemExit("No process listens on the port.")


def used_mib(service: psutil.Process) -> float:
    return float(service.memory_full_info().uss) / 2**20


def spread_ms(arrivals: list[float], count: int) -> float:
    """The time between the first and the last reader of one change, of the median change."""
    arrivals = sorted(arrivals)[count:]  # without the first event of each stream
    changes: list[list[float]] = []
    for at in arrivals:
        if not changes or at - changes[-1][-1] > 1.0:
            changes.append([])
        changes[-1].append(at)
    whole = [(change[-1] - change[0]) * 1000 for change in changes if len(change) >= count * 0.9]
    return statistics.median(whole) if whole else float("nan")


def measure_idle_clients(url: str, key: str, count: int, service: psutil.Process) -> None:
    """Open streams that nobody reads, with small buffers, until the service drops them."""
    parts = urlsplit(url)
    before, clients = used_mib(service), []
    started = time.monotonic()
    for _ in range(count):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect((parts.hostname, parts.port))
        client.sendall(build_request("/prices", parts.netloc, key, "text/event-stream"))
        clients.append(client)
    peak = before

    def are_dropped() -> bool:
        nonlocal peak
        peak = max(peak, used_mib(service))
        return not any(
            item.status == "ESTABLISHED" and item.laddr.port == parts.port
            for item in service.net_connections()
        )

    wait_for(are_dropped, "The clients that never read are dropped", 600)
    print(
        f"{count} clients that never read: dropped after {time.monotonic() - started:.0f} s, "
        f"at most {peak - before:.1f} MiB meanwhile"
    )
    for client in clients:
        client.close()


def measure(folder: Path, options: argparse.Namespace) -> int:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = service_environment(
        folder / "home",
        port,
        CHAINPROOF_TICK_SECONDS="5",
        CHAINPROOF_CONNECTIONS_AT_ONCE=str(2 * options.streams + 200),
    )
    with process(["-m", "backend.cli", "serve"], environment, f"{url}/readyz") as child:
        key = (folder / "home" / "local.key").read_text().strip()
        wait_for_prices(url, key)
        service = find_service(port, psutil.Process(child.pid))
        measure_hot(url, key, options.seconds)
        without: list[float] = []
        with_streams: list[float] = []
        added = []
        for _ in range(options.rounds):
            before = used_mib(service)
            without.append(statistics.median(measure_hot(url, key, options.seconds)))
            readers = Readers(url, key, options.streams)
            with_streams.append(statistics.median(measure_hot(url, key, options.seconds)))
            added.append(used_mib(service) - before)
            arrivals, ends = readers.report()
            readers.close()
            print(
                f"{options.streams} streams: {added[-1]:.1f} MiB more, hot response {without[-1]:.2f} ms "
                f"without, {with_streams[-1]:.2f} ms with them, all readers have a change within "
                f"{spread_ms(arrivals, options.streams):.0f} ms, {len(ends)} lost",
                flush=True,
            )
        if options.idle:
            measure_idle_clients(url, key, options.idle, service)
        readers = Readers(url, key, options.streams)
        started = time.monotonic()
        service.send_signal(signal.SIGTERM)
        ended: list[bool] = []
        while len(ended) < options.streams and time.monotonic() - started < 20:
            time.sleep(0.1)
            ended = readers.report()[1]
        seconds = time.monotonic() - started
        readers.close()
        print(f"at a stop: {sum(ended)} of {options.streams} streams ended whole within {seconds:.1f} s")
    ratio = statistics.median(with_streams) / statistics.median(without)
    print(f"memory {max(added):.1f} MiB (aim 100), hot responses ×{ratio:.2f} (aim 1.1)")
    return 0 if max(added) < 100 and ratio <= 1.1 and sum(ended) == options.streams else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--idle", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return measure(Path(folder), options)


if __name__ == "__main__":
    sys.exit(main())
