"""Waits for what other threads, processes and pages do, at their own pace.

A limit here ends a test in which something hangs. A busy machine is slow for a minute and not broken.
"""

import time
from collections.abc import Callable

LIMIT_SECONDS = 180.0
LIMIT_MS = 1000 * LIMIT_SECONDS
PAUSE_SECONDS = 0.02


def wait_for(condition: Callable[[], bool], what: str, seconds: float = LIMIT_SECONDS) -> None:
    """Until ``condition()`` holds; raises an AssertionError that names ``what`` if it never does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:.0f} s."
        time.sleep(PAUSE_SECONDS)
