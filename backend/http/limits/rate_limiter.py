"""Limits the request rate of each caller and reports the remaining quota.

A valid credential is counted by its holder, wherever the request comes from. All other requests are counted
by address, before the store is asked for an unknown key; a refused credential counts several times.

The counts are sliding window counters of the library ``limits``, in memory or in Redis.
"""

import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeVar

from limits import RateLimitItem, RateLimitItemPerSecond
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from backend.errors import TooManyRequests
from backend.formats.plurals import format_count, format_duration
from backend.http.client_address import Caller
from backend.runtime import metrics

RawHeaders = list[tuple[bytes, bytes]]
T = TypeVar("T")

GUESSES_PER_WINDOW = 60
"""How many refused credentials a window allows, unless it allows fewer requests."""
MAX_GUESS_COST = 10
MAX_COUNTS = 100_000
"""Maximum number of counters of one storage; a caller has one or two."""


class LimitKey(NamedTuple):
    """``policy`` is ``key`` or ``address``; ``name`` is unique among the callers of both."""

    policy: str
    name: str


def build_limit_key(caller: Caller | str) -> LimitKey:
    """``caller``: the holder of a valid credential, or an address as
    :func:`backend.http.client_address.normalize_address` gives it."""
    if isinstance(caller, str):
        return LimitKey("address", f"address:{caller}")
    return LimitKey("key", f"key:{caller.id}")


class LimitStatus(NamedTuple):
    """The remaining quota of a caller. ``reset`` is the number of seconds, from 1, until the quota grows by
    one request."""

    allowed: bool
    remaining: int
    reset: int


class BoundedMemoryStorage(MemoryStorage):
    """A bounded number of counters in memory.

    The library's own storage is unbounded and searches all counters for expired ones after each hit. With
    50,000 callers a hit takes 10 ms there and 10 µs here.
    """

    async def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        if not await self.get(key):
            if len(self.storage) >= MAX_COUNTS:
                await self._make_room()
            self.expirations[key] = time.time() + expiry
        self.storage[key] += amount
        return self.storage[key]

    async def _make_room(self) -> None:
        now = time.time()
        for key in [key for key, expires_at in self.expirations.items() if expires_at <= now]:
            await self.clear(key)
        if len(self.storage) > MAX_COUNTS // 2:
            await self.reset()


class SharedCounts(Protocol):
    """Counters that several processes share."""

    is_up: bool

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def run(self, call: Callable[[SlidingWindowCounterRateLimiter], Awaitable[T]]) -> T | None: ...


class RateLimiter:
    """Allows every caller ``amount`` requests in any ``seconds``. Belongs to the event loop's thread."""

    def __init__(self, amount: int, seconds: int, *, shared: SharedCounts | None = None) -> None:
        self.rate = RateLimitItemPerSecond(amount, seconds)
        self.shared = shared
        # Separate storages: a flood of addresses must not displace the counters of credentials.
        self._local = {
            policy: SlidingWindowCounterRateLimiter(BoundedMemoryStorage()) for policy in ("key", "address")
        }
        self._guess_cost = min(max(amount // GUESSES_PER_WINDOW, 1), MAX_GUESS_COST)

    async def start(self) -> None:
        if self.shared is not None:
            await self.shared.start()

    async def stop(self) -> None:
        if self.shared is not None:
            await self.shared.stop()

    def describe_storage(self) -> str:
        """Say in a sentence where requests are counted."""
        if self.shared is None:
            return "Requests are counted in each process."
        if self.shared.is_up:
            return "Requests are counted in Redis, for all processes."
        return "Redis does not answer, so requests are counted in each process until it does."

    async def count(self, caller: Caller | str) -> "CountedRequest":
        """Count a request of the key of :func:`build_limit_key` if the quota allows it."""
        key = build_limit_key(caller)
        status = await self._hit(key, 1)
        if not status.allowed:
            metrics.LIMITED.labels(key.policy).inc()
        return CountedRequest(self, key, status)

    async def charge_guess(self, key: LimitKey) -> LimitStatus:
        """Count the extra cost of a refused credential, up to the remaining quota."""
        return await self._hit(key, self._guess_cost - 1, up_to=True)

    async def _hit(self, key: LimitKey, cost: int, *, up_to: bool = False) -> LimitStatus:
        async def hit(limiter: SlidingWindowCounterRateLimiter) -> LimitStatus:
            return await _hit(limiter, self.rate, key.name, cost, up_to=up_to)

        local = self._local[key.policy]
        status = None if self.shared is None else await self.shared.run(hit)
        if status is None:
            return await hit(local)
        if status.allowed:
            await hit(local)  # if Redis fails, this process continues with its own counters
        return status


async def _hit(
    limiter: SlidingWindowCounterRateLimiter, rate: RateLimitItem, name: str, cost: int, *, up_to: bool
) -> LimitStatus:
    """``up_to``: where the remaining quota is below ``cost``, count the remaining quota."""
    if up_to:
        cost = min(cost, (await limiter.get_window_stats(rate, name)).remaining)
    allowed = cost == 0 or await limiter.hit(rate, name, cost=cost)
    stats = await limiter.get_window_stats(rate, name)
    # At least one whole second later: the quota is still used up at the exact moment of the reset.
    reset = max(math.floor(stats.reset_time - time.time()) + 1, 1)
    return LimitStatus(allowed, stats.remaining if allowed else 0, reset)


@dataclass(frozen=True, slots=True)
class CountedRequest:
    """A request that was counted or refused, with the quota that its response reports."""

    limiter: RateLimiter
    key: LimitKey
    status: LimitStatus

    @property
    def allowed(self) -> bool:
        return self.status.allowed

    async def charge(self, http_status: int) -> "CountedRequest":
        """Charge the extra cost of a response: only a refused credential (401) has one."""
        if http_status != 401 or self.key.policy != "address":
            return self
        return replace(self, status=await self.limiter.charge_guess(self.key))

    def headers(self) -> RawHeaders:
        """Return the fields of draft-ietf-httpapi-ratelimit-headers-11, and the three of its first drafts.

        Most clients read the latter. Their ``RateLimit-Reset`` is in seconds.
        """
        rate, (_, remaining, reset) = self.limiter.rate, self.status
        policy, seconds = self.key.policy.encode(), rate.get_expiry()
        return [
            (b"ratelimit-policy", b'"%s";q=%d;w=%d' % (policy, rate.amount, seconds)),
            (b"ratelimit", b'"%s";r=%d;t=%d' % (policy, remaining, reset)),
            (b"ratelimit-limit", b"%d" % rate.amount),
            (b"ratelimit-remaining", b"%d" % remaining),
            (b"ratelimit-reset", b"%d" % reset),
        ]

    def build_refusal(self) -> TooManyRequests:
        rate, reset = self.limiter.rate, self.status.reset
        callers = "this key" if self.key.policy == "key" else "callers without a valid key from this address"
        window = format_duration(rate.get_expiry()).removeprefix("1 ")
        return TooManyRequests(
            f"The limit of {format_count(rate.amount, 'request')} per {window} for {callers} is reached. "
            f"Try again in {format_duration(reset)}.",
            retry_after=reset,
        )
