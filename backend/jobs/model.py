"""What callers submit and watch: a job, its states and its steps."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson

from backend.jobs.schemas import JobKind, JobStatus

TITLE_LENGTH = 200

LONGEST_WAIT = timedelta(hours=24)
"""A job that no worker took up for so long fails; its time to run counts from its start alone, so that
neither a crowd nor a restart costs a job that was accepted."""
UNTOUCHED = (
    "No worker took up the job within 24 hours. Start one with 'chainproof worker', and submit it again."
)
CANCELLED = "The job was cancelled."
FAULT = "Something went wrong on our side while the job ran. Please submit it again."


def overdue_sentence(timeout_seconds: float) -> str:
    return f"The job did not end within {timeout_seconds:g} seconds and was stopped."


@dataclass(frozen=True, slots=True)
class JobSummary:
    """A job without what went in and came out: what a list of jobs shows."""

    id: str
    kind: JobKind
    status: JobStatus
    title: str
    """The beginning of what was submitted, for people to tell jobs apart."""
    created_at: datetime
    started_at: datetime | None
    """The first start; a job whose process died is started again."""
    completed_at: datetime | None
    """When it ended, well or not."""
    error: str | None
    """A sentence, on a failed job alone."""


@dataclass(frozen=True, slots=True)
class Job(JobSummary):
    submitted_by: str
    """The id of the credential."""
    attempt_at: datetime | None
    """The latest start, from which the time that a job may take is counted."""
    input_json: str
    result_json: str | None
    """On a completed job alone."""

    @property
    def input(self) -> dict[str, Any]:
        """The body as it was submitted; read anew at each call."""
        body: dict[str, Any] = orjson.loads(self.input_json)
        return body

    @property
    def result(self) -> dict[str, Any] | None:
        """Read anew at each call."""
        return None if self.result_json is None else orjson.loads(self.result_json)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a job did or is doing."""

    name: str
    started_at: datetime
    finished_at: datetime | None
    detail: dict[str, Any]
    """Counts and words on what came of it; empty while the step runs."""
