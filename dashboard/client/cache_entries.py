"""Defines the client's cache entries: one for each caller and path, and the content that callers share."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

from dashboard.client.callers import Caller
from dashboard.client.fetched import Fetched, Mode, Problem

LIFETIME_SECONDS = 2.0
SLOW_LIFETIME_SECONDS = 20.0
"""For responses that change once a minute at most and cost the service a query."""
Decode = Callable[[Any], Any]
Shape = Literal["array", "object", "arrow"]
"""The body of a response: a JSON array or object, or an Arrow stream, which is decoded from its bytes."""


def keep_body(body: Any) -> Any:
    """Returns the body unchanged: the default decoder."""
    return body


class CacheKey(NamedTuple):
    """Calls with equal keys share a response.

    ``decode`` is compared by identity, so it must be a function of a module, not one created per call.
    """

    path: str
    shape: Shape
    decode: Decode
    lifetime: float


@dataclass(frozen=True, slots=True)
class SharedContent:
    """The last decoded response to any caller."""

    etag: str
    data: Any
    mode: Mode | None


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """The last good response of one path, and the error of later requests.

    ``requested_at`` is the clock's time of the last request; ``None`` makes the next call send one.
    """

    data: Any = None
    confirmed_at: datetime | None = None
    mode: Mode | None = None
    error: Problem | None = None
    requested_at: float | None = None

    def fetched(self) -> Fetched[Any]:
        stale = self.error is not None and self.data is not None
        return Fetched(self.data, self.confirmed_at, stale, self.error, self.mode)


@dataclass(slots=True)
class CacheEntry:
    """The entry of one caller. Its response is replaced as a whole, so readers never wait for a lock.

    ``request`` is done at the end of the latest request, which began at ``started_at``. The service has
    answered none since ``unanswered_since``; ``None`` if it answered the latest. ``lock`` guards the start.
    """

    caller: Caller
    key: CacheKey
    last_read_at: float
    response: CachedResponse = CachedResponse()
    request: Future[None] | None = None
    started_at: float = 0.0
    unanswered_since: float | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def start_request(self, now: float) -> Future[None]:
        """Records the start of a request; the calling thread holds the lock."""
        self.started_at = now
        if self.unanswered_since is None:
            self.unanswered_since = now
        self.request = Future()
        return self.request

    def overdue(self, now: float) -> Fetched[Any]:
        """Returns the response while a request is taking long."""
        return replace(self.response, error=self.overdue_problem(now)).fetched()

    def overdue_problem(self, now: float, request_id: str | None = None) -> Problem:
        waiting_seconds = now - (now if self.unanswered_since is None else self.unanswered_since)
        detail = f"No answer for {waiting_seconds:.0f} seconds."
        return Problem("timeout", detail, request_id, waiting_seconds=waiting_seconds)

    def age(self, now: float) -> float | None:
        """Returns the lifetimes since the last request; ``None`` if a request is due in any case.

        A pause that the service asks for (``Retry-After``) extends the lifetime of its error.
        """
        requested_at, error, lifetime = self.response.requested_at, self.response.error, self.key.lifetime
        if error is not None:
            lifetime = max(min(lifetime, LIFETIME_SECONDS), error.retry_after_seconds or 0.0)
        return None if requested_at is None else (now - requested_at) / max(lifetime, 1e-9)

    def is_fresh(self, now: float) -> bool:
        """True if the response is young, and the service has confirmed its caller recently."""
        age = self.age(now)
        return age is not None and age < 1 and (self.caller.is_verified or self.response.error is not None)
