"""Waits for other threads, processes and pages.

The limit ends a test that hangs. It is long, since a busy machine may be slow for a minute.
"""

import time
from collections.abc import Callable

LIMIT_SECONDS = 180.0
LIMIT_MS = 1000 * LIMIT_SECONDS
POLL_INTERVAL_SECONDS = 0.02


def wait_for(condition: Callable[[], bool], what: str, seconds: float = LIMIT_SECONDS) -> None:
    """Wait until ``condition()`` holds. Raises an AssertionError that names ``what`` at the limit."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:.0f} s."
        time.sleep(POLL_INTERVAL_SECONDS)
