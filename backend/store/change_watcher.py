"""Polls change counters in the store, so that processes learn of each other's changes.

Writers call :func:`backend.store.database.bump` inside their transaction. Each process has one
:class:`ChangeWatcher`. It reads the counters once a second and calls the subscribers of each topic whose
counter changed. If the database fails, the watcher logs this once and retries; subscribers keep their data.
A subscriber that fails is logged once and called again.
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
        self._after_poll: list[Callable[[], None]] = []
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.last_success: float | None = None
        """``time.monotonic()`` of the last poll after which every subscriber was up to date."""
        self._failing: set[str] = set()

    def subscribe(self, topic: str, reload: Callable[[], None]) -> None:
        """Call ``reload`` in the watcher's thread after each change of ``topic``."""
        self._subscribers.setdefault(topic, []).append(reload)

    def call_after_poll(self, call: Callable[[], None]) -> None:
        """Call ``call`` after every poll, also after a failed one: for data that depend on the time alone."""
        self._after_poll.append(call)

    def poll(self) -> None:
        """Poll once. This is public so that tests need neither threads nor waits."""
        with self._database.read() as connection:
            now = {row.topic: row.n for row in connection.execute(sa.select(change_counters))}
        current = True
        for topic, reloads in self._subscribers.items():
            if now.get(topic, 0) != self._seen.get(topic, 0):
                # A failing subscriber does not stop the others, and the next poll calls it again.
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
                    log.info("database_recovered")
                failing = False
            except Exception as error:  # noqa: BLE001 - the thread must survive any error of a dependency
                if not failing:
                    log.warning("database_unreachable", error=type(error).__name__)
                failing = True
            for call in self._after_poll:
                self._call("after_poll", call)

    def _call(self, topic: str, call: Callable[[], None]) -> bool:
        """Call ``call`` and return whether it succeeded. Logs the first failure and the recovery."""
        try:
            call()
        except Exception:
            if topic not in self._failing:
                log.exception("reload_failed", topic=topic)
                self._failing.add(topic)
            return False
        if topic in self._failing:
            log.info("reload_recovered", topic=topic)
            self._failing.discard(topic)
        return True
