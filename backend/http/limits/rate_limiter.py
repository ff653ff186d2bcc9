"""Limits how often each caller may make requests, and tells it what is left.

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
from backend.formats.plurals import counted, format_duration
from backend.http.client_address import Caller
from backend.runtime import metrics

RawHeaders = list[tuple[bytes, bytes]]
T = TypeVar("T")

GUESSES_PER_WINDOW = 60
"""How many refused credentials a rate has room for, unless it has room for fewer requests."""
MAX_GUESS_COST = 10
MAX_COUNTS = 100_000
"""How many counts one storage keeps: one or two for each caller."""


class LimitKey(NamedTuple):
    """``policy`` is ``key`` or ``address``; ``name`` is unique among the callers of both."""

    policy: str
    name: str


def limit_key_of(caller: Caller | str) -> LimitKey:
    """``caller``: the holder of a valid credential, or an address as
    :func:`backend.http.client_address.counted_as` gives it."""
    if isinstance(caller, str):
        return LimitKey("address", f"address:{caller}")
    return LimitKey("key", f"key:{caller.id}")


class Standing(NamedTuple):
    """What a caller has left. ``reset`` is in seconds, from 1, until the caller may make one more request
    than now."""

    allowed: bool
    remaining: int
    reset: int


class BoundedMemoryStorage(MemoryStorage):
    """Counts in memory, bounded in number.

    The library's own storage keeps any number, and searches all of them for expired ones after each hit: with
    50,000 callers a hit takes 10 ms, here 10 µs.
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
    """Counts that several processes share."""

    is_up: bool

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def ask(self, call: Callable[[SlidingWindowCounterRateLimiter], Awaitable[T]]) -> T | None: ...


class Limiter:
    """Allows every caller ``amount`` requests in any ``seconds``. Belongs to the event loop's thread."""

    def __init__(self, amount: int, seconds: int, *, shared: SharedCounts | None = None) -> None:
        self.rate = RateLimitItemPerSecond(amount, seconds)
        self.shared = shared
        # Apart, so that a flood of addresses displaces no count of a credential.
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

    def where(self) -> str:
        """Where requests are counted, in a sentence."""
        if self.shared is None:
            return "Requests are counted in each process."
        if self.shared.is_up:
            return "Requests are counted in Redis, for all processes."
        return "Redis does not answer, so requests are counted in each process until it does."

    async def count(self, caller: Caller | str) -> "Counted":
        """Count a request to the key of :func:`limit_key_of`, if the rate has room for it."""
        key = limit_key_of(caller)
        standing = await self._hit(key, 1)
        if not standing.allowed:
            metrics.LIMITED.labels(key.policy).inc()
        return Counted(self, key, standing)

    async def charge_guess(self, key: LimitKey) -> Standing:
        """Count what a refused credential costs beyond its request, as far as the rate has room for it."""
        return await self._hit(key, self._guess_cost - 1, up_to=True)

    async def _hit(self, key: LimitKey, cost: int, *, up_to: bool = False) -> Standing:
        async def hit(limiter: SlidingWindowCounterRateLimiter) -> Standing:
            return await _hit(limiter, self.rate, key.name, cost, up_to=up_to)

        local = self._local[key.policy]
        standing = None if self.shared is None else await self.shared.ask(hit)
        if standing is None:
            return await hit(local)
        if standing.allowed:
            await hit(local)  # so that this process goes on from its own counts if Redis fails
        return standing


async def _hit(
    limiter: SlidingWindowCounterRateLimiter, rate: RateLimitItem, name: str, cost: int, *, up_to: bool
) -> Standing:
    """``up_to``: where the rate has room for less than ``cost``, count as much as it has room for."""
    if up_to:
        cost = min(cost, (await limiter.get_window_stats(rate, name)).remaining)
    allowed = cost == 0 or await limiter.hit(rate, name, cost=cost)
    stats = await limiter.get_window_stats(rate, name)
    # A whole second later at least: at the very moment of the reset there is no room yet.
    reset = max(math.floor(stats.reset_time - time.time()) + 1, 1)
    return Standing(allowed, stats.remaining if allowed else 0, reset)


@dataclass(frozen=True, slots=True)
class Counted:
    """A request that was counted, or refused: what its answer says of the limit."""

    limiter: Limiter
    key: LimitKey
    standing: Standing

    @property
    def allowed(self) -> bool:
        return self.standing.allowed

    async def settle(self, status: int) -> "Counted":
        """Charge what an answer of this status costs beyond its request: a refused credential (401) does."""
        if status != 401 or self.key.policy != "address":
            return self
        return replace(self, standing=await self.limiter.charge_guess(self.key))

    def headers(self) -> RawHeaders:
        """The fields of draft-ietf-httpapi-ratelimit-headers-11, and the three of its first drafts.

        Most clients read the latter. Their ``RateLimit-Reset`` counts seconds.
        """
        rate, (_, remaining, reset) = self.limiter.rate, self.standing
        policy, seconds = self.key.policy.encode(), rate.get_expiry()
        return [
            (b"ratelimit-policy", b'"%s";q=%d;w=%d' % (policy, rate.amount, seconds)),
            (b"ratelimit", b'"%s";r=%d;t=%d' % (policy, remaining, reset)),
            (b"ratelimit-limit", b"%d" % rate.amount),
            (b"ratelimit-remaining", b"%d" % remaining),
            (b"ratelimit-reset", b"%d" % reset),
        ]

    def refusal(self) -> TooManyRequests:
        rate, again = self.limiter.rate, self.standing.reset
        whom = "this key" if self.key.policy == "key" else "callers without a valid key from this address"
        window = format_duration(rate.get_expiry()).removeprefix("1 ")
        return TooManyRequests(
            f"The limit of {counted(rate.amount, 'request')} per {window} for {whom} is reached. "
            f"Try again in {format_duration(again)}.",
            retry_after=again,
        )
