"""Sends raw HTTP over loopback for :mod:`.listings`, and runs two programs beside the service.

``python -m benchmarks.timelines.listings_probe floor FILE PORT`` reads a file in chunks and writes them to
each client, which is the lower bound for sending those bytes.

``python -m benchmarks.timelines.listings_probe watch URL KEY`` requests one URL repeatedly until standard
input ends, then prints the milliseconds of each response as a JSON array.
"""

import json
import socket
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

PIECE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Fetched:
    """Times in milliseconds since the request was sent."""

    status: int
    first_byte: float
    total_ms: float
    size: int
    body: bytes


class Connection:
    """One connection that is kept open."""

    def __init__(self, base: str, key: str) -> None:
        parts = urlsplit(base)
        self._host = parts.netloc
        self._key = key
        self._socket = socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 80))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = memoryview(bytearray(PIECE))

    def close(self) -> None:
        self._socket.close()

    def get(self, path: str, headers: Mapping[str, str] | None = None, *, keep: bool = False) -> Fetched:
        """``keep``: give the body too, chunks joined."""
        lines = [f"GET {path} HTTP/1.1", f"Host: {self._host}", f"CP-X-API-KEY: {self._key}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        began = time.perf_counter()
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        head, rest = self._head()
        result = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(b":") for line in head.split(b"\r\n")[1:])
        }
        status = int(head.split(b" ", 2)[1])
        first = time.perf_counter()
        chunked = result.get(b"transfer-encoding") == b"chunked"
        length = 0 if status == 304 else None if chunked else int(result[b"content-length"])
        if not rest and length != 0:
            rest = self._socket.recv(PIECE)
            first = time.perf_counter()
        chunks = [rest]
        size, end = len(rest), rest[-5:]
        while (length is None and end != b"0\r\n\r\n") or (length is not None and size < length):
            count = self._socket.recv_into(self._buffer)
            if not count:
                raise SystemExit("The connection ended before the answer did.")
            size += count
            end = (end + bytes(self._buffer[max(0, count - 5) : count]))[-5:]
            if keep:
                chunks.append(bytes(self._buffer[:count]))
        ended = time.perf_counter()
        body = b"".join(chunks) if keep else b""
        return Fetched(
            status, (first - began) * 1000, (ended - began) * 1000, size, dechunked(body) if chunked else body
        )

    def _head(self) -> tuple[bytes, bytes]:
        received = b""
        while b"\r\n\r\n" not in received:
            piece = self._socket.recv(65_536)
            if not piece:
                raise SystemExit("The connection ended before the answer began.")
            received += piece
        head, _, rest = received.partition(b"\r\n\r\n")
        return head, rest


def dechunked(body: bytes) -> bytes:
    pieces, at = [], 0
    while at < len(body):
        end = body.index(b"\r\n", at)
        size = int(body[at:end], 16)
        pieces.append(body[end + 2 : end + 2 + size])
        at = end + 2 + size + 2
    return b"".join(pieces)


def floor(file: Path, port: int) -> None:
    """Answer each request with the bytes of ``file``."""
    with socket.create_server(("127.0.0.1", port)) as server:
        while True:
            connection, _ = server.accept()
            threading.Thread(target=_send_file, args=(connection, file), daemon=True).start()


def _send_file(connection: socket.socket, file: Path) -> None:
    size = file.stat().st_size
    with connection:
        while connection.recv(65_536):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
            with file.open("rb", buffering=0) as source:
                while piece := source.read(PIECE):
                    connection.sendall(piece)


def watch(url: str, key: str) -> None:
    parts = urlsplit(url)
    connection = Connection(f"http://{parts.netloc}", key)
    taken: list[float] = []
    ended = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    while not ended.is_set():
        taken.append(connection.get(parts.path).total_ms)
    print(json.dumps(taken))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["floor", file, port]:
            floor(Path(file), int(port))
        case ["watch", url, key]:
            watch(url, key)
        case _:
            raise SystemExit(__doc__)
