"""Defines the response schemas of jobs, generic in their result."""

from typing import Any, Generic, Literal, NotRequired, TypeVar

from pydantic import BaseModel
from typing_extensions import TypedDict

JobStatus = Literal["pending", "running", "completed", "failed"]
Result = TypeVar("Result")


class Accepted(TypedDict):
    job_id: str


class AcceptedAnswer(BaseModel):
    """The job is on the disk; ``Location`` is where to watch it."""

    data: Accepted


class JobState(TypedDict):
    """Timestamps are null until they are reached, ``error`` is null unless the job failed."""

    id: str
    status: JobStatus
    created_at: str
    started_at: str | None
    completed_at: str | None
    error: str | None


class JobEnvelope(JobState, Generic[Result]):
    result: NotRequired[Result]
    """Present when completed."""


class JobAnswer(BaseModel, Generic[Result]):
    data: JobEnvelope[Result]


class JobEntry(JobState):
    title: str
    """The beginning of the submitted text."""


class JobPage(BaseModel):
    """Jobs of one kind, newest first."""

    data: list[JobEntry]
    next_cursor: str | None
    """What ``cursor`` takes to go on; null on the last page."""


class StepEntry(TypedDict):
    name: str
    started_at: str
    finished_at: str | None
    detail: dict[str, Any]
    """Counts and labels of the outcome."""


class Waiting(TypedDict):
    """The jobs before a pending job. If both counts stay zero for some seconds, no worker runs."""

    jobs_ahead: int
    """Jobs of its kind, submitted before it and not started."""
    jobs_running: int
    """Jobs of its kind that run now."""


class Progress(TypedDict):
    status: JobStatus
    waiting: Waiting | None
    """Null unless the job is pending."""
    steps: list[StepEntry]


class ProgressAnswer(BaseModel):
    """The jobs that a job waits for, and its finished and running steps in order."""

    data: Progress
