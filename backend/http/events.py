"""Defines the states of resources that clients subscribe to, and their form as server-sent events (HTML)."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

RETRY = b"retry: 3000\n\n"
"""Tells a client how many milliseconds to wait before it connects again."""
HEARTBEAT = b": nothing new\n\n"
"""A comment, which clients ignore."""


@dataclass(frozen=True)
class Event:
    """One state of a resource: its id and its body. No other state follows one with ``is_last``."""

    id: str
    body: bytes
    is_last: bool = False
    version: Any = None
    """What the source compares to know whether the state is still the same."""
    loaded_at: float = field(default_factory=time.monotonic, compare=False)

    @cached_property
    def message(self) -> bytes:
        """The event as it is sent; encoded once for all streams."""
        lines = b"".join(b"data: %b\n" % line for line in self.body.splitlines())
        return b"id: %b\n%b\n" % (self.id.encode(), lines)


class EventSource(Protocol):
    """Loads the states of resources."""

    def load(self, known: Mapping[Any, Event | None]) -> Mapping[Any, Event]:
        """Return the states of the resources by key.

        ``known`` has the last state of each, which the source may return again. A resource that no longer
        exists is left out. Called in a worker thread, several times a second: this must be cheap if nothing
        has changed.
        """
        ...


@dataclass(frozen=True)
class Resource:
    """A resource that clients can subscribe to: its source, and its key there."""

    source: EventSource
    key: Any
