"""Defines jobs, their summaries and steps, and the error texts of failed jobs."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson

from backend.jobs.job_kinds import JobKind
from backend.jobs.schemas import JobStatus

MAX_TITLE_CHARS = 200

MAX_WAIT = timedelta(hours=24)
"""A job that no worker claims within this time fails. The timeout of a job counts from its start, so that a
long queue or a restart fails no accepted job."""
NEVER_STARTED = (
    "No worker took up the job within 24 hours. Start one with 'chainproof worker', and submit it again."
)
CANCELLED = "The job was cancelled."
INTERNAL_ERROR = "Something went wrong on our side while the job ran. Please submit it again."


def timeout_message(timeout_seconds: float) -> str:
    return f"The job did not end within {timeout_seconds:g} seconds and was stopped."


@dataclass(frozen=True, slots=True)
class JobSummary:
    """A job without its input and result, as lists of jobs show it."""

    id: str
    kind: JobKind
    status: JobStatus
    title: str
    """The beginning of the submitted text, as a label for people."""
    created_at: datetime
    started_at: datetime | None
    """The first start; a job is started again if its process dies."""
    completed_at: datetime | None
    """The end, completed or failed."""
    error: str | None
    """A sentence; None unless the job failed."""


@dataclass(frozen=True, slots=True)
class Job(JobSummary):
    submitted_by: str
    """The owner."""
    attempt_at: datetime | None
    """The latest start, from which the timeout counts."""
    input_json: str
    result_json: str | None
    """None unless the job completed."""

    @property
    def input(self) -> dict[str, Any]:
        """The submitted body; parsed at each call."""
        body: dict[str, Any] = orjson.loads(self.input_json)
        return body

    @property
    def result(self) -> dict[str, Any] | None:
        """The result; parsed at each call."""
        return None if self.result_json is None else orjson.loads(self.result_json)


@dataclass(frozen=True, slots=True)
class Step:
    """A finished or running step of a job."""

    name: str
    started_at: datetime
    finished_at: datetime | None
    detail: dict[str, Any]
    """Counts and labels of the outcome; empty while the step runs."""
