"""Shares a folder and locks among all processes of a test run."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

VARIABLE = "CHAINPROOF_TEST_RUN_FOLDER"
"""Passes the folder to the processes that pytest-xdist starts."""


def path() -> Path:
    return Path(os.environ[VARIABLE])


@contextlib.contextmanager
def one_process_at_a_time(what: str) -> Iterator[None]:
    with (path() / f"{what}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def claim(what: str) -> None:
    """Reserve ``what`` for this process. Raises :class:`FileExistsError` if another process has it.

    Does nothing outside a test run, such as in a benchmark.
    """
    if VARIABLE in os.environ:
        (path() / what).touch(exist_ok=False)
