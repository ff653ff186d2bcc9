"""A request's body on its way in: not more than the limit, not too slowly, not too many at once."""

import asyncio
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from backend.http.limits.load_shedding import Load
from backend.runtime import metrics

FIRST_SECONDS = 20.0
"""In which a body, or its beginning, is here."""
LEAST_BYTES_A_SECOND = 16 * 1024
"""At which the rest comes. (Apache's ``RequestReadTimeout`` reckons so.)"""


class Body:
    """``receive`` of one request.

    Raises :class:`HTTPException`, since the framework turns any other exception here into a 400: 413 over
    ``limit`` bytes, declared or not, 408 for a sender that is too slow, 503 when all bodies together are
    more than a process keeps. ``came`` is called at each part that comes.
    """

    def __init__(
        self,
        receive: Receive,
        load: Load,
        *,
        limit: int,
        came: Callable[[], None],
        first_seconds: float = FIRST_SECONDS,
    ) -> None:
        self._receive = receive
        self._load = load
        self._limit = limit
        self._came = came
        self._first_seconds = first_seconds
        self._deadline: float | None = None
        self._read = 0
        self._complete = False

    async def __call__(self) -> Message:
        if self._complete:  # what comes now is that the caller went away
            return await self._receive()
        message = await self._next()
        size = len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        self._read += size
        self._load.body_bytes += size
        self._came()
        if self._read > self._limit:
            raise HTTPException(413)
        if size and self._load.holds_too_much():
            raise HTTPException(503)
        return message

    async def _next(self) -> Message:
        """The next part; while it is on its way, the request is none that is worked at."""
        now = asyncio.get_running_loop().time()
        if self._deadline is None:
            self._deadline = now + self._first_seconds
        self._load.leave()
        try:
            async with asyncio.timeout_at(self._deadline + self._read / LEAST_BYTES_A_SECOND):
                return await self._receive()
        except TimeoutError:
            metrics.SHED.labels("slow_body").inc()
            raise HTTPException(408) from None
        finally:
            self._load.enter()

    def release(self) -> None:
        """The request is done: its body is no longer held."""
        self._load.body_bytes -= self._read
        self._read = 0
