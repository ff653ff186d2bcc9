"""How often a caller may ask: whom a request is counted to, whether there is room, and what it is told.

Whoever sends a valid credential is counted by its holder, wherever the request comes from. Everybody else
is counted by address, before the store is asked for a key that memory does not know, and a refused
credential counts several times: guessing ends long before anything else does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from backend import metrics
from backend.asgi.windows import Counts, Rate, Standing, Windows, standing
from backend.auth.principal import Principal
from backend.errors import TooManyRequests
from backend.plurals import counted

RawHeaders = list[tuple[bytes, bytes]]

GUESSES = 60
"""Refused credentials that the rate leaves room for, unless it leaves less to anybody."""
DEAREST_GUESS = 10


class Caller(NamedTuple):
    """``policy`` is ``key`` or ``address``; ``name`` is unique among the callers of both."""

    policy: str
    name: str


def by_holder(principal: Principal) -> Caller:
    return Caller("key", f"key:{principal.id}")


def by_address(address: str) -> Caller:
    """``address`` as :func:`backend.auth.callers.counted_as` gives it."""
    return Caller("address", f"address:{address}")


class SharedCounts(Protocol):
    """Counts that several processes share."""

    is_up: bool

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def take(
        self, caller: str, rate: Rate, now: float, counts: Counts, cost: int, *, room_or_not: bool
    ) -> tuple[bool, Counts] | None:
        """Whether ``cost`` was counted, and the counts of all; null when they cannot be had in time."""
        ...


class Limiter:
    """One rate for every caller. Belongs to the event loop's thread."""

    def __init__(
        self,
        rate: Rate,
        *,
        shared: SharedCounts | None = None,
        windows: Callable[[Rate], Windows] = Windows,
    ) -> None:
        self.rate = rate
        self.shared = shared
        # Apart, so that a flood of addresses pushes no credential out.
        self._windows = {"key": windows(rate), "address": windows(rate)}
        self._guess_costs = min(max(rate.amount // GUESSES, 1), DEAREST_GUESS)

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

    async def count(self, caller: Caller) -> "Counted":
        return Counted(self, caller, await self.take(caller))

    async def take(self, caller: Caller) -> Standing:
        """Count a request to ``caller`` if it has room for it."""
        windows = self._windows[caller.policy]
        if self.shared is None or not self.shared.is_up:
            return windows.take(caller.name)
        now, counts = windows.look(caller.name)
        if not windows.has_room(counts, now):  # what all counted only grows, so there is no need to ask
            return standing(self.rate, counts, now, allowed=False)
        told = await self.shared.take(caller.name, self.rate, now, counts, 1, room_or_not=False)
        if told is None:
            return windows.take(caller.name)
        allowed, counts = told
        windows.learn(caller.name, counts)
        return standing(self.rate, counts, now, allowed=allowed)

    async def charge_guess(self, caller: Caller) -> Standing:
        """Count what a refused credential costs beyond the request that was counted already."""
        windows, cost = self._windows[caller.policy], self._guess_costs - 1
        if self.shared is not None and self.shared.is_up and cost:
            now, counts = windows.look(caller.name)
            told = await self.shared.take(caller.name, self.rate, now, counts, cost, room_or_not=True)
            if told is not None:
                windows.learn(caller.name, told[1])
                return standing(self.rate, told[1], now, allowed=True)
        return windows.charge(caller.name, cost)


@dataclass(frozen=True, slots=True)
class Counted:
    """A request that was counted, or refused: what its answer says of the limit."""

    limiter: Limiter
    caller: Caller
    now: Standing

    @property
    def allowed(self) -> bool:
        return self.now.allowed

    async def headers(self, status: int) -> RawHeaders:
        """The fields of draft-ietf-httpapi-ratelimit-headers-11, and the three of its first drafts.

        The latter are what most clients read; their ``RateLimit-Reset`` counts seconds. A refused
        credential (401) is charged before its answer tells what is left.
        """
        now, rate, policy = self.now, self.limiter.rate, self.caller.policy
        if status == 401 and policy == "address":
            now = await self.limiter.charge_guess(self.caller)
        quoted = policy.encode()
        return [
            (b"ratelimit-policy", b'"%s";q=%d;w=%d' % (quoted, rate.amount, rate.seconds)),
            (b"ratelimit", b'"%s";r=%d;t=%d' % (quoted, now.remaining, now.reset)),
            (b"ratelimit-limit", b"%d" % rate.amount),
            (b"ratelimit-remaining", b"%d" % now.remaining),
            (b"ratelimit-reset", b"%d" % now.reset),
        ]

    def refusal(self) -> TooManyRequests:
        metrics.LIMITED.labels(self.caller.policy).inc()
        rate, again = self.limiter.rate, self.now.reset
        whom = "this key" if self.caller.policy == "key" else "callers without a valid key from this address"
        window = in_words(rate.seconds).removeprefix("1 ")
        return TooManyRequests(
            f"The limit of {counted(rate.amount, 'request')} per {window} for {whom} is reached. "
            f"Try again in {in_words(again)}.",
            retry_after=again,
        )


def in_words(seconds: int) -> str:
    for length, unit in ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        if seconds >= length and seconds % length == 0:
            count = seconds // length
            return counted(count, unit)
    return "a moment"
