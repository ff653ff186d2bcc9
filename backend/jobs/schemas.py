"""Wire shapes of jobs, whatever their result is."""

from typing import Any, Generic, Literal, NotRequired, TypeVar

from pydantic import BaseModel
from typing_extensions import TypedDict

JobKind = Literal["sources", "extraction"]
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
    """The beginning of what was submitted."""


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
    """Counts and words on what came of the step."""


class Waiting(TypedDict):
    """What a pending job waits behind. With none ahead and none at work for some seconds, no worker runs."""

    jobs_ahead: int
    """Of its kind, submitted before it and not started."""
    jobs_running: int
    """Of its kind, at work now."""


class Progress(TypedDict):
    status: JobStatus
    waiting: Waiting | None
    """Null unless the job is pending."""
    steps: list[StepEntry]


class ProgressAnswer(BaseModel):
    """What a job waits for, has done and is doing, in order."""

    data: Progress
