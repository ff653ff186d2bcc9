"""Spreads large batches of articles over worker processes, because matching holds the GIL.

Every worker compiles the active pack from a file that is written for it: the files of the user may be
invalid by then. Workers get only the path of that file. Passing the rules themselves could deadlock: start
arguments go through a pipe whose read end the parent also keeps open, so a write of megabytes to a worker
that was killed before it read them never returns. New workers are started when the active rules change.
The caller processes a batch itself while workers start, after one has died, and when it was called with
rules that are no longer active. The result is the same in every case, byte for byte.
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
"""Smaller batches are faster in one process than the transfer to several."""
MIN_CHUNK_CHARS = 32 * 1024
CHUNKS_PER_WORKER = 3
"""More than one, so that a worker with a slow chunk leaves the other chunks to the rest."""
MAX_DEFAULT_WORKERS = 4
INITIAL_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS = 1.0, 60.0
"""Wait before new workers are started after one died; doubled each time that one dies again."""

Reply = tuple[bytes, bytes]
"""The results and the violations, both as JSON."""


@dataclass(frozen=True, slots=True)
class WorkerPool:
    """Worker processes that hold one rule set."""

    version: str
    executor: ProcessPoolExecutor
    pack_folder: TemporaryDirectory[str]
    pack_file: Path
    """The workers read it when they start; it lies in ``pack_folder``."""
    ready_futures: tuple[Future[int], ...]
    """The process id of each worker, done once the worker has compiled the rules."""

    @property
    def is_warm(self) -> bool:
        return all(future.done() for future in self.ready_futures)

    def shutdown(self, *, wait: bool, cancel: bool) -> None:
        """Stop the workers; with ``cancel`` chunks that have not started are dropped."""
        self.executor.shutdown(wait=wait, cancel_futures=cancel)
        self.pack_folder.cleanup()


class ScanPool:
    """Runs batches on up to ``settings.scan_processes`` workers, which start when first needed.

    Safe to share among threads.
    """

    def __init__(
        self, settings: Settings, rules: ActiveRules, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rules = rules
        self._clock = clock
        self.processes = worker_count(settings)
        self._lock = threading.Lock()
        self._pool: WorkerPool | None = None
        self._next_start = 0.0
        self._backoff_seconds = INITIAL_BACKOFF_SECONDS
        self._closed = False

    def run(self, operation: BatchOperation, rules: RuleSet, articles: Sequence[Article]) -> BatchResult:
        """Return the results of all articles in their order."""
        sizes = [text_size(article) for article in articles]
        pool = self._ensure_started() if _is_worthwhile(sizes) else None
        if pool is None or pool.version != rules.version or not pool.is_warm:
            return run_batch(operation, rules, articles)
        chunks = split_into_chunks(articles, sizes, self.processes * CHUNKS_PER_WORKER)
        sent = [(chunk, self._send(pool, operation, chunk)) for chunk in chunks]
        results = [
            self._receive(pool, future) or run_batch(operation, rules, chunk) for chunk, future in sent
        ]
        return BatchResult(
            b",".join(each.results for each in results), [v for each in results for v in each.violations]
        )

    def close(self) -> None:
        """Drop the chunks that have not started, and wait until the workers finish the rest."""
        with self._lock:
            self._closed = True
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True, cancel=True)

    def _ensure_started(self) -> WorkerPool | None:
        """Return the workers for the active rules, which may still be starting; None without workers."""
        with self._lock:
            if self.processes == 0 or self._closed:
                return None
            in_force = self._rules.in_force
            if self._pool is not None and self._pool.version != in_force.rules.version:
                self._pool.shutdown(wait=False, cancel=False)  # chunks of other callers still finish
                self._pool = None
            if self._pool is None and self._clock() >= self._next_start:
                self._pool = self._start(in_force)
            return self._pool

    def _start(self, in_force: CompiledPack) -> WorkerPool | None:
        """Start workers; return None if one dies during the start or the machine lacks resources."""
        with ExitStack() as cleanup:
            try:
                pack_folder = TemporaryDirectory(prefix="chainproof-rules-", ignore_cleanup_errors=True)
                cleanup.callback(pack_folder.cleanup)
                pack_file = write_pack(pack_folder.name, in_force.pack)
                executor = ProcessPoolExecutor(
                    self.processes, get_context("spawn"), initializer=_init_worker, initargs=(pack_file,)
                )
                cleanup.callback(executor.shutdown, wait=False)
                ready_futures = tuple(executor.submit(_process_id) for _ in range(self.processes))
            # ValueError: a pool that breaks meanwhile closes the files that the next worker would get.
            except (BrokenProcessPool, OSError, ValueError) as error:
                log.warning("scan_process_failed", error=type(error).__name__)
                self._back_off()
                return None
            cleanup.pop_all()
        log.info("scan_processes_started", processes=self.processes)
        return WorkerPool(in_force.rules.version, executor, pack_folder, pack_file, ready_futures)

    def _send(
        self, pool: WorkerPool, operation: BatchOperation, chunk: Sequence[Article]
    ) -> Future[Reply] | None:
        payload = orjson.dumps([article.model_dump() for article in chunk])
        try:
            return pool.executor.submit(_run_chunk, pool.pack_file, operation, payload)
        except RuntimeError:  # broken or closed since
            self._discard(pool)
            return None

    def _receive(self, pool: WorkerPool, future: Future[Reply] | None) -> BatchResult | None:
        """Return the result of a chunk; None after a failure, when the caller runs the chunk itself."""
        if future is None:
            return None
        try:
            results, violations = future.result()
        except (BrokenProcessPool, CancelledError) as error:
            log.warning("scan_process_failed", error=type(error).__name__)
            self._discard(pool)
            return None
        except MemoryError as error:
            log.warning("scan_process_failed", error=type(error).__name__)
            return None
        self._backoff_seconds = INITIAL_BACKOFF_SECONDS
        return BatchResult(results, orjson.loads(violations))

    def _discard(self, pool: WorkerPool) -> None:
        """Replace broken workers after a wait. Only the first of several callers has an effect."""
        with self._lock:
            if self._pool is not pool:
                return
            self._pool = None
            self._back_off()
        pool.shutdown(wait=False, cancel=True)

    def _back_off(self) -> None:
        """Delay the next start. The caller holds the lock."""
        self._next_start = self._clock() + self._backoff_seconds
        self._backoff_seconds = min(self._backoff_seconds * 2, MAX_BACKOFF_SECONDS)


def worker_count(settings: Settings) -> int:
    """Return the number that is set; by default one core stays free for everything else."""
    if settings.scan_processes is not None:
        return settings.scan_processes
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable - 1, MAX_DEFAULT_WORKERS)


def split_into_chunks(articles: Sequence[Article], sizes: Sequence[int], count: int) -> list[list[Article]]:
    """Split ``articles`` into about ``count`` runs of similar size, none of them empty."""
    target_size = max(sum(sizes) / count, MIN_CHUNK_CHARS)
    chunks: list[list[Article]] = [[]]
    filled = 0
    for article, size in zip(articles, sizes, strict=True):
        if chunks[-1] and filled + size / 2 > target_size:
            chunks.append([])
            filled = 0
        chunks[-1].append(article)
        filled += size
    return chunks


def _is_worthwhile(sizes: Sequence[int]) -> bool:
    return len(sizes) > 1 and sum(sizes) >= MIN_PARALLEL_CHARS


# -- in the workers ----------------------------------------------------------------------------------


def _init_worker(path: Path) -> None:
    """Compile the rules once in each worker. The worker exits if its pool was shut down meanwhile."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and stops its workers in order
    threading.Thread(target=_end_with_parent, name="parent-watch", daemon=True).start()
    try:
        load_rules(path)
    except FileNotFoundError:
        os._exit(0)


def _end_with_parent() -> None:
    """Exit when the parent dies: the queue that the worker waits on does not report that."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _process_id() -> int:
    return os.getpid()


def _run_chunk(pack_file: Path, operation: BatchOperation, payload: bytes) -> Reply:
    articles = [Article(**article) for article in orjson.loads(payload)]
    result = run_batch(operation, load_rules(pack_file), articles)
    return result.results, orjson.dumps(result.violations)
