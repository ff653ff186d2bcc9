"""Defines the response schemas that jobs of every kind share."""

from typing import Any, Literal

from pydantic import BaseModel
from typing_extensions import TypedDict

from backend.formats.field_types import Timestamp, Uuid

JobStatus = Literal["pending", "running", "completed", "failed"]


class Accepted(TypedDict):
    job_id: Uuid


class AcceptedAnswer(BaseModel):
    """The job is on the disk; ``Location`` is where to watch it."""

    data: Accepted


class JobState(TypedDict):
    """Timestamps are null until they are reached, ``error`` is null unless the job failed."""

    id: Uuid
    status: JobStatus
    created_at: Timestamp
    started_at: Timestamp | None
    completed_at: Timestamp | None
    error: str | None


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
    started_at: Timestamp
    finished_at: Timestamp | None
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
