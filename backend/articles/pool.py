"""Large batches of articles spread over processes, since what reads them holds the interpreter's lock.

Every process has compiled the same rules; one that holds others than its caller says so, and the
caller does the work itself. So it does while the processes start, and when one has died, after which
new ones are started. What comes out is the same in every case, byte for byte.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process

import orjson
import structlog

from backend.articles.batches import Done, Work, text_size, work_on
from backend.articles.matching.compiled import RuleSet
from backend.articles.rules.ruleset import Rules
from backend.articles.schemas import Article
from backend.settings import Settings

log = structlog.get_logger(__name__)

WORTH_SPREADING = 256 * 1024
"""Characters below which one process is done sooner than several have been told what to do."""
SMALLEST_PIECE = 32 * 1024
PIECES_EACH = 3
"""Pieces of a batch for each process: the last ones even out what takes longer than expected."""
MOST_BY_DEFAULT = 4
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before new processes are started after one died; doubled while they die again."""

Reply = tuple[bytes, bytes] | None
"""Results, and violations as JSON; none where the process holds other rules."""


class ScanPool:
    """Up to ``settings.scan_processes`` processes, started when first needed. Safe to share by threads."""

    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self.processes = how_many(settings)
        self._lock = threading.Lock()
        self._executor: ProcessPoolExecutor | None = None
        self._greetings: list[Future[int]] = []
        self._not_before = 0.0
        self._pause = FIRST_PAUSE
        self._closed = False

    def run(self, work: Work, rules: RuleSet, articles: Sequence[Article]) -> Done:
        """The results of all articles in their order."""
        sizes = [text_size(article) for article in articles]
        executor = self._started() if _is_worthwhile(sizes) else None
        if executor is None or not self._is_warm():
            return work_on(work, rules, articles)
        pieces = cut(articles, sizes, self.processes * PIECES_EACH)
        sent = [(piece, self._send(executor, work, rules, piece)) for piece in pieces]
        done = [self._receive(executor, work, rules, piece, future) for piece, future in sent]
        return Done(b",".join(each.results for each in done), [v for each in done for v in each.violations])

    def warm_up(self) -> bool:
        """Start the processes and wait until they have compiled the rules; false where there are none."""
        executor = self._started()
        if executor is None:
            return False
        for greeting in list(self._greetings):
            try:
                greeting.result()
            except BrokenProcessPool:
                self._forget(executor)
                return False
        return True

    def process_ids(self) -> set[int]:
        """Of the processes that have answered so far."""
        answered = [greeting for greeting in self._greetings if greeting.done() and not greeting.cancelled()]
        return {greeting.result() for greeting in answered if greeting.exception() is None}

    def close(self) -> None:
        """Let go of what waits, let the processes end what they do, and wait for them."""
        with self._lock:
            self._closed = True
            executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)

    def _started(self) -> ProcessPoolExecutor | None:
        with self._lock:
            if self.processes == 0 or self._closed:
                return None
            if self._executor is None and self._clock() >= self._not_before:
                self._executor = ProcessPoolExecutor(
                    self.processes, get_context("spawn"), initializer=_begin, initargs=(self._settings,)
                )
                self._greetings = [self._executor.submit(_greet) for _ in range(self.processes)]
                log.info("scan_processes_started", processes=self.processes)
            return self._executor

    def _is_warm(self) -> bool:
        return all(greeting.done() for greeting in self._greetings)

    def _send(
        self, executor: ProcessPoolExecutor, work: Work, rules: RuleSet, piece: Sequence[Article]
    ) -> Future[Reply] | None:
        payload = orjson.dumps([article.model_dump() for article in piece])
        try:
            return executor.submit(_work, work, rules.version, payload)
        except RuntimeError:  # broken or closed since
            self._forget(executor)
            return None

    def _receive(
        self,
        executor: ProcessPoolExecutor,
        work: Work,
        rules: RuleSet,
        piece: Sequence[Article],
        future: Future[Reply] | None,
    ) -> Done:
        reply = None if future is None else self._reply(executor, future)
        if reply is None:
            return work_on(work, rules, piece)
        results, violations = reply
        return Done(results, orjson.loads(violations))

    def _reply(self, executor: ProcessPoolExecutor, future: Future[Reply]) -> Reply:
        try:
            reply = future.result()
        except Exception as error:  # noqa: BLE001 - whatever befell the process, the work is done here
            log.warning("scan_process_failed", error=type(error).__name__)
            if future.cancelled() or isinstance(error, BrokenProcessPool):
                self._forget(executor)
            return None
        self._pause = FIRST_PAUSE
        return reply

    def _forget(self, executor: ProcessPoolExecutor) -> None:
        """Have new processes started, a while after these broke; once, whoever notices."""
        with self._lock:
            if self._executor is not executor:
                return
            self._executor = None
            self._not_before = self._clock() + self._pause
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
        executor.shutdown(wait=False, cancel_futures=True)


def how_many(settings: Settings) -> int:
    """As many as are set; by default a core is left to everything else."""
    if settings.scan_processes is not None:
        return settings.scan_processes
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable - 1, MOST_BY_DEFAULT)


def cut(articles: Sequence[Article], sizes: Sequence[int], pieces: int) -> list[list[Article]]:
    """Neighbouring articles in about so many pieces of about the same size, none of them empty."""
    size = max(sum(sizes) / pieces, SMALLEST_PIECE)
    cuts: list[list[Article]] = [[]]
    filled = 0
    for article, more in zip(articles, sizes, strict=True):
        if cuts[-1] and filled + more / 2 > size:
            cuts.append([])
            filled = 0
        cuts[-1].append(article)
        filled += more
    return cuts


def _is_worthwhile(sizes: Sequence[int]) -> bool:
    return len(sizes) > 1 and sum(sizes) >= WORTH_SPREADING


# -- in the processes --------------------------------------------------------------------------------

_rules: Rules | None = None


def _begin(settings: Settings) -> None:
    """Once in each process, before its first piece."""
    global _rules
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the parent, which ends this one in order
    threading.Thread(target=_end_with_parent, name="parent-watch", daemon=True).start()
    _rules = Rules(settings)


def _end_with_parent() -> None:
    """However the parent went: the queue that this process waits for never tells."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _greet() -> int:
    return os.getpid()


def _work(work: Work, version: str, payload: bytes) -> Reply:
    assert _rules is not None
    if _rules.version != version:
        _rules.refresh()
    if _rules.version != version:
        return None
    done = work_on(work, _rules.current, [Article(**article) for article in orjson.loads(payload)])
    return done.results, orjson.dumps(done.violations)
