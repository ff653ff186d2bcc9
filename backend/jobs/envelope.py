"""How jobs look on the wire, whatever their result is.

``JobAnswer[SourcesResult]`` is a ``response_model``; the bytes come from :func:`job_answer`, which
takes the stored result as it is.
"""

from typing import Any, Generic, NotRequired, TypeVar

import orjson
from pydantic import BaseModel
from typing_extensions import TypedDict

from backend.instants import write_instant
from backend.jobs.ledger import JobList
from backend.jobs.model import Job, JobStatus, JobSummary, Step

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


class Progress(TypedDict):
    status: JobStatus
    steps: list[StepEntry]


class ProgressAnswer(BaseModel):
    """What a job has done and is doing, in order."""

    data: Progress


def accepted_answer(job: Job) -> bytes:
    """The bytes of an :class:`AcceptedAnswer`."""
    return orjson.dumps({"data": {"job_id": job.id}})


def job_answer(job: Job) -> bytes:
    """The bytes of a :class:`JobAnswer`."""
    data: dict[str, Any] = dict(_state(job))
    if job.result_json is not None:
        data["result"] = orjson.Fragment(job.result_json)
    return orjson.dumps({"data": data})


def page_answer(found: JobList) -> bytes:
    """The bytes of a :class:`JobPage`."""
    entries = [{**_state(job), "title": job.title} for job in found.jobs]
    return orjson.dumps({"data": entries, "next_cursor": found.next_cursor})


def progress_answer(job: Job, steps: list[Step]) -> bytes:
    """The bytes of a :class:`ProgressAnswer`."""
    entries = [
        {
            "name": step.name,
            "started_at": write_instant(step.started_at),
            "finished_at": write_instant(step.finished_at) if step.finished_at else None,
            "detail": step.detail,
        }
        for step in steps
    ]
    return orjson.dumps({"data": {"status": job.status, "steps": entries}})


def _state(job: JobSummary) -> JobState:
    return {
        "id": job.id,
        "status": job.status,
        "created_at": write_instant(job.created_at),
        "started_at": write_instant(job.started_at) if job.started_at else None,
        "completed_at": write_instant(job.completed_at) if job.completed_at else None,
        "error": job.error,
    }
