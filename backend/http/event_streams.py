"""Follows resources for many readers at once: event streams, and requests that wait for a change.

One task polls the sources of all readers and hands over new states. A reader holds a connection and neither a
thread nor a place among the requests in progress. Each has room for one state that it has not sent yet: a
newer state replaces it, so that a slow reader gets fewer states and takes no more memory.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import structlog
from anyio import CapacityLimiter, to_thread

from backend.http.events import HEARTBEAT, RETRY, Event, EventSource, Followed
from backend.http.limits.load_shedding import LoadShedder, refuse_stream

log = structlog.get_logger(__name__)

POLL_SECONDS = 0.25
CREDENTIAL_CHECK_SECONDS = 2.0
"""How often the credentials of streams are checked again."""
HEARTBEAT_SECONDS = 15.0
"""A comment is sent after this time without an event, so that proxies keep the connection."""
READERS_PER_STEP, STEP_PAUSE_SECONDS = 10, 0.004
"""New states are handed to a few readers at a time, so that other requests are answered in between."""


class Reader:
    """One connection that follows a resource. Belongs to the event loop's thread."""

    def __init__(self, followed: Followed, sent_id: str | None, is_allowed: Callable[[], bool]) -> None:
        """``sent_id`` is the id of the state that the client has."""
        self.followed = followed
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
            if event is not None and event.last:
                return

    async def messages(self) -> AsyncIterator[bytes]:
        """Generate the messages of an event stream."""
        yield RETRY
        async for event in self.events():
            yield HEARTBEAT if event is None else event.message


class EventStreams:
    """All readers of one process. Belongs to the event loop's thread."""

    def __init__(self, load: LoadShedder, *, max_readers: int) -> None:
        self._load = load
        self._max_readers = max_readers
        self._readers: set[Reader] = set()
        self._known: dict[Followed, Event] = {}
        self._failing: set[EventSource] = set()
        self._task: asyncio.Task[None] | None = None
        self._thread = CapacityLimiter(1)
        self._checked_at = 0.0
        self._is_closed = False

    @property
    def is_full(self) -> bool:
        return self._is_closed or len(self._readers) >= self._max_readers

    @contextmanager
    def follow(
        self,
        followed: Followed,
        *,
        current: Event,
        last_id: str | None = None,
        is_allowed: Callable[[], bool] = lambda: True,
    ) -> Iterator[Reader]:
        """Follow a resource while the block runs. Raises :class:`backend.errors.Overloaded` if it is full.

        The reader gets ``current`` first unless the client has it already (``last_id``). Its events end when
        ``is_allowed`` returns false, which is called in a worker thread every few seconds.
        """
        if self.is_full:
            raise refuse_stream()
        reader = Reader(followed, last_id, is_allowed)
        known = self._known.setdefault(followed, current)
        reader.offer(known if known.id == current.id else current)  # all readers share one encoded message
        self._readers.add(reader)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run())
        self._load.leave()
        try:
            yield reader
        finally:
            self._load.enter()
            self._readers.discard(reader)

    def close(self) -> None:
        """End all streams and waits, and refuse new ones: the process is about to stop."""
        self._is_closed = True
        for reader in self._readers:
            reader.end()

    async def _run(self) -> None:
        while self._readers:
            await asyncio.sleep(POLL_SECONDS)
            try:
                await self._poll()
            except Exception:
                log.exception("event_streams_poll_failed")

    async def _poll(self) -> None:
        readers: dict[Followed, list[Reader]] = {}
        for reader in self._readers:
            readers.setdefault(reader.followed, []).append(reader)
        known = {followed: self._known.get(followed) for followed in readers}
        self._known = {}  # gets the resources that are followed from now on
        self._known |= await to_thread.run_sync(self._load_states, known, limiter=self._thread)
        refused = await self._find_refused()
        handed_over = 0
        for followed, group in readers.items():
            for reader in group:
                if not self._hand_over(reader, self._known.get(followed), is_refused=reader in refused):
                    continue
                handed_over += 1
                if handed_over % READERS_PER_STEP == 0:
                    await asyncio.sleep(STEP_PAUSE_SECONDS)

    def _hand_over(self, reader: Reader, event: Event | None, *, is_refused: bool) -> bool:
        """Give the reader what is new. Returns whether there was anything."""
        if is_refused or event is None:
            reader.end()
        elif event.id != reader.sent_id:
            reader.offer(event)
        elif time.monotonic() - reader.sent_at >= HEARTBEAT_SECONDS:
            reader.keep_alive()
        else:
            return False
        return True

    async def _find_refused(self) -> Collection[Reader]:
        now = time.monotonic()
        if now - self._checked_at < CREDENTIAL_CHECK_SECONDS:
            return ()
        self._checked_at = now
        return await to_thread.run_sync(_list_refused, tuple(self._readers), limiter=self._thread)

    def _load_states(self, known: Mapping[Followed, Event | None]) -> dict[Followed, Event]:
        """Load the states of all sources. Those of a source that fails stay as they are."""
        by_source: dict[EventSource, dict[Any, Event | None]] = {}
        for followed, event in known.items():
            by_source.setdefault(followed.source, {})[followed.key] = event
        states: dict[Followed, Event] = {}
        for source, of_source in by_source.items():
            try:
                loaded = source.load(of_source)
                self._failing.discard(source)
            except Exception as error:  # noqa: BLE001 - the store may fail; the next poll tries again
                if source not in self._failing:
                    log.warning("event_source_failed", error=type(error).__name__)
                self._failing.add(source)
                loaded = {key: event for key, event in of_source.items() if event is not None}
            states |= {Followed(source, key): event for key, event in loaded.items()}
        return states


def _list_refused(readers: Collection[Reader]) -> set[Reader]:
    return {reader for reader in readers if not reader.is_allowed()}
