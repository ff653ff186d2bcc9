"""Limits the size and the speed of request bodies, and the memory of all bodies together."""

import asyncio
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from backend.http.limits.load_shedding import LoadShedder
from backend.runtime import metrics

FIRST_PART_SECONDS = 20.0
"""The first part of a body must arrive within this time."""
MIN_BYTES_PER_SECOND = 16 * 1024
"""Minimum speed of the rest of a body, as in Apache's ``RequestReadTimeout``."""


class LimitedBody:
    """The ASGI ``receive`` of one request, with limits.

    Raises :class:`HTTPException`, since the framework turns any other exception here into a 400: 413 over
    ``limit`` bytes, declared or not, 408 for a sender that is too slow, 503 when all bodies together exceed
    the memory limit of the process. ``on_part`` is called for each part that arrives.
    """

    def __init__(
        self,
        receive: Receive,
        load: LoadShedder,
        *,
        limit: int,
        on_part: Callable[[], None],
        first_part_seconds: float = FIRST_PART_SECONDS,
    ) -> None:
        self._receive = receive
        self._load = load
        self._limit = limit
        self._on_part = on_part
        self._first_part_seconds = first_part_seconds
        self._deadline: float | None = None
        self._read = 0
        self._complete = False

    async def __call__(self) -> Message:
        if self._complete:  # the next message says that the caller disconnected
            return await self._receive()
        message = await self._receive_next()
        size = len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        self._read += size
        self._load.body_bytes += size
        self._on_part()
        if self._read > self._limit:
            raise HTTPException(413)
        if size and self._load.is_over_body_limit():
            raise HTTPException(503)
        return message

    async def _receive_next(self) -> Message:
        """Wait for the next part. Meanwhile the request does not count as one in progress."""
        now = asyncio.get_running_loop().time()
        if self._deadline is None:
            self._deadline = now + self._first_part_seconds
        self._load.leave()
        try:
            async with asyncio.timeout_at(self._deadline + self._read / MIN_BYTES_PER_SECOND):
                return await self._receive()
        except TimeoutError:
            metrics.SHED.labels("slow_body").inc()
            raise HTTPException(408) from None
        finally:
            self._load.enter()

    def release(self) -> None:
        """Subtract the body from the memory in use: the request is done."""
        self._load.body_bytes -= self._read
        self._read = 0
