"""How jobs run: a job type declares what to do, dbos sees to it that it is done.

One dbos workflow runs one job, or several short ones of a kind. It is started by the process that
runs it, under that process's slot: when the process dies, another one starts the same workflow again
(:mod:`backend.jobs.worker_slots`), which goes on behind the last step that was recorded.
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
from backend.jobs.model import FAULT, Job, overdue_sentence
from backend.jobs.schemas import JobKind
from backend.jobs.transitions import Publish
from backend.store.database import Database

log = structlog.get_logger(__name__)
T = TypeVar("T")
Forget = Callable[[Connection, Sequence[str]], None]
"""Deletes what else there is of jobs, in the transaction that deletes the jobs with these ids."""
PERSISTENCE = 60.0
"""Seconds for which a change that the database does not take is tried again."""
AWAY = (OperationalError, InterfaceError)
"""What is raised where the database is not to be reached, or SQLite's disk is full or only to be read."""


class JobStopped(Exception):
    """The job has ended under whoever works at it: cancelled, or out of time. Let it pass."""


class JobContext:
    """What a handler is given: the job, and the way to do things step by step."""

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
        """Seconds until the job is out of time; below zero when it is."""
        begun = self.job.attempt_at or self.job.created_at
        return (begun + self._timeout - self._clock()).total_seconds()

    def check(self) -> None:
        """Raise :class:`JobStopped` if the job was cancelled or is out of time."""
        if self.remaining() <= 0:
            sentence = overdue_sentence(self._timeout.total_seconds())
            _persist(lambda: transitions.fail(self._database, self.job.id, sentence, now=self._clock()))
            raise JobStopped(sentence)
        if not _persist(lambda: transitions.still_runs(self._database, self.job.id)):
            raise JobStopped("The job has ended.")

    def step(
        self, name: str, work: Callable[[], T], *, detail: Callable[[T], Mapping[str, Any]] | None = None
    ) -> T:
        """Do one thing that callers may watch; raises :class:`JobStopped` when there is no time for it.

        What ``work`` gives is plain data and recorded, so that a job whose process died goes on behind
        the steps that it has done: steps come in the same order each time and not within each other. A
        step that was interrupted is done again, and so is one that could not be recorded, with all behind it.
        ``detail`` makes, of what ``work`` gave, the words and counts that are shown. Short jobs, which run
        several in one workflow, are done again whole.
        """
        self.check()
        position, self._steps = self._steps, self._steps + 1
        begun = False
        done: list[T] = []

        def body() -> T:
            nonlocal begun
            begun = True
            at = (self._database, self.job.id, position)
            _persist(lambda: transitions.begin_step(*at, name, now=self._clock()))
            outcome = work()
            shown = {} if detail is None else detail(outcome)
            _persist(lambda: transitions.finish_step(*at, shown, now=self._clock()))
            done.append(outcome)
            return outcome

        if not self._durable:
            return body()
        try:
            return DBOS.run_step({"name": name}, body)
        except AWAY as fault:
            if begun and not done:
                raise
            # dbos waits for PostgreSQL, and for a lock of SQLite, but not for a disk that takes nothing in.
            log.warning("job_step_unrecorded", job=self.job.id, step=name, reason=str(fault.orig))
            # Nor is anything behind the gap recorded: done again, the step may come to something else, and
            # to other steps behind it than those that a record would have.
            self._durable = False
            return done[0] if done else body()


Handler = Callable[[JobContext], Mapping[str, Any]]
"""Does a job and gives its result as plain JSON data."""


@dataclass(frozen=True, slots=True)
class JobType:
    """A kind of job and what to do with it.

    ``handle`` gives the result as plain JSON data, or raises: a :class:`~backend.errors.ServiceError`
    for its sentence to become the job's error, anything else for a general one. ``publish`` is called
    in the transaction that completes the job, ``forget`` in the one that deletes jobs of these ids.

    ``concurrency`` is how many threads each process gives to this kind. With a ``batch`` above one a
    thread takes up to so many waiting jobs at once, which spares most of what dbos costs: for jobs of
    milliseconds, whose steps are not recorded.
    """

    kind: JobKind
    handle: Handler
    concurrency: int
    batch: int = 1
    publish: Publish | None = None
    forget: Forget | None = None


class Runner:
    """Runs the jobs that this process took up or took over."""

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
        """Run these jobs, one after the other, each started as its turn comes; not those that have ended,
        nor those that were put back since ``taken_at`` because the ones before them took long."""
        job_type = self.types[kind]
        for job_id in ids:
            job = _persist(partial(self._start, job_id, taken_at))
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
                result = job_type.handle(context)
            else:  # in an empty context, in which dbos records nothing
                result = contextvars.Context().run(job_type.handle, context)
            _persist(
                lambda: transitions.complete(self.database, job, result, job_type.publish, now=self._clock())
            )
        except JobStopped:
            log.info("job_stopped", job=job.id, kind=job.kind)
        except ServiceError as error:
            self._fail(job, error.detail)
        except Exception:
            log.exception("job_failed", job=job.id, kind=job.kind)
            self._fail(job, FAULT)

    def _fail(self, job: Job, sentence: str) -> None:
        _persist(lambda: transitions.fail(self.database, job.id, sentence, now=self._clock()))


def _persist(change: Callable[[], T]) -> T:
    """A database that is away for a moment costs no job what it has done."""
    for attempt in stamina.retry_context(on=AWAY, attempts=None, timeout=PERSISTENCE, wait_max=5.0):
        with attempt:
            return change()
    raise AssertionError("unreachable: the last attempt gives or raises")
