"""Checks the sessions of open pages every second, and cleans up ended sessions."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from dashboard.sign_in.service import SignInService
from dashboard.sign_in.session import Session

INTERVAL_SECONDS = 1.0
ROUND_TIMEOUT_SECONDS = 5.0
log = logging.getLogger(__name__)


class SessionMaintenance:
    """A thread that has ``check`` send a request for each session with an open page and no recent response.

    The pages of a revoked session are thus closed at once. Pages that refresh send requests anyway; for the
    others it is one small request every 2 s. The cleanup may wait for the service, so it has its own thread.
    """

    def __init__(self, service: SignInService, check: Callable[[Session], None]) -> None:
        self._service = service
        self._check = check
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="session-check")
        self._cleanup_pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="session-cleanup")
        self._cleanup_task: Future[None] | None = None
        self._thread = threading.Thread(target=self._run, name="session-maintenance", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._cleanup_pool.shutdown(wait=False, cancel_futures=True)

    def run_once(self) -> None:
        """Run one round; revoked sessions have no open page afterwards."""
        if self._cleanup_task is None or self._cleanup_task.done():
            self._cleanup_task = self._cleanup_pool.submit(self._run_cleanup)
        sessions = [
            session
            for session in self._service.sessions.list_all()
            if session.has_open_page and session.needs_check
        ]
        checks = [self._pool.submit(self._check, session) for session in sessions]
        # If the service hangs, the remaining sessions are checked in the next round.
        for unfinished in wait(checks, ROUND_TIMEOUT_SECONDS).not_done:
            unfinished.cancel()

    def _run_cleanup(self) -> None:
        try:
            self._service.sessions.cleanup()
        except Exception:  # the next cleanup may succeed
            if not self._stop.is_set():
                log.exception("Session cleanup failed.")

    def _run(self) -> None:
        while not self._stop.wait(INTERVAL_SECONDS):
            try:
                self.run_once()
            except Exception:  # the thread continues: the next round may succeed
                if not self._stop.is_set():
                    log.exception("Session maintenance failed.")
