"""What is wrong with each asset's figure, gathered in the background for the whole process.

``/rankings`` and ``/prices`` do not carry the flags of a figure (divergent, conflict, …); only
``/prices/{id}/quotes`` does, one asset at a time. A thread walks through the assets at a walking
pace while somebody looks at the table, so that no page ever waits for it.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from dashboard.client import api
from dashboard.client.fetched import Fetched
from dashboard.client.wire import AssetQuotes

Flags = Mapping[str, tuple[str, ...]]
EVERY_SECONDS = 60.0
PAUSE_SECONDS = 0.02
"""Between two requests: a round takes a few seconds and never fills the service's queue."""


class FlagWatch:
    """The last complete round; its mapping keeps its identity until a flag changes."""

    def __init__(
        self,
        ask: Callable[[str], Fetched[AssetQuotes]],
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._ask, self._clock, self._pause = ask, clock, pause
        self._lock = threading.Lock()
        self._flags: Flags = {}
        self._started: float | None = None
        self._running = False

    def current(self, asset_ids: Sequence[str]) -> Flags:
        """What the last round found; starts the next one in the background when it is due."""
        with self._lock:
            due = self._started is None or self._clock() - self._started >= EVERY_SECONDS
            if due and asset_ids and not self._running:
                self._started, self._running = self._clock(), True
                threading.Thread(
                    target=self._round, args=(tuple(asset_ids),), name="flags", daemon=True
                ).start()
            return self._flags

    def walk(self, asset_ids: Sequence[str]) -> None:
        """One round. The first refusal ends it, and the last round's flags stand."""
        found: dict[str, tuple[str, ...]] = {}
        for asset_id in asset_ids:
            answer = self._ask(asset_id)
            if answer.data is None or answer.error is not None:
                if answer.error is not None and answer.error.status == 404:
                    continue  # gone from the configuration since the list was read
                return
            if answer.data["flags"]:
                found[asset_id] = tuple(answer.data["flags"])
            self._pause(PAUSE_SECONDS)
        if found != self._flags:
            self._flags = found

    def _round(self, asset_ids: Sequence[str]) -> None:
        try:
            self.walk(asset_ids)
        finally:
            self._running = False


_watch = FlagWatch(api.quotes)


def flags(asset_ids: Sequence[str]) -> Flags:
    """The known flags by asset id; assets without any are absent."""
    return _watch.current(asset_ids)
