"""How a process learns that another one changed something, without a query a request.

Writers call :func:`backend.db.bump` inside their transaction. Each process has one
:class:`ChangeWatcher`, which reads the counters once a second and calls those who subscribed to a
topic whose counter moved. A dead database is reported once and asked again; subscribers keep what
they had.
"""

import threading
import time
from collections.abc import Callable

import sqlalchemy as sa
import structlog

from backend.db import Database, change_counters

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
        """``time.monotonic()`` of the last poll that the database answered."""

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
        for topic, reloads in self._subscribers.items():
            if now.get(topic, 0) != self._seen.get(topic, 0):
                for reload in reloads:
                    reload()
                self._seen[topic] = now.get(topic, 0)
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
                call()
