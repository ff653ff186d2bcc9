"""Large batches of articles spread over processes, since what reads them holds the interpreter's lock.

Every process compiles the pack that is in force, which it reads from a file made for it: what the user has
on disk may be refused by now. By their start arguments the processes are handed its path alone. A parent
writes those into a pipe of which it holds the other end too, so that it would write megabytes for ever to a
process that was killed before it read them. When other rules come into force, other processes are started.
The caller does the work itself while they start, when one has died, and where it was called with rules that
are no longer in force. What comes out is the same in every case, byte for byte.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
import structlog

from backend.articles.batches import BatchOperation, BatchResult, run_batch, text_size
from backend.articles.matching.rule_set import CompiledPack, RuleSet
from backend.articles.rules.active_rules import ActiveRules
from backend.articles.rules.pack_transfer import load_rules, write_pack
from backend.articles.schemas import Article
from backend.settings import Settings

log = structlog.get_logger(__name__)

MIN_PARALLEL_CHARS = 256 * 1024
"""Characters below which one process is done sooner than several have been told what to do."""
MIN_CHUNK_CHARS = 32 * 1024
CHUNKS_PER_WORKER = 3
"""Pieces of a batch for each process: the last ones even out what takes longer than expected."""
MAX_DEFAULT_WORKERS = 4
INITIAL_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS = 1.0, 60.0
"""Seconds before new processes are started after one died; doubled while they die again."""

Reply = tuple[bytes, bytes]
"""Results, and violations as JSON."""


@dataclass(frozen=True, slots=True)
class WorkerPool:
    """Processes that hold one set of rules."""

    version: str
    executor: ProcessPoolExecutor
    handed: TemporaryDirectory[str]
    """Holds ``pack``."""
    pack: Path
    """The file that the processes read when they begin."""
    greetings: tuple[Future[int], ...]
    """The id of each process, once it has compiled the rules."""

    @property
    def is_warm(self) -> bool:
        return all(greeting.done() for greeting in self.greetings)

    def shutdown(self, *, wait: bool, cancel: bool) -> None:
        """Nothing is sent to the processes any more; with ``cancel`` what waits is not done either."""
        self.executor.shutdown(wait=wait, cancel_futures=cancel)
        self.handed.cleanup()


class ScanPool:
    """Up to ``settings.scan_processes`` processes with the set of ``rules`` that is in force, started when
    first needed. Safe to share by threads."""

    def __init__(
        self, settings: Settings, rules: ActiveRules, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rules = rules
        self._clock = clock
        self.processes = worker_count(settings)
        self._lock = threading.Lock()
        self._team: WorkerPool | None = None
        self._not_before = 0.0
        self._pause = INITIAL_BACKOFF_SECONDS
        self._closed = False

    def run(self, work: BatchOperation, rules: RuleSet, articles: Sequence[Article]) -> BatchResult:
        """The results of all articles in their order."""
        sizes = [text_size(article) for article in articles]
        team = self._started() if _is_worthwhile(sizes) else None
        if team is None or team.version != rules.version or not team.is_warm:
            return run_batch(work, rules, articles)
        pieces = split_into_chunks(articles, sizes, self.processes * CHUNKS_PER_WORKER)
        sent = [(piece, self._send(team, work, piece)) for piece in pieces]
        done = [self._receive(team, future) or run_batch(work, rules, piece) for piece, future in sent]
        return BatchResult(
            b",".join(each.results for each in done), [v for each in done for v in each.violations]
        )

    def close(self) -> None:
        """Let go of what waits, let the processes end what they do, and wait for them."""
        with self._lock:
            self._closed = True
            team, self._team = self._team, None
        if team is not None:
            team.shutdown(wait=True, cancel=True)

    def _started(self) -> WorkerPool | None:
        """The processes for the rules in force, which may be starting still; none where there are none."""
        with self._lock:
            if self.processes == 0 or self._closed:
                return None
            in_force = self._rules.in_force
            if self._team is not None and self._team.version != in_force.rules.version:
                self._team.shutdown(wait=False, cancel=False)  # what others have sent is still done
                self._team = None
            if self._team is None and self._clock() >= self._not_before:
                self._team = self._start(in_force)
            return self._team

    def _start(self, in_force: CompiledPack) -> WorkerPool | None:
        """New processes; none where one dies before all are told to greet, or the machine has no room."""
        with ExitStack() as undone:
            try:
                handed = TemporaryDirectory(prefix="chainproof-rules-", ignore_cleanup_errors=True)
                undone.callback(handed.cleanup)
                path = write_pack(handed.name, in_force.pack)
                executor = ProcessPoolExecutor(
                    self.processes, get_context("spawn"), initializer=_begin, initargs=(path,)
                )
                undone.callback(executor.shutdown, wait=False)
                greetings = tuple(executor.submit(_greet) for _ in range(self.processes))
            # ValueError: one that breaks meanwhile closes the files that the next process would be given.
            except (BrokenProcessPool, OSError, ValueError) as error:
                log.warning("scan_process_failed", error=type(error).__name__)
                self._put_off()
                return None
            undone.pop_all()
        log.info("scan_processes_started", processes=self.processes)
        return WorkerPool(in_force.rules.version, executor, handed, path, greetings)

    def _send(self, team: WorkerPool, work: BatchOperation, piece: Sequence[Article]) -> Future[Reply] | None:
        payload = orjson.dumps([article.model_dump() for article in piece])
        try:
            return team.executor.submit(_work, team.pack, work, payload)
        except RuntimeError:  # broken or closed since
            self._forget(team)
            return None

    def _receive(self, team: WorkerPool, future: Future[Reply] | None) -> BatchResult | None:
        """What a process made of a piece; none where it came to nothing, and the caller has to do it."""
        if future is None:
            return None
        try:
            results, violations = future.result()
        except (BrokenProcessPool, CancelledError) as error:
            log.warning("scan_process_failed", error=type(error).__name__)
            self._forget(team)
            return None
        except MemoryError as error:
            log.warning("scan_process_failed", error=type(error).__name__)
            return None
        self._pause = INITIAL_BACKOFF_SECONDS
        return BatchResult(results, orjson.loads(violations))

    def _forget(self, team: WorkerPool) -> None:
        """Have new processes started, a while after these broke; once, whoever notices."""
        with self._lock:
            if self._team is not team:
                return
            self._team = None
            self._put_off()
        team.shutdown(wait=False, cancel=True)

    def _put_off(self) -> None:
        """The next start; the lock is held."""
        self._not_before = self._clock() + self._pause
        self._pause = min(self._pause * 2, MAX_BACKOFF_SECONDS)


def worker_count(settings: Settings) -> int:
    """As many as are set; by default a core is left to everything else."""
    if settings.scan_processes is not None:
        return settings.scan_processes
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable - 1, MAX_DEFAULT_WORKERS)


def split_into_chunks(articles: Sequence[Article], sizes: Sequence[int], pieces: int) -> list[list[Article]]:
    """Neighbouring articles in about so many pieces of about the same size, none of them empty."""
    size = max(sum(sizes) / pieces, MIN_CHUNK_CHARS)
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
    return len(sizes) > 1 and sum(sizes) >= MIN_PARALLEL_CHARS


# -- in the processes --------------------------------------------------------------------------------


def _begin(path: Path) -> None:
    """Once in each process, before its first piece. It ends at once where its team was let go meanwhile."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the parent, which ends this one in order
    threading.Thread(target=_end_with_parent, name="parent-watch", daemon=True).start()
    try:
        load_rules(path)
    except FileNotFoundError:
        os._exit(0)


def _end_with_parent() -> None:
    """However the parent went: the queue that this process waits for never tells."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _greet() -> int:
    return os.getpid()


def _work(pack: Path, work: BatchOperation, payload: bytes) -> Reply:
    done = run_batch(work, load_rules(pack), [Article(**article) for article in orjson.loads(payload)])
    return done.results, orjson.dumps(done.violations)
