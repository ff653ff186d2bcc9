"""Whose request is read next when more come than can be answered at once.

The event loop goes around: whoever has sent something is read, then all is worked at that came of it. With a
thousand requests to read or refuse, once around takes most of a second, and everybody waits for it, those
too who ask for nothing but /healthz. So only so much is read each time around, in the order in which it
came; the loop stays quick, and a new connection, or who runs the service, need not wait behind the others.
"""

import asyncio
from collections import deque
from collections.abc import Callable

AT_ONCE = 8
"""What is done each time around: a few milliseconds of work, so that a new connection is answered in tens."""
FIRST_AT_ONCE = 4
"""Of what goes first: a flood of it is not to keep everybody else waiting."""
PIECE = 16 * 1024
"""Bytes that are read in one turn."""
FIRST = tuple(
    f"{method} {path}{end}".encode()
    for method in ("GET", "HEAD")
    for path in ("/healthz", "/readyz", "/metrics")
    for end in " ?"
)
"""How requests begin that go first: whoever runs the service asks these, most of all when all is full."""


class Turns:
    """The turns of all connections to one process. Belongs to the event loop's thread."""

    def __init__(self, at_once: int = AT_ONCE, first_at_once: int = FIRST_AT_ONCE) -> None:
        self._at_once = self._left = at_once
        self._first_at_once = self._first_left = first_at_once
        self._waiting: deque[Callable[[], object]] = deque()
        self._goes_on = False

    def take(self) -> bool:
        """Whether it may be done now; if not, :meth:`wait`."""
        if self._waiting or not self._left:
            return False
        self._left -= 1
        self._go_on()
        return True

    def take_first(self, sent: bytes) -> bool:
        """Whether it may be done before all that waits, by how the request begins."""
        if not self._first_left or not sent.startswith(FIRST):
            return False
        self._first_left -= 1
        self._go_on()
        return True

    def wait(self, work: Callable[[], object]) -> None:
        """Have ``work`` done when it is its turn."""
        self._waiting.append(work)
        self._go_on()

    def _go_on(self) -> None:
        if not self._goes_on:
            self._goes_on = True
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        waiting = self._waiting
        self._left, self._first_left, self._goes_on = self._at_once, self._first_at_once, False
        if waiting:
            self._go_on()
        while waiting and self._left:
            self._left -= 1
            waiting.popleft()()
