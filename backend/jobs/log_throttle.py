"""Drops repeated log messages of dbos.

If the store refuses writes, dbos warns every second and at every tick of every schedule, mostly with a
traceback: on a full disk that is some hundred megabytes a day.
"""

import logging
import re
import threading
import time
from collections.abc import Callable

REPEAT_SECONDS = 600.0
MAX_REMEMBERED_MESSAGES = 1_000
_EXCEPTION_LINE = re.compile(r"^[\w.]+(?:Error|Exception)\b.*", re.MULTILINE)


class RepeatedWarningFilter(logging.Filter):
    """Drops a warning or error that was logged within the last :data:`REPEAT_SECONDS`.

    Two messages are the same if their first lines and the last exceptions of their tracebacks are equal. The
    next message that passes tells the number of dropped ones.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._guard = threading.Lock()
        self._last_logged: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        key, now = _build_message_key(record.getMessage()), self._clock()
        with self._guard:
            logged_at, dropped = self._last_logged.get(key, (-REPEAT_SECONDS, 0))
            if now - logged_at < REPEAT_SECONDS:
                self._last_logged[key] = logged_at, dropped + 1
                return False
            if len(self._last_logged) >= MAX_REMEMBERED_MESSAGES:
                self._last_logged.clear()
            self._last_logged[key] = now, 0
        if dropped:
            record.msg = f"{record.getMessage().rstrip()} (and {dropped} times since this was last logged)"
            record.args = None
        return True


def _build_message_key(message: str) -> tuple[str, str]:
    """Return the first line and the last exception of a traceback in ``message``."""
    raised = _EXCEPTION_LINE.findall(message)
    return message.partition("\n")[0], raised[-1] if raised else ""
