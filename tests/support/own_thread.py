"""Lets a test see and disturb its own thread alone; servers of other tests may run beside it."""

import contextlib
import threading
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import structlog


def in_this_thread(stand_in: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
    """Calls ``stand_in`` in the thread that asked for this, and ``original`` in every other."""
    own = threading.get_ident()

    def call(*given: Any, **named: Any) -> Any:
        return (stand_in if threading.get_ident() == own else original)(*given, **named)

    return call


@contextlib.contextmanager
def logs_of_this_thread() -> Iterator[list[MutableMapping[str, Any]]]:
    """The events that this thread logs within the block."""
    own = threading.get_ident()

    def drop_of_others(_logger: object, _name: str, event: MutableMapping[str, Any]) -> Any:
        if threading.get_ident() != own:
            raise structlog.DropEvent
        return event

    with structlog.testing.capture_logs() as logs:
        structlog.get_config()["processors"].insert(0, drop_of_others)
        yield logs
