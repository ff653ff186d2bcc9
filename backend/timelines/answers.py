"""Timelines as they are sent: a few bytes of frame, a piece for each profile, a few bytes of frame.

No answer is ever one string. Where every piece stands ready, its length is declared; where some are read
first, they are read in a thread, a few at a time, while those before are on their way.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from backend.timelines.selection import Wanted
from backend.timelines.splicing import END_SIZE, HEADER, Member, Packed, stored_size
from backend.timelines.store import fields
from backend.timelines.tails import Kind

Piece = bytes | Packed
Make = Callable[[Sequence[Wanted]], list[Piece]]
AT_ONCE = 8
"""Pieces that are read before any of them is sent, but for the first, which is sent at once."""
_LISTING_ENDS = b"]}}}"


@dataclass(frozen=True, slots=True)
class Body:
    """What an answer is made of: ``frames`` around ``wanted``, one more than those.

    ``pieces`` are all of them where they stand ready; else ``make`` gives them.
    """

    kind: Kind
    frames: Sequence[bytes]
    wanted: Sequence[Wanted]
    pieces: Sequence[Piece] | None
    make: Make

    @property
    def length(self) -> int | None:
        """In bytes, where every piece stands ready."""
        if self.pieces is None:
            return None
        if self.kind != "gzip":
            return sum(map(len, self.frames)) + sum(map(len, self.pieces))
        frames = sum(stored_size(frame) for frame in self.frames)
        return len(HEADER) + END_SIZE + frames + sum(_deflated_size(piece) for piece in self.pieces)


def listing_frames(wanted: Sequence[Wanted]) -> list[bytes]:
    """What stands around the entries of each profile in the JSON of the listing."""
    if not wanted:
        return [b'{"profiles":{}}']
    frames = []
    for index, each in enumerate(wanted):
        timeline = each.timeline
        before = b"]}," if index else b'{"profiles":{'
        head = orjson.dumps(fields(timeline.profile))[:-1]
        frames.append(before + orjson.dumps(timeline.name) + b":" + head + b',"entries":[')
    return [*frames, _LISTING_ENDS]


def profile_frames(wanted: Wanted) -> list[bytes]:
    """What stands around the entries in the JSON of one profile."""
    head = {"profile": wanted.timeline.name, **fields(wanted.timeline.profile)}
    return [orjson.dumps(head)[:-1] + b',"entries":[', b"]}"]


class TimelineResponse(Response):
    """Sends a :class:`Body`, a message for each piece of it."""

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
        if member is not None:
            await _send_on(send, HEADER)
        done = 0
        for group in _groups(len(body.wanted), ready=body.pieces is not None):
            if body.pieces is not None:
                pieces = body.pieces[group]
            else:
                pieces = await run_in_threadpool(body.make, body.wanted[group])
            for piece in pieces:
                await _send_on(send, _framed(body.frames[done], member))
                await _send_on(send, _written(piece, member))
                done += 1
        last = _framed(body.frames[done], member) + (b"" if member is None else member.end())
        await send({"type": "http.response.body", "body": last, "more_body": False})


async def _send_on(send: Send, body: bytes) -> None:
    if body:
        await send({"type": "http.response.body", "body": body, "more_body": True})


def _groups(count: int, *, ready: bool) -> Iterator[slice]:
    """Which pieces are had at once."""
    if ready or not count:
        yield slice(0, count)
        return
    yield slice(0, 1)
    yield from (slice(at, at + AT_ONCE) for at in range(1, count, AT_ONCE))


def _framed(frame: bytes, member: Member | None) -> bytes:
    return frame if member is None else member.stored(frame)


def _written(piece: Piece, member: Member | None) -> bytes:
    if isinstance(piece, bytes):
        return piece
    if member is None:
        raise TypeError("a compressed piece in an answer that is not")
    return member.packed(piece)


def _deflated_size(piece: Piece) -> int:
    return len(piece.deflated if isinstance(piece, Packed) else piece)


def all_ready(pieces: Iterable[Piece | None]) -> list[Piece] | None:
    """The pieces, if none is missing."""
    found: list[Piece] = []
    for piece in pieces:
        if piece is None:
            return None
        found.append(piece)
    return found
