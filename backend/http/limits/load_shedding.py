"""Refuses requests while the process has more of them than it can answer in time.

Endpoints run in threads. A request that finds no free thread waits in a queue that no limit bounds. An
immediate refusal with a ``Retry-After`` serves this caller, and all those behind it, better than the queue.
"""

from itertools import cycle

from backend.errors import Overloaded
from backend.runtime import metrics

MAX_BODY_BYTES = 64 * 1024 * 1024
"""Maximum size of all request bodies together that a process reads or handles."""
MAX_REFUSALS_PER_SECOND = 200
REFUSAL_DELAY_SECONDS = 0.25
RETRY_AFTER_SECONDS = cycle((1, 2, 3))
"""Values of ``Retry-After`` in turn, so that callers refused together do not retry together."""


class LoadShedder:
    """Counts the requests and body bytes of one process. Belongs to the event loop's thread."""

    def __init__(self, max_requests: int, *, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        """``max_requests`` limits requests that run or wait for a thread, not those that send a body."""
        self.max_requests = max_requests
        self.max_body_bytes = max_body_bytes
        self.requests = 0
        self.body_bytes = 0

    def check(self, *, over_connection_limit: bool) -> Overloaded | None:
        """Return the refusal if the process is overloaded, else None."""
        if over_connection_limit:
            refusal = _build_refusal("connections", "There are too many connections.")
            refusal.headers["Connection"] = "close"
            return refusal
        if self.requests >= self.max_requests:
            return _build_refusal("requests", "The service has more requests than it can answer in time.")
        return None

    def enter(self) -> None:
        self.requests += 1
        metrics.INSIDE.inc()

    def leave(self) -> None:
        self.requests -= 1
        metrics.INSIDE.dec()

    def is_over_body_limit(self) -> bool:
        return self.body_bytes > self.max_body_bytes


class RefusalPacer:
    """Delays refusals above a rate.

    Otherwise a caller that ignores ``Retry-After`` could keep the service busy with refusals alone.
    """

    def __init__(self, *, max_per_second: int = MAX_REFUSALS_PER_SECOND) -> None:
        self._max_per_second = max_per_second
        self._second = 0
        self._refusals = 0

    def next_delay_seconds(self, now: float) -> float:
        """Return the delay of the next refusal; ``now`` is in seconds of a monotonic clock."""
        if int(now) != self._second:
            self._second, self._refusals = int(now), 0
        self._refusals += 1
        return 0.0 if self._refusals <= self._max_per_second else REFUSAL_DELAY_SECONDS


def _build_refusal(reason: str, sentence: str) -> Overloaded:
    metrics.SHED.labels(reason).inc()
    return Overloaded(f"{sentence} Please try again shortly.", retry_after=next(RETRY_AFTER_SECONDS))


def refuse_stream() -> Overloaded:
    return _build_refusal("streams", "The service has no room for more event streams.")


def refuse_body() -> Overloaded:
    return _build_refusal("bodies", "The service has no memory for more request bodies.")
