"""A log that tells the same fault once in a while.

dbos warns of a store that does not take its writes at every tick of every schedule and every second
besides, mostly with a traceback: on a full disk that is some hundred megabytes a day.
"""

import logging
import re
import threading
import time
from collections.abc import Callable

AGAIN_SECONDS = 600.0
MOST_KEPT = 1_000
_RAISED = re.compile(r"^[\w.]+(?:Error|Exception)\b.*", re.MULTILINE)


class OnceInAWhile(logging.Filter):
    """Drops a warning or error that was told within the last :data:`AGAIN_SECONDS`.

    Two are the same when they begin alike and their tracebacks end in the same exception. The next one that
    passes says how many were dropped.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._guard = threading.Lock()
        self._told: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        key, now = _gist(record.getMessage()), self._clock()
        with self._guard:
            told_at, dropped = self._told.get(key, (-AGAIN_SECONDS, 0))
            if now - told_at < AGAIN_SECONDS:
                self._told[key] = told_at, dropped + 1
                return False
            if len(self._told) >= MOST_KEPT:
                self._told.clear()
            self._told[key] = now, 0
        if dropped:
            record.msg = f"{record.getMessage().rstrip()} (and {dropped} times since this was last told)"
            record.args = None
        return True


def _gist(message: str) -> tuple[str, str]:
    """The first line, and the last exception that a traceback in ``message`` names."""
    raised = _RAISED.findall(message)
    return message.partition("\n")[0], raised[-1] if raised else ""
