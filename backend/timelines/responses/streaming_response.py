"""Streams timeline responses as frame bytes around one piece for each profile.

A response is never one string. If every piece is ready, the length is declared. Otherwise a thread reads the
missing pieces, a few at a time, while earlier ones are sent.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from backend.timelines.responses.gzip_splicing import END_SIZE, HEADER, Member, Packed, stored_size
from backend.timelines.responses.piece_cache import Kind
from backend.timelines.selection import RunQuery
from backend.timelines.store import fields

Piece = bytes | Packed
Make = Callable[[Sequence[RunQuery]], list[Piece]]
MAX_PIECES_PER_GROUP = 4
"""Pieces that are read together before they are sent; the first piece is sent at once."""
LARGE = 64 * 1024
_LISTING_ENDS = b"]}}}"


@dataclass(frozen=True, slots=True)
class Body:
    """A response body: ``frames`` around the pieces of ``queries``, one frame more than queries.

    ``pieces`` holds all pieces if they are ready; otherwise ``make`` builds them.
    """

    kind: Kind
    frames: Sequence[bytes]
    queries: Sequence[RunQuery]
    pieces: Sequence[Piece] | None
    make: Make

    @property
    def length(self) -> int | None:
        """The length in bytes if every piece is ready."""
        if self.pieces is None:
            return None
        if self.kind != "gzip":
            return sum(map(len, self.frames)) + sum(map(len, self.pieces))
        frames = sum(stored_size(frame) for frame in self.frames)
        return len(HEADER) + END_SIZE + frames + sum(_compute_deflated_size(piece) for piece in self.pieces)


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
    """Sends a :class:`Body`, one message for each piece."""

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
        body, member = self._body, Member() if self._body.kind == "gzip" else None
        messages = Messages(send)
        if member is not None:
            await messages.write(HEADER)
        await messages.write(_wrap_frame(body.frames[0], member))
        if body.pieces is None:
            await messages.flush()  # on its way while the first piece is read
        done = 0
        async for pieces in _iterate_pieces(body):
            for piece in pieces:
                done += 1
                await messages.write(_write_piece(piece, member))
                await messages.write(_wrap_frame(body.frames[done], member))
            await messages.flush()
        last = b"" if member is None else member.end()
        await send({"type": "http.response.body", "body": last, "more_body": False})


class Messages:
    """Sends pieces of a body. Small pieces are joined, because a message costs as much as copying many of
    them; large ones are sent unchanged."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._waiting: list[bytes] = []
        self._size = 0

    async def write(self, piece: bytes) -> None:
        if len(piece) >= LARGE:
            await self.flush()
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})
            return
        self._waiting.append(piece)
        self._size += len(piece)
        if self._size >= LARGE:
            await self.flush()

    async def flush(self) -> None:
        if self._size:
            joined = b"".join(self._waiting)
            self._waiting, self._size = [], 0
            await self._send({"type": "http.response.body", "body": joined, "more_body": True})


async def _iterate_pieces(body: Body) -> AsyncIterator[Sequence[Piece]]:
    """Generate all pieces in order; missing ones are read while earlier ones are sent."""
    if body.pieces is not None:
        yield body.pieces
        return
    groups = _group_pieces(len(body.queries))
    next_pieces = _read(body, next(groups))
    try:
        for group in groups:
            pieces = await next_pieces
            next_pieces = _read(body, group)
            yield pieces
        yield await next_pieces
    finally:
        next_pieces.cancel()


def _read(body: Body, group: slice) -> asyncio.Future[list[Piece]]:
    return asyncio.ensure_future(run_in_threadpool(body.make, body.queries[group]))


def _group_pieces(count: int) -> Iterator[slice]:
    """Group the pieces that are read together; the first is alone, so that it is sent early."""
    yield slice(0, 1)
    yield from (slice(at, at + MAX_PIECES_PER_GROUP) for at in range(1, count, MAX_PIECES_PER_GROUP))


def _wrap_frame(frame: bytes, member: Member | None) -> bytes:
    return frame if member is None else member.stored(frame)


def _write_piece(piece: Piece, member: Member | None) -> bytes:
    if isinstance(piece, bytes):
        return piece
    if member is None:
        raise TypeError("a compressed piece in an answer that is not")
    return member.packed(piece)


def _compute_deflated_size(piece: Piece) -> int:
    return len(piece.deflated if isinstance(piece, Packed) else piece)


def all_ready(pieces: Iterable[Piece | None]) -> list[Piece] | None:
    """Return the pieces if none is missing."""
    present: list[Piece] = []
    for piece in pieces:
        if piece is None:
            return None
        present.append(piece)
    return present
