"""Limits patches and log capture to the test's own thread, since servers of other tests may run too."""

import contextlib
import threading
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import structlog


def in_this_thread(stand_in: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls ``stand_in`` in this thread, and ``original`` in all others."""
    own = threading.get_ident()

    def call(*arguments: Any, **options: Any) -> Any:
        return (stand_in if threading.get_ident() == own else original)(*arguments, **options)

    return call


@contextlib.contextmanager
def capture_logs_of_this_thread() -> Iterator[list[MutableMapping[str, Any]]]:
    """Capture the events that this thread logs within the block."""
    own = threading.get_ident()

    def drop_other_threads(_logger: object, _name: str, event: MutableMapping[str, Any]) -> Any:
        if threading.get_ident() != own:
            raise structlog.DropEvent
        return event

    with structlog.testing.capture_logs() as logs:
        structlog.get_config()["processors"].insert(0, drop_other_threads)
        yield logs
