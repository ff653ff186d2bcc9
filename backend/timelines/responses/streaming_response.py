"""Streams timeline responses as frame bytes around one chunk for each profile.

A response is never one string. If every chunk is ready, the length is declared. Otherwise a thread reads the
missing chunks, a few at a time, while earlier ones are sent.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from backend.timelines.responses.chunk_cache import Encoding
from backend.timelines.responses.gzip_splicing import END_SIZE, HEADER, Member, Packed, stored_size
from backend.timelines.selection import RunQuery
from backend.timelines.store import fields

Chunk = bytes | Packed
Make = Callable[[Sequence[RunQuery]], list[Chunk]]
MAX_CHUNKS_PER_GROUP = 4
"""Pieces that are read together before they are sent; the first chunk is sent at once."""
LARGE = 64 * 1024
_LISTING_ENDS = b"]}}}"


@dataclass(frozen=True, slots=True)
class Body:
    """A response body: ``frames`` around the chunks of ``queries``, one frame more than queries.

    ``chunks`` holds all chunks if they are ready; otherwise ``make`` builds them.
    """

    encoding: Encoding
    frames: Sequence[bytes]
    queries: Sequence[RunQuery]
    chunks: Sequence[Chunk] | None
    make: Make

    @property
    def length(self) -> int | None:
        """The length in bytes if every chunk is ready."""
        if self.chunks is None:
            return None
        if self.encoding != "gzip":
            return sum(map(len, self.frames)) + sum(map(len, self.chunks))
        frames = sum(stored_size(frame) for frame in self.frames)
        return len(HEADER) + END_SIZE + frames + sum(_compute_deflated_size(chunk) for chunk in self.chunks)


def listing_frames(queries: Sequence[RunQuery]) -> list[bytes]:
    """Return the JSON of the listing around the entries of each profile."""
    if not queries:
        return [b'{"profiles":{}}']
    frames = []
    for index, query in enumerate(queries):
        timeline = query.timeline
        before = b"]}," if index else b'{"profiles":{'
        head = orjson.dumps(fields(timeline.profile))[:-1]
        frames.append(before + orjson.dumps(timeline.name) + b":" + head + b',"entries":[')
    return [*frames, _LISTING_ENDS]


def profile_frames(query: RunQuery) -> list[bytes]:
    """Return the JSON of one profile around its entries."""
    head = {"profile": query.timeline.name, **fields(query.timeline.profile)}
    return [orjson.dumps(head)[:-1] + b',"entries":[', b"]}"]


class TimelineResponse(Response):
    """Sends a :class:`Body`, one message for each chunk."""

    def __init__(self, body: Body, headers: dict[str, str]) -> None:
        self._body = body
        self.background = None
        self.status_code = 200
        declared = {} if body.length is None else {"Content-Length": str(body.length)}
        self.init_headers({**headers, **declared})
        self.body = b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        await send(start)
        body, member = self._body, Member() if self._body.encoding == "gzip" else None
        messages = Messages(send)
        if member is not None:
            await messages.write(HEADER)
        await messages.write(_wrap_frame(body.frames[0], member))
        if body.chunks is None:
            await messages.flush()  # on its way while the first chunk is read
        done = 0
        async for chunks in _iterate_chunks(body):
            for chunk in chunks:
                done += 1
                await messages.write(_write_chunk(chunk, member))
                await messages.write(_wrap_frame(body.frames[done], member))
            await messages.flush()
        last = b"" if member is None else member.end()
        await send({"type": "http.response.body", "body": last, "more_body": False})


class Messages:
    """Sends chunks of a body. Small chunks are joined, because a message costs as much as copying many of
    them; large ones are sent unchanged."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._waiting: list[bytes] = []
        self._size = 0

    async def write(self, chunk: bytes) -> None:
        if len(chunk) >= LARGE:
            await self.flush()
            await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
            return
        self._waiting.append(chunk)
        self._size += len(chunk)
        if self._size >= LARGE:
            await self.flush()

    async def flush(self) -> None:
        if self._size:
            joined = b"".join(self._waiting)
            self._waiting, self._size = [], 0
            await self._send({"type": "http.response.body", "body": joined, "more_body": True})


async def _iterate_chunks(body: Body) -> AsyncIterator[Sequence[Chunk]]:
    """Generate all chunks in order; missing ones are read while earlier ones are sent."""
    if body.chunks is not None:
        yield body.chunks
        return
    groups = _group_chunks(len(body.queries))
    next_chunks = _read(body, next(groups))
    try:
        for group in groups:
            chunks = await next_chunks
            next_chunks = _read(body, group)
            yield chunks
        yield await next_chunks
    finally:
        next_chunks.cancel()


def _read(body: Body, group: slice) -> asyncio.Future[list[Chunk]]:
    return asyncio.ensure_future(run_in_threadpool(body.make, body.queries[group]))


def _group_chunks(count: int) -> Iterator[slice]:
    """Group the chunks that are read together; the first is alone, so that it is sent early."""
    yield slice(0, 1)
    yield from (slice(at, at + MAX_CHUNKS_PER_GROUP) for at in range(1, count, MAX_CHUNKS_PER_GROUP))


def _wrap_frame(frame: bytes, member: Member | None) -> bytes:
    return frame if member is None else member.stored(frame)


def _write_chunk(chunk: Chunk, member: Member | None) -> bytes:
    if isinstance(chunk, bytes):
        return chunk
    if member is None:
        raise TypeError("a compressed chunk in an answer that is not")
    return member.packed(chunk)


def _compute_deflated_size(chunk: Chunk) -> int:
    return len(chunk.deflated if isinstance(chunk, Packed) else chunk)


def all_ready(chunks: Iterable[Chunk | None]) -> list[Chunk] | None:
    """Return the chunks if none is missing."""
    present: list[Chunk] = []
    for chunk in chunks:
        if chunk is None:
            return None
        present.append(chunk)
    return present
