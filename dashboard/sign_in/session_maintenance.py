"""What is looked after while people are signed in: that those whose pages are open still may see them."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from dashboard.sign_in.service import Desk
from dashboard.sign_in.session import Session

EVERY_SECONDS = 1.0
LONGEST_SECONDS = 5.0
log = logging.getLogger(__name__)


class Rounds:
    """A thread that, every second, has ``look`` ask the service in the name of whoever has a page open and
    was not heard of for a moment: a session that was revoked closes its pages at once, whatever they show.

    A page that refreshes by itself is heard of anyhow; for the others it is one small request every 2 s.
    What is tidied meanwhile may wait for the service, and has a thread of its own, so that no look does.
    """

    def __init__(self, desk: Desk, look: Callable[[Session], None]) -> None:
        self._desk = desk
        self._look = look
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="sign-in-look")
        self._tidier = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sign-in-tidy")
        self._tidying: Future[None] | None = None
        self._thread = threading.Thread(target=self._run, name="sign-in-rounds", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._tidier.shutdown(wait=False, cancel_futures=True)

    def once(self) -> None:
        """One round: whoever was revoked has no page open when it ends."""
        if self._tidying is None or self._tidying.done():
            self._tidying = self._tidier.submit(self._tidy)
        doubtful = [session for session in self._desk.sessions.all() if session.watched and session.doubtful]
        looks = [self._pool.submit(self._look, session) for session in doubtful]
        for late in wait(looks, LONGEST_SECONDS).not_done:  # the service hangs: they are looked at next time
            late.cancel()

    def _tidy(self) -> None:
        try:
            self._desk.sessions.tidy()
        except Exception:  # the next time may succeed
            if not self._stop.is_set():
                log.exception("Sessions could not be tidied.")

    def _run(self) -> None:
        while not self._stop.wait(EVERY_SECONDS):
            try:
                self.once()
            except Exception:  # the thread lives on: the next round may succeed
                if not self._stop.is_set():
                    log.exception("Sessions could not be looked after.")
