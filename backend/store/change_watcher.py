"""How a process learns that another one changed something, without a query a request.

Writers call :func:`backend.store.database.bump` inside their transaction. Each process has one
:class:`ChangeWatcher`, which reads the counters once a second and calls those who subscribed to a
topic whose counter moved. A dead database is reported once and asked again; subscribers keep what
they had. A subscriber that fails is reported once and called again.
"""

import threading
import time
from collections.abc import Callable

import sqlalchemy as sa
import structlog

from backend.store.database import Database, change_counters

log = structlog.get_logger(__name__)


class ChangeWatcher:
    """Polls the change counters every ``interval`` seconds in a daemon thread."""

    def __init__(self, database: Database, *, interval: float = 1.0) -> None:
        self._database = database
        self._interval = interval
        self._seen: dict[str, int] = {}
        self._subscribers: dict[str, list[Callable[[], None]]] = {}
        self._each_time: list[Callable[[], None]] = []
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.last_success: float | None = None
        """``time.monotonic()`` of the last poll after which every subscriber was up to date."""
        self._failing: set[str] = set()

    def subscribe(self, topic: str, reload: Callable[[], None]) -> None:
        """Call ``reload`` whenever ``topic`` changed, in the watcher's thread."""
        self._subscribers.setdefault(topic, []).append(reload)

    def each_time(self, call: Callable[[], None]) -> None:
        """Call ``call`` after every poll, failed ones too: for what changes by the clock alone."""
        self._each_time.append(call)

    def poll(self) -> None:
        """One look; public so that tests need no thread and no waiting."""
        with self._database.read() as connection:
            now = {row.topic: row.n for row in connection.execute(sa.select(change_counters))}
        current = True
        for topic, reloads in self._subscribers.items():
            if now.get(topic, 0) != self._seen.get(topic, 0):
                # One that fails keeps no other from its news, and is called again at the next look.
                failed = [reload for reload in reloads if not self._call(topic, reload)]
                if failed:
                    current = False
                else:
                    self._seen[topic] = now.get(topic, 0)
        if current:
            self.last_success = time.monotonic()

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="change-watcher", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread:
            self._thread.join(timeout=5)

    def _run(self) -> None:
        failing = False
        while not self._stop.wait(self._interval):
            try:
                self.poll()
                if failing:
                    log.info("database_answers_again")
                failing = False
            except Exception as error:  # noqa: BLE001 - the thread must outlive any fault of a dependency
                if not failing:
                    log.warning("database_does_not_answer", error=type(error).__name__)
                failing = True
            for call in self._each_time:
                self._call("each_time", call)

    def _call(self, topic: str, call: Callable[[], None]) -> bool:
        """Whether ``call`` went well; a fault is reported when it begins and when it is over."""
        try:
            call()
        except Exception:
            if topic not in self._failing:
                log.exception("reload_failed", topic=topic)
                self._failing.add(topic)
            return False
        if topic in self._failing:
            log.info("reload_works_again", topic=topic)
            self._failing.discard(topic)
        return True
