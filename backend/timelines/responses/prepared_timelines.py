"""Holds small responses as a whole, until runs or profiles change in any process."""

import asyncio
from collections import OrderedDict
from contextlib import suppress
from threading import Lock

from backend.http.prepared_responses import Prepared
from backend.store.database import Database
from backend.timelines.profiles.configured_profiles import Profiles
from backend.timelines.store import CHANGE_TOPIC
from backend.timelines.store_snapshot import TimelinesSnapshot

MAX_RUNS = 2_000
"""Maximum number of runs of a response that is built as a whole; larger ones are streamed."""
MAX_BODY_BYTES = 2 * 1024 * 1024
"""Maximum size of the runs of such a response, unless the memory is smaller."""
PATH = "/v1/timelines"
RequestKey = tuple[str, bytes]
"""A path and a query string, exactly as received."""


class PreparedTimelines:
    """Serves whole responses as long as the store has no change. Thread-safe.

    A look-up reads the change counter, so a new run is visible at once in every process. This takes some
    microseconds on SQLite. On PostgreSQL it would take a round trip, so nothing is held there.
    """

    def __init__(self, database: Database, profiles: Profiles, max_bytes: int) -> None:
        """``max_bytes`` limits the bodies that are held; the least recently used one goes first."""
        self._database = database
        self._profiles = profiles
        self._max_bytes = max_bytes
        self.max_body_bytes = min(MAX_BODY_BYTES, max_bytes)
        self._lock = Lock()
        self._state = (0, 0)
        self._checked = False
        self._responses: OrderedDict[RequestKey, Prepared] = OrderedDict()
        self._bytes = 0

    def find(self, path: str, query: bytes) -> Prepared | None:
        """Return the response to exactly this path and query string, if it is held and still right."""
        if not path.startswith(PATH) or (path, query) not in self._responses:
            return None
        if not self._checked:
            self._check()
        with self._lock:
            response = self._responses.get((path, query))
            if response is not None:
                self._responses.move_to_end((path, query))
            return response

    def _check(self) -> None:
        """Drop all responses if the store has a change.

        One check serves all requests of one iteration of the event loop: it has received them before.
        """
        if (self._database.read_counter(CHANGE_TOPIC), self._profiles.generation) != self._state:
            with self._lock:
                self._clear()
            return
        with suppress(RuntimeError):  # no event loop in this thread
            asyncio.get_running_loop().call_soon(self._forget_check)
            self._checked = True

    def _forget_check(self) -> None:
        self._checked = False

    def store(self, key: RequestKey, response: Prepared, snapshot: TimelinesSnapshot) -> None:
        """Hold a response that was built from ``snapshot``."""
        if not self._database.is_sqlite:
            return
        with self._lock:
            state = (snapshot.number, snapshot.generation)
            if state != self._state:
                self._clear()
                self._state = state
            former = self._responses.pop(key, None)
            self._bytes += len(response.body) - (0 if former is None else len(former.body))
            self._responses[key] = response
            while self._bytes > self._max_bytes:
                self._bytes -= len(self._responses.popitem(last=False)[1].body)

    def _clear(self) -> None:
        self._responses.clear()
        self._bytes = 0
