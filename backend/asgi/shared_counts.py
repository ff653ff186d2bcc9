"""Counts in Redis, which all processes share.

Requests that come together are counted together: one message to Redis holds all that wait. Whatever is wrong
with Redis costs the requests of one message ``LONGEST_WAIT``; from then on each process counts alone, and
nobody waits, until a look in the background finds that Redis answers again.
"""

import asyncio
import contextlib
from typing import Any, NamedTuple

import redis.asyncio
import structlog
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from backend import metrics
from backend.asgi.windows import Counts, Rate, used

log = structlog.get_logger(__name__)

LONGEST_WAIT = 0.1
"""Seconds that Redis may take to answer, a new connection included."""
LOOK_AGAIN_SECONDS = 1.0
MOST_AT_ONCE = 500
"""Requests in one message."""
PREFIX = "chainproof:rate:"

TAKE = """
local current = tonumber(redis.call('GET', KEYS[1]) or '0')
local previous = tonumber(redis.call('GET', KEYS[2]) or '0')
local cost, room = tonumber(ARGV[1]), tonumber(ARGV[2])
if room >= 0 and current + previous * tonumber(ARGV[3]) + cost > room then
  return {0, current, previous}
end
current = redis.call('INCRBY', KEYS[1], cost)
redis.call('EXPIRE', KEYS[1], ARGV[4])
return {1, current, previous}
"""
"""Counts a cost if there is room for it, or in any case where the room is negative. The braces in the keys
keep both windows of a caller on one node of a cluster."""


class _Asked(NamedTuple):
    keys: tuple[str, str]
    arguments: tuple[int | float, ...]
    answer: asyncio.Future[tuple[int, int, int] | None]


class RedisCounts:
    """Counts of all processes at ``url``. Belongs to one event loop, in which :meth:`start` is called."""

    def __init__(self, url: str) -> None:
        self.is_up = False
        self.problem = ""
        """What was wrong the last time, by the name of its error."""
        self._url = url
        self._script = ""
        self._client: redis.asyncio.Redis | None = None
        self._waiting: list[_Asked] = []
        self._sending: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Look whether Redis answers, and go on looking while it does not."""
        self._client = redis.asyncio.from_url(
            self._url,
            socket_timeout=LONGEST_WAIT,
            socket_connect_timeout=LONGEST_WAIT,
            retry=Retry(NoBackoff(), 0),
        )
        await self._look()
        if not self.is_up:
            self._lose(self.problem)

    async def stop(self) -> None:
        self.is_up = False
        for task in (self._looking, self._sending):
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
        if self._client is not None:
            await self._client.aclose()

    async def take(
        self, caller: str, rate: Rate, now: float, counts: Counts, cost: int, *, room_or_not: bool
    ) -> tuple[bool, Counts] | None:
        """Count ``cost`` if there is room for it, or in any case; null when Redis does not answer in time.

        ``counts`` name the window, which processes agree on by the clocks of their machines.
        """
        keys = _key(caller, counts.window), _key(caller, counts.window - 1)
        weight = used(rate, Counts(counts.window, 0, 1), now)
        room = -1 if room_or_not else rate.amount
        answer = asyncio.get_running_loop().create_future()
        self._waiting.append(_Asked(keys, (cost, room, weight, 2 * rate.seconds), answer))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.get_running_loop().create_task(self._send())
        told = await answer
        if told is None:
            return None
        allowed, current, previous = told
        return bool(allowed), Counts(counts.window, current, previous)

    async def _send(self) -> None:
        """Send what waits, and what comes to wait meanwhile."""
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            answers: list[Any] = [None] * len(batch)
            try:
                if self.is_up:
                    async with asyncio.timeout(LONGEST_WAIT):
                        answers = await self._ask(batch)
            except (RedisError, OSError, TimeoutError) as error:
                self._lose(type(error).__name__)
            finally:
                for asked, answer in zip(batch, answers, strict=True):
                    if not asked.answer.done():
                        asked.answer.set_result(answer)

    async def _ask(self, batch: list[_Asked]) -> list[Any]:
        assert self._client is not None
        pipeline = self._client.pipeline(transaction=False)
        for asked in batch:
            pipeline.evalsha(self._script, 2, *asked.keys, *asked.arguments)
        return await pipeline.execute()

    def _lose(self, why: str) -> None:
        self.is_up = False
        metrics.LIMITS_SHARED.set(0)
        if self._looking is None or self._looking.done():
            log.warning("redis_lost", reason=why, meanwhile="each process counts requests alone")
            self._looking = asyncio.get_running_loop().create_task(self._look_until_it_answers())

    async def _look_until_it_answers(self) -> None:
        while not self.is_up:
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            await self._look()
        log.warning("redis_answers_again")

    async def _look(self) -> None:
        assert self._client is not None
        try:
            async with asyncio.timeout(10 * LONGEST_WAIT):
                # A Redis that was started anew has forgotten the script.
                self._script = await self._client.script_load(TAKE)
        except (RedisError, OSError, TimeoutError) as error:
            self.problem = type(error).__name__
        else:
            self.is_up = True
            metrics.LIMITS_SHARED.set(1)


def _key(caller: str, window: int) -> str:
    return f"{PREFIX}{{{caller}}}:{window}"


def redis_problem(url: str) -> str | None:
    """What is wrong with the Redis at ``url``, in a word that tells no secret; null if nothing."""

    async def ask() -> str | None:
        counts = RedisCounts(url)
        try:
            await counts.start()
            return None if counts.is_up else counts.problem
        finally:
            await counts.stop()

    return asyncio.run(ask())
