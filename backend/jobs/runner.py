"""Runs claimed jobs with the handlers of their job types, inside dbos workflows.

One dbos workflow runs one job, or several short ones of a kind, under the slot of the process that started
it. If the process dies, another one starts the same workflow again (:mod:`backend.jobs.worker_slots`), which
continues after the last recorded step.
"""

import contextvars
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar

import stamina
import structlog
from dbos import DBOS
from sqlalchemy.engine import Connection
from sqlalchemy.exc import InterfaceError, OperationalError

from backend.errors import ServiceError
from backend.formats.timestamps import Clock
from backend.jobs import transitions
from backend.jobs.job_kinds import JobKind
from backend.jobs.model import INTERNAL_ERROR, Job, timeout_message
from backend.jobs.transitions import Publish
from backend.runtime import tracing
from backend.store.database import Database

log = structlog.get_logger(__name__)
T = TypeVar("T")
Forget = Callable[[Connection, Sequence[str]], None]
"""Deletes other data of the jobs with these ids, in the transaction that deletes the jobs."""
RETRY_TIMEOUT_SECONDS = 60.0
"""A change is repeated for this time if the database does not answer."""
STORE_ERRORS = (OperationalError, InterfaceError)
"""Raised if the database is not reachable, or SQLite's disk is full or read-only."""


class JobStopped(Exception):
    """The job was cancelled or timed out while its handler runs. Handlers must not catch this."""


class JobContext:
    """The argument of a handler: gives it the job and runs its steps."""

    def __init__(
        self,
        job: Job,
        database: Database,
        *,
        timeout: timedelta,
        clock: Clock,
        durable: bool,
    ) -> None:
        self.job = job
        self._database = database
        self._timeout = timeout
        self._clock = clock
        self._durable = durable
        self._steps = 0

    def remaining(self) -> float:
        """Return the seconds until the timeout; negative after it."""
        started_at = self.job.attempt_at or self.job.created_at
        return (started_at + self._timeout - self._clock()).total_seconds()

    def check(self) -> None:
        """Raise :class:`JobStopped` if the job was cancelled or timed out."""
        if self.remaining() <= 0:
            sentence = timeout_message(self._timeout.total_seconds())
            _retry(lambda: transitions.fail(self._database, self.job.id, sentence, now=self._clock()))
            raise JobStopped(sentence)
        if not _retry(lambda: transitions.is_running(self._database, self.job.id)):
            raise JobStopped("The job has ended.")

    def step(
        self, name: str, work: Callable[[], T], *, detail: Callable[[T], Mapping[str, Any]] | None = None
    ) -> T:
        """Run one step that callers can watch; raises :class:`JobStopped` if the job has ended.

        ``work`` returns plain data, which is recorded: after a crash the job continues after its recorded
        steps. Steps must come in the same order each time and must not be nested. A step that was
        interrupted, or could not be recorded, is repeated with all later steps. ``detail`` derives the
        displayed labels and counts from the outcome. Short jobs, several of which run in one workflow, are
        repeated as a whole.
        """
        self.check()
        position, self._steps = self._steps, self._steps + 1
        has_begun = False
        outcomes: list[T] = []

        def body() -> T:
            nonlocal has_begun
            has_begun = True
            at = (self._database, self.job.id, position)
            _retry(lambda: transitions.begin_step(*at, name, now=self._clock()))
            with tracing.trace(f"step {name}", {}):
                outcome = work()
            step_detail = {} if detail is None else detail(outcome)
            _retry(lambda: transitions.finish_step(*at, step_detail, now=self._clock()))
            outcomes.append(outcome)
            return outcome

        if not self._durable:
            return body()
        try:
            return DBOS.run_step({"name": name}, body)
        except STORE_ERRORS as fault:
            if has_begun and not outcomes:
                raise
            # dbos waits for PostgreSQL, and for a lock of SQLite, but not for a full or read-only disk.
            log.warning("job_step_unrecorded", job=self.job.id, step=name, reason=str(fault.orig))
            # Later steps are not recorded either: a repetition of this step may have another outcome, and
            # other steps may follow it than the recorded ones.
            self._durable = False
            return outcomes[0] if outcomes else body()


Handler = Callable[[JobContext], Mapping[str, Any]]
"""Runs a job and returns its result as plain JSON data."""


@dataclass(frozen=True, slots=True)
class JobType:
    """A kind of job with its handler.

    ``handle`` returns the result as plain JSON data. If it raises a :class:`~backend.errors.ServiceError`,
    its text becomes the job's error; any other exception gives a general one. ``publish`` is called in the
    transaction that completes the job, ``forget`` in the one that deletes jobs.

    ``concurrency`` is the number of threads of each process for this kind. A thread claims up to ``batch``
    jobs at once. Above one this saves most of the overhead of dbos, for jobs of milliseconds; their steps
    are not recorded.
    """

    kind: JobKind
    handle: Handler
    concurrency: int
    batch: int = 1
    publish: Publish | None = None
    forget: Forget | None = None


class Runner:
    """Runs the jobs that this process claimed or took over."""

    def __init__(
        self,
        database: Database,
        job_types: Sequence[JobType],
        *,
        timeout: timedelta,
        clock: Clock,
    ) -> None:
        self.types: dict[str, JobType] = {job_type.kind: job_type for job_type in job_types}
        if len(self.types) < len(job_types):
            raise ValueError("Two job types have one kind.")
        self.database = database
        self.timeout = timeout
        self._clock = clock

    def run(self, kind: str, ids: Sequence[str], taken_at: datetime | None = None) -> None:
        """Run these jobs one after the other.

        Skips jobs that have ended, and jobs that were released since ``taken_at`` because those before them
        took too long.
        """
        job_type = self.types[kind]
        for job_id in ids:
            job = _retry(partial(self._start, job_id, taken_at))
            if job is not None:
                self._run_one(job_type, job)

    def _start(self, job_id: str, taken_at: datetime | None) -> Job | None:
        return transitions.start(self.database, job_id, now=self._clock(), taken_at=taken_at)

    def _run_one(self, job_type: JobType, job: Job) -> None:
        context = JobContext(
            job, self.database, timeout=self.timeout, clock=self._clock, durable=job_type.batch == 1
        )
        try:
            if job_type.batch == 1:
                result = _handle(job_type, context)
            else:  # in an empty context, so that dbos records no steps
                result = contextvars.Context().run(_handle, job_type, context)
            _retry(
                lambda: transitions.complete(self.database, job, result, job_type.publish, now=self._clock())
            )
        except JobStopped:
            log.info("job_stopped", job=job.id, kind=job.kind)
        except ServiceError as error:
            self._fail(job, error.detail)
        except Exception:
            log.exception("job_failed", job=job.id, kind=job.kind)
            self._fail(job, INTERNAL_ERROR)

    def _fail(self, job: Job, sentence: str) -> None:
        _retry(lambda: transitions.fail(self.database, job.id, sentence, now=self._clock()))


def _handle(job_type: JobType, context: JobContext) -> Mapping[str, Any]:
    with tracing.trace(f"job {job_type.kind}", {"chainproof.job.id": context.job.id}):
        return job_type.handle(context)


def _retry(change: Callable[[], T]) -> T:
    """Repeat a change while the database does not answer, so that a short outage fails no job."""
    for attempt in stamina.retry_context(
        on=STORE_ERRORS, attempts=None, timeout=RETRY_TIMEOUT_SECONDS, wait_max=5.0
    ):
        with attempt:
            return change()
    raise AssertionError("unreachable: the last attempt gives or raises")
