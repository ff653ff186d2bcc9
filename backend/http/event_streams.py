"""Sends new states of resources to many subscribers: event streams and long polls.

One task polls the sources and offers new states to the subscribers. A subscriber holds a connection, but no
thread and no place among the requests in progress. It buffers one unsent state, which a newer one replaces. A
slow subscriber therefore gets fewer states and takes no more memory.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import structlog
from anyio import CapacityLimiter, to_thread

from backend.http.events import HEARTBEAT, RETRY, Event, EventSource, Resource
from backend.http.limits.load_shedding import LoadShedder, refuse_stream

log = structlog.get_logger(__name__)

POLL_SECONDS = 0.25
CREDENTIAL_CHECK_SECONDS = 2.0
"""How often the credentials of streams are checked again."""
HEARTBEAT_SECONDS = 15.0
"""A comment is sent after this time without an event, so that proxies keep the connection."""
SUBSCRIBERS_PER_STEP, STEP_PAUSE_SECONDS = 10, 0.004
"""New states are handed to a few subscribers at a time, so that other requests are answered in between."""


class Subscriber:
    """One connection that gets the states of a resource. Belongs to the event loop's thread."""

    def __init__(self, resource: Resource, sent_id: str | None, is_allowed: Callable[[], bool]) -> None:
        """``sent_id`` is the id of the state that the client has."""
        self.resource = resource
        self.is_allowed = is_allowed
        self.sent_id = sent_id
        self.sent_at = time.monotonic()
        self._next: Event | None = None
        self._needs_heartbeat = False
        self._has_ended = False
        self._wake = asyncio.Event()

    def offer(self, event: Event) -> None:
        self._next = event
        self._wake.set()

    def keep_alive(self) -> None:
        self._needs_heartbeat = True
        self._wake.set()

    def end(self) -> None:
        self._has_ended = True
        self._wake.set()

    async def events(self) -> AsyncIterator[Event | None]:
        """Generate the states that the client does not have, and None for each heartbeat."""
        while not self._has_ended:
            await self._wake.wait()
            self._wake.clear()
            event, self._next = self._next, None
            if event is not None and event.id != self.sent_id:
                self.sent_id, self.sent_at = event.id, time.monotonic()
                yield event
            elif self._needs_heartbeat:
                self.sent_at = time.monotonic()
                yield None
            self._needs_heartbeat = False
            if event is not None and event.is_last:
                return

    async def messages(self) -> AsyncIterator[bytes]:
        """Generate the messages of an event stream."""
        yield RETRY
        async for event in self.events():
            yield HEARTBEAT if event is None else event.message


class EventStreams:
    """All subscribers of one process. Belongs to the event loop's thread."""

    def __init__(self, load: LoadShedder, *, max_subscribers: int) -> None:
        self._load = load
        self._max_subscribers = max_subscribers
        self._subscribers: set[Subscriber] = set()
        self._known: dict[Resource, Event] = {}
        self._failing: set[EventSource] = set()
        self._task: asyncio.Task[None] | None = None
        self._thread = CapacityLimiter(1)
        self._checked_at = 0.0
        self._is_closed = False

    @property
    def is_full(self) -> bool:
        return self._is_closed or len(self._subscribers) >= self._max_subscribers

    @contextmanager
    def subscribe(
        self,
        resource: Resource,
        *,
        current: Event,
        last_id: str | None = None,
        is_allowed: Callable[[], bool] = lambda: True,
    ) -> Iterator[Subscriber]:
        """Subscribe to a resource while the block runs.

        Raises :class:`backend.errors.Overloaded` if there are too many subscribers. The subscriber gets
        ``current`` first unless the client has it already (``last_id``). Its events end when ``is_allowed``
        returns false, which is called in a worker thread every few seconds.
        """
        if self.is_full:
            raise refuse_stream()
        subscriber = Subscriber(resource, last_id, is_allowed)
        known = self._known.setdefault(resource, current)
        subscriber.offer(
            known if known.id == current.id else current
        )  # all subscribers share one encoded message
        self._subscribers.add(subscriber)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run())
        self._load.leave()
        try:
            yield subscriber
        finally:
            self._load.enter()
            self._subscribers.discard(subscriber)

    def close(self) -> None:
        """End all streams and waits, and refuse new ones: the process is about to stop."""
        self._is_closed = True
        for subscriber in self._subscribers:
            subscriber.end()

    async def _run(self) -> None:
        while self._subscribers:
            await asyncio.sleep(POLL_SECONDS)
            try:
                await self._poll()
            except Exception:
                log.exception("event_streams_poll_failed")

    async def _poll(self) -> None:
        subscribers: dict[Resource, list[Subscriber]] = {}
        for subscriber in self._subscribers:
            subscribers.setdefault(subscriber.resource, []).append(subscriber)
        known = {resource: self._known.get(resource) for resource in subscribers}
        self._known = {}  # resources that get a subscriber from now on are added here
        self._known |= await to_thread.run_sync(self._load_states, known, limiter=self._thread)
        refused = await self._find_refused_subscribers()
        handed_over = 0
        for resource, group in subscribers.items():
            for subscriber in group:
                if not self._hand_over(
                    subscriber, self._known.get(resource), is_refused=subscriber in refused
                ):
                    continue
                handed_over += 1
                if handed_over % SUBSCRIBERS_PER_STEP == 0:
                    await asyncio.sleep(STEP_PAUSE_SECONDS)

    def _hand_over(self, subscriber: Subscriber, event: Event | None, *, is_refused: bool) -> bool:
        """Give the subscriber what is new. Returns whether there was anything."""
        if is_refused or event is None:
            subscriber.end()
        elif event.id != subscriber.sent_id:
            subscriber.offer(event)
        elif time.monotonic() - subscriber.sent_at >= HEARTBEAT_SECONDS:
            subscriber.keep_alive()
        else:
            return False
        return True

    async def _find_refused_subscribers(self) -> Collection[Subscriber]:
        now = time.monotonic()
        if now - self._checked_at < CREDENTIAL_CHECK_SECONDS:
            return ()
        self._checked_at = now
        return await to_thread.run_sync(
            _list_refused_subscribers, tuple(self._subscribers), limiter=self._thread
        )

    def _load_states(self, known: Mapping[Resource, Event | None]) -> dict[Resource, Event]:
        """Load the states of all sources. Those of a source that fails stay as they are."""
        by_source: dict[EventSource, dict[Any, Event | None]] = {}
        for resource, event in known.items():
            by_source.setdefault(resource.source, {})[resource.key] = event
        states: dict[Resource, Event] = {}
        for source, of_source in by_source.items():
            try:
                loaded = source.load(of_source)
                self._failing.discard(source)
            except Exception as error:  # noqa: BLE001 - the store may fail; the next poll tries again
                if source not in self._failing:
                    log.warning("event_source_failed", error=type(error).__name__)
                self._failing.add(source)
                loaded = {key: event for key, event in of_source.items() if event is not None}
            states |= {Resource(source, key): event for key, event in loaded.items()}
        return states


def _list_refused_subscribers(subscribers: Collection[Subscriber]) -> set[Subscriber]:
    return {subscriber for subscriber in subscribers if not subscriber.is_allowed()}
