"""Cache entries of the service's answers: one a caller, and the content that callers share."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from dashboard.client.callers import Caller
from dashboard.client.fetched import Fetched, Mode, Problem

LIFETIME_SECONDS = 2.0
Decode = Callable[[Any], Any]
Shape = Literal["array", "object", "arrow"]
"""What an answer is: JSON of that kind, or an Arrow stream, whose bytes are decoded as they came."""


def as_sent(value: Any) -> Any:
    return value


class CacheKey(NamedTuple):
    """What must be the same for two calls to share an answer.

    ``decode`` is compared by identity: a function of a module, not one made for each call.
    """

    path: str
    shape: Shape
    decode: Decode
    lifetime: float


@dataclass(frozen=True, slots=True)
class Content:
    """The last answer to anybody."""

    etag: str
    data: Any
    mode: Mode | None


@dataclass(frozen=True, slots=True)
class Answer:
    """One path's last good answer and what became of asking since."""

    data: Any = None
    confirmed_at: datetime | None = None
    mode: Mode | None = None
    error: Problem | None = None
    asked_at: float | None = None

    def fetched(self) -> Fetched[Any]:
        stale = self.error is not None and self.data is not None
        return Fetched(self.data, self.confirmed_at, stale, self.error, self.mode)


@dataclass(slots=True)
class Slot:
    """One caller's entry. Its answer is replaced whole: readers never wait for a lock.

    ``asking`` is held while the service is asked.
    """

    caller: Caller
    key: CacheKey
    wanted_at: float
    answer: Answer = Answer()
    asking: threading.Lock = field(default_factory=threading.Lock)

    def age(self, now: float) -> float | None:
        """In lifetimes, since the service was last asked; null when it has to be asked anyhow.

        A service that asked for a pause is given it.
        """
        asked, error, lifetime = self.answer.asked_at, self.answer.error, self.key.lifetime
        if error is not None:
            lifetime = max(min(lifetime, LIFETIME_SECONDS), error.pause or 0.0)
        return None if asked is None else (now - asked) / max(lifetime, 1e-9)

    def may_be_given(self, now: float) -> bool:
        """Whether the answer is of now: young, and its caller still known to the service."""
        age = self.age(now)
        return age is not None and age < 1 and (self.caller.certain or self.answer.error is not None)
