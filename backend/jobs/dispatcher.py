"""Who takes up the jobs that wait: one thread in each process that works.

It looks into the table of jobs some twenty times a second, which costs one to two hundredths of a
core, takes up as many as it has threads for, and hands them to dbos under this process's own slot.
Between the two a killed process leaves jobs that are taken up and not started; every worker puts such
ones back after some seconds.
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
ATTEMPTS = 20
"""How often a workflow is taken over that kills the process that runs it, perhaps."""
LOOK_SECONDS = 0.05
SWEEP_SECONDS = 2.0
START_WITHIN = timedelta(seconds=10)
"""A job that was taken up and not started after so long is put back. A workflow that was handed to dbos
before its process died is started by another one within half of that."""


class Dispatcher:
    """Takes up jobs until it is stopped; the job engine starts it once dbos runs.

    ``timeout`` is how long a job may take. Threads that hang in a job that is out of time are
    replaced, as many as the kind has, and no more: a process has twice ``concurrency`` at the most.
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

        Its arguments are all that dbos stores of a job, beside the outcomes of steps. ``taken_at`` is an
        instant in ISO 8601.
        """

        @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=ATTEMPTS)
        def submitted_jobs(kind: str, ids: list[str], taken_at: str | None = None) -> None:
            self._run(kind, ids, datetime.fromisoformat(taken_at) if taken_at else None)

        self._workflow: Callable[[str, list[str], str | None], None] = submitted_jobs

    def start(self) -> None:
        """Needs dbos launched. A dispatcher that was stopped does not start again."""
        self._started_at = self._clock()
        self._thread.start()

    def stop(self) -> None:
        """Take up nothing more; what runs goes on."""
        self._stop.set()
        self._wake.set()
        self._thread.join(timeout=10)

    def take(self) -> int:
        """One look; gives how many jobs were handed over."""
        free = {job_type.kind: n for job_type in self.runner.types.values() if (n := self._free(job_type))}
        if not free or not transitions.anything_waits(self._database, free.keys()):
            return 0
        return sum(self._take_kind(self.runner.types[kind], n) for kind, n in free.items())

    def sweep(self) -> None:
        """End what is out of time, and put back what a dead process took up.

        A worker that has just started ends nothing: jobs of processes that died long ago, with nobody
        there to take them over, look out of time until they are started again.
        """
        now = self._clock()
        if self._started_at is None or now - self._started_at >= START_WITHIN:
            for job_id in transitions.fail_overdue(self._database, timeout=self.runner.timeout, now=now):
                log.warning("job_timed_out", job=job_id)
            for job_id in transitions.give_up_waiting(self._database, now=now):
                log.warning("job_never_taken_up", job=job_id)
        forgotten = transitions.put_back_forgotten(self._database, taken_before=now - START_WITHIN)
        if forgotten:
            log.warning("jobs_put_back", jobs=len(forgotten))

    def _free(self, job_type: JobType) -> int:
        """Threads that this kind may still have."""
        overdue = self._clock() - self.runner.timeout
        with self._guard:
            begun = self._busy[job_type.kind].values()
            at_work = sum(at > overdue for at in begun)
            return max(0, min(job_type.concurrency - at_work, 2 * job_type.concurrency - len(begun)))

    def _take_kind(self, job_type: JobType, free: int) -> int:
        now = self._clock()
        ids = transitions.take_up(self._database, job_type.kind, limit=free * job_type.batch, now=now)
        size = -(-len(ids) // free) or 1
        parts = [ids[begin : begin + size] for begin in range(0, len(ids), size)]
        for number, part in enumerate(parts):
            try:
                self._hand_over(job_type, part, now)
            except Exception:
                transitions.put_back(self._database, [job_id for left in parts[number:] for job_id in left])
                raise
        return len(ids)

    def _hand_over(self, job_type: JobType, ids: list[str], now: datetime) -> None:
        # An id of this very taking up: of jobs that are put back, the next one must not be an old one.
        workflow_id = f"{ids[0]}-{int(now.timestamp() * 1_000_000)}"
        with self._guard:
            self._busy[job_type.kind][workflow_id] = now
        try:
            with SetWorkflowID(workflow_id):
                DBOS.start_workflow(self._workflow, job_type.kind, ids, now.isoformat())
        except BaseException:
            self._set_free(job_type.kind, workflow_id)
            raise

    def _run(self, kind: str, ids: Sequence[str], taken_at: datetime | None) -> None:
        """Called in a thread of dbos; jobs that were taken over come this way too, and count."""
        workflow_id = DBOS.workflow_id or ids[0]
        with self._guard:
            self._busy[kind][workflow_id] = self._clock()
        try:
            self.runner.run(kind, ids, taken_at)
        finally:
            self._set_free(kind, workflow_id)

    def _set_free(self, kind: str, workflow_id: str) -> None:
        with self._guard:
            self._busy[kind].pop(workflow_id, None)
        self._wake.set()

    def _work(self) -> None:
        next_sweep = 0.0
        while not self._stop.is_set():
            self._wake.clear()
            found = 0
            try:
                found = self.take()
                if time.monotonic() >= next_sweep:
                    next_sweep = time.monotonic() + SWEEP_SECONDS
                    self.sweep()
                if self._heartbeat is not None:  # last, so that it shows that all before it was done
                    self._heartbeat.beat()
                self._failing = False
            except Exception as error:
                if not self._failing:
                    log.exception("jobs_not_taken_up", error=type(error).__name__)
                self._failing = True
            if self._failing:
                self._stop.wait(1.0)
            elif not found:
                self._wake.wait(LOOK_SECONDS)
