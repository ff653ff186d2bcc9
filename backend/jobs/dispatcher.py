"""Claims waiting jobs and starts them as dbos workflows, in one thread of each worker process.

The thread polls the job table some twenty times a second, which costs 1 to 2 % of a core. It claims as many
jobs as it has free threads and starts them in dbos under this process's slot. A process that is killed
between the two leaves claimed jobs that never start; every worker releases such jobs after some seconds.
"""

import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import structlog
from dbos import DBOS, SetWorkflowID

from backend.formats.timestamps import Clock, utc_now
from backend.jobs import transitions
from backend.jobs.heartbeat import Heartbeat
from backend.jobs.runner import JobType, Runner
from backend.store.database import Database

log = structlog.get_logger(__name__)
WORKFLOW = "submitted-jobs"
MAX_RECOVERY_ATTEMPTS = 20
"""Limits the recoveries of a workflow, since it may be the cause of the crashes."""
POLL_SECONDS = 0.05
SWEEP_SECONDS = 2.0
START_TIMEOUT = timedelta(seconds=10)
"""A claimed job that has not started within this time is released. A workflow that was handed to dbos before
its process died is started by another process within half of it."""


class Dispatcher:
    """Claims jobs until it is stopped; the job engine starts it once dbos runs.

    ``timeout`` is the maximum duration of a job. Threads that hang in an overdue job are replaced, up to
    ``concurrency`` of them for each kind: a process has at most twice ``concurrency`` threads of a kind.
    """

    def __init__(
        self,
        database: Database,
        job_types: Sequence[JobType],
        *,
        timeout: timedelta,
        clock: Clock = utc_now,
        heartbeat: Heartbeat | None = None,
    ) -> None:
        self.runner = Runner(database, job_types, timeout=timeout, clock=clock)
        self._database = database
        self._clock = clock
        self._heartbeat = heartbeat
        self._busy: dict[str, dict[str, datetime]] = {kind: {} for kind in self.runner.types}
        self._guard = threading.Lock()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="job-dispatcher", daemon=True)
        self._failing = False
        self._started_at: datetime | None = None

    def register(self) -> None:
        """Declare the workflow that runs jobs, before dbos is launched.

        dbos stores only its arguments and the outcomes of steps. ``taken_at`` is an instant in ISO 8601.
        """

        @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=MAX_RECOVERY_ATTEMPTS)
        def submitted_jobs(kind: str, ids: list[str], taken_at: str | None = None) -> None:
            self._run(kind, ids, datetime.fromisoformat(taken_at) if taken_at else None)

        self._workflow: Callable[[str, list[str], str | None], None] = submitted_jobs

    def start(self) -> None:
        """Start the thread; dbos must be launched. A stopped dispatcher cannot start again."""
        self._started_at = self._clock()
        self._thread.start()

    def stop(self) -> None:
        """Stop claiming jobs; running jobs continue."""
        self._stop.set()
        self._wake.set()
        self._thread.join(timeout=10)

    def take(self) -> int:
        """Poll once; returns the number of started jobs."""
        free = {
            job_type.kind: n
            for job_type in self.runner.types.values()
            if (n := self._count_free_threads(job_type))
        }
        if not free or not transitions.has_waiting_jobs(self._database, free.keys()):
            return 0
        return sum(self._dispatch_kind(self.runner.types[kind], n) for kind, n in free.items())

    def sweep(self) -> None:
        """Fail overdue jobs, and release jobs that a dead process claimed.

        A worker that has just started fails none. Jobs of processes that died while no worker ran look
        overdue until they are started again.
        """
        now = self._clock()
        if self._started_at is None or now - self._started_at >= START_TIMEOUT:
            for job_id in transitions.fail_overdue(self._database, timeout=self.runner.timeout, now=now):
                log.warning("job_timed_out", job=job_id)
            for job_id in transitions.fail_never_started(self._database, now=now):
                log.warning("job_never_started", job=job_id)
        forgotten = transitions.release_stale_claims(self._database, taken_before=now - START_TIMEOUT)
        if forgotten:
            log.warning("jobs_requeued", jobs=len(forgotten))

    def _count_free_threads(self, job_type: JobType) -> int:
        """Return the number of further threads that this kind may use."""
        overdue = self._clock() - self.runner.timeout
        with self._guard:
            start_times = self._busy[job_type.kind].values()
            at_work = sum(started_at > overdue for started_at in start_times)
            return max(0, min(job_type.concurrency - at_work, 2 * job_type.concurrency - len(start_times)))

    def _dispatch_kind(self, job_type: JobType, free: int) -> int:
        now = self._clock()
        ids = transitions.claim(self._database, job_type.kind, limit=free * job_type.batch, now=now)
        size = -(-len(ids) // free) or 1
        parts = [ids[begin : begin + size] for begin in range(0, len(ids), size)]
        for number, part in enumerate(parts):
            try:
                self._start_workflow(job_type, part, now)
            except Exception:
                transitions.release_claims(
                    self._database, [job_id for unstarted in parts[number:] for job_id in unstarted]
                )
                raise
        return len(ids)

    def _start_workflow(self, job_type: JobType, ids: list[str], now: datetime) -> None:
        # The id includes the time of the claim, so that a released job gets a new workflow next time.
        workflow_id = f"{ids[0]}-{int(now.timestamp() * 1_000_000)}"
        with self._guard:
            self._busy[job_type.kind][workflow_id] = now
        try:
            with SetWorkflowID(workflow_id):
                DBOS.start_workflow(self._workflow, job_type.kind, ids, now.isoformat())
        except BaseException:
            self._release_thread(job_type.kind, workflow_id)
            raise

    def _run(self, kind: str, ids: Sequence[str], taken_at: datetime | None) -> None:
        """Run jobs in a thread of dbos. Counts recovered workflows as busy threads too."""
        workflow_id = DBOS.workflow_id or ids[0]
        with self._guard:
            self._busy[kind][workflow_id] = self._clock()
        try:
            self.runner.run(kind, ids, taken_at)
        finally:
            self._release_thread(kind, workflow_id)

    def _release_thread(self, kind: str, workflow_id: str) -> None:
        with self._guard:
            self._busy[kind].pop(workflow_id, None)
        self._wake.set()

    def _work(self) -> None:
        next_sweep = 0.0
        while not self._stop.is_set():
            self._wake.clear()
            taken_count = 0
            try:
                taken_count = self.take()
                if time.monotonic() >= next_sweep:
                    next_sweep = time.monotonic() + SWEEP_SECONDS
                    self.sweep()
                if self._heartbeat is not None:  # last, so that a heartbeat proves the polling succeeded
                    self._heartbeat.beat()
                self._failing = False
            except Exception as error:
                if not self._failing:
                    log.exception("jobs_claim_failed", error=type(error).__name__)
                self._failing = True
            if self._failing:
                self._stop.wait(1.0)
            elif not taken_count:
                self._wake.wait(POLL_SECONDS)
