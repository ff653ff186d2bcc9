"""How much the application has to do, and when it takes nothing more.

Endpoints run in threads; who finds none free waits in a queue that nobody sees. A caller that is refused
at once with a time to come back is better off than one that waits in it, and so is everybody behind.
"""

from itertools import cycle

from backend.errors import Overloaded
from backend.runtime import metrics

MOST_BODY_BYTES = 64 * 1024 * 1024
"""Of all bodies that are being read or worked at in a process, together."""
MOST_REFUSALS_A_SECOND = 200
LATER_SECONDS = 0.25
COME_BACK = cycle((1, 2, 3))
"""Seconds that callers are told, in turn: those refused together do not come back together."""


class Load:
    """What one process has in hand. Belongs to the event loop's thread."""

    def __init__(self, most_requests: int, *, most_body_bytes: int = MOST_BODY_BYTES) -> None:
        """``most_requests`` are those that run or wait for a thread, not those whose body is on its way."""
        self.most_requests = most_requests
        self.most_body_bytes = most_body_bytes
        self.requests = 0
        self.body_bytes = 0

    def refusal(self, *, crowded: bool) -> Overloaded | None:
        """Why nothing more is taken, if so. ``crowded`` says that there are too many connections."""
        if crowded:
            refusal = _shed("connections", "There are too many connections.")
            refusal.headers["Connection"] = "close"
            return refusal
        if self.requests >= self.most_requests:
            return _shed("requests", "The service has more to do than it can do in time.")
        return None

    def enter(self) -> None:
        self.requests += 1
        metrics.INSIDE.inc()

    def leave(self) -> None:
        self.requests -= 1
        metrics.INSIDE.dec()

    def holds_too_much(self) -> bool:
        return self.body_bytes > self.most_body_bytes


class Pace:
    """How fast refusals are told. A caller that asks again at once, whatever it is told, would otherwise
    have the service refuse and do nothing else."""

    def __init__(self, *, most_a_second: int = MOST_REFUSALS_A_SECOND) -> None:
        self._most = most_a_second
        self._second = 0
        self._told = 0

    def seconds(self, now: float) -> float:
        """How long to wait before the next is told; ``now`` counts seconds, monotonically."""
        if int(now) != self._second:
            self._second, self._told = int(now), 0
        self._told += 1
        return 0.0 if self._told <= self._most else LATER_SECONDS


def _shed(reason: str, why: str) -> Overloaded:
    metrics.SHED.labels(reason).inc()
    return Overloaded(f"{why} Please try again shortly.", retry_after=next(COME_BACK))


def no_room_for_bodies() -> Overloaded:
    return _shed("bodies", "The service is reading as much as it has room for.")
