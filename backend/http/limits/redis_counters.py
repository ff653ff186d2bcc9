"""Counts requests of all processes in Redis.

A request waits for Redis ``REDIS_TIMEOUT_SECONDS`` at most. After a failure no request uses Redis until a
background task finds that it answers again.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog
from limits.aio.storage import RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from redis.asyncio import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from backend.runtime import metrics

log = structlog.get_logger(__name__)
T = TypeVar("T")

REDIS_TIMEOUT_SECONDS = 0.5
"""A healthy Redis answers within 0.1 s even on a machine whose load is three times its number of cores."""
PROBE_INTERVAL_SECONDS = 1.0
MAX_CONCURRENT_REQUESTS = 8
"""Each concurrent request has its own connection. With more of them, delays of this process would look like
timeouts of Redis."""
KEY_PREFIX = "chainproof:rate"


class SharedCounts:
    """The Redis at ``url``. Belongs to one event loop, in which :meth:`start` is called."""

    def __init__(self, url: str) -> None:
        self.is_up = False
        self.problem = ""
        """The name of the last error."""
        self._url = url
        self._pool: ConnectionPool | None = None
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_REQUESTS)
        self._probe_task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._pool = ConnectionPool.from_url(
            self._url,
            socket_timeout=REDIS_TIMEOUT_SECONDS,
            socket_connect_timeout=REDIS_TIMEOUT_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
        storage = RedisStorage(
            f"async+{self._url.replace('unix:', 'redis+unix:', 1)}",
            implementation="redispy",
            key_prefix=KEY_PREFIX,
            connection_pool=self._pool,  # type: ignore[arg-type]  # documented, and missing in the signature
        )
        self._limiter = SlidingWindowCounterRateLimiter(storage)
        await self._probe()
        if not self.is_up:
            self._mark_down(self.problem)

    async def stop(self) -> None:
        self.is_up = False
        if self._probe_task is not None:
            self._probe_task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._probe_task
        if self._pool is not None:
            await self._pool.aclose()

    async def run(self, call: Callable[[SlidingWindowCounterRateLimiter], Awaitable[T]]) -> T | None:
        """Return the result of ``call``, or None while Redis does not answer."""
        async with self._slots:
            if not self.is_up:
                return None
            try:
                async with asyncio.timeout(REDIS_TIMEOUT_SECONDS):
                    return await call(self._limiter)
            except (RedisError, OSError, TimeoutError) as error:
                self._mark_down(type(error).__name__)
                return None

    def _mark_down(self, reason: str) -> None:
        self.is_up = False
        metrics.LIMITS_SHARED.set(0)
        if self._probe_task is None or self._probe_task.done():
            log.warning(
                "redis_connection_lost", reason=reason, meanwhile="each process counts requests alone"
            )
            self._probe_task = asyncio.get_running_loop().create_task(self._probe_until_up())

    async def _probe_until_up(self) -> None:
        while not self.is_up:
            await asyncio.sleep(PROBE_INTERVAL_SECONDS)
            await self._probe()
        log.warning("redis_connection_restored")

    async def _probe(self) -> None:
        """Set :attr:`is_up` after a write: a read-only replica answers a ping, but refuses writes."""
        try:
            async with asyncio.timeout(2 * REDIS_TIMEOUT_SECONDS):
                await self._limiter.storage.incr("probe", expiry=1)
        except (RedisError, OSError, TimeoutError) as error:
            self.problem = type(error).__name__
        else:
            self.is_up = True
            metrics.LIMITS_SHARED.set(1)


def find_redis_problem(url: str) -> str | None:
    """Return the name of the error with which the Redis at ``url`` fails, or None if it answers."""

    async def probe() -> str | None:
        counts = SharedCounts(url)
        try:
            await counts.start()
            return None if counts.is_up else counts.problem
        finally:
            await counts.stop()

    return asyncio.run(probe())
