"""Builds the JSON bodies of job responses. The stored result is inserted without parsing."""

from typing import Any

import orjson

from backend.formats.timestamps import write_instant
from backend.jobs.job_store import JobList
from backend.jobs.model import Job, JobSummary, Step
from backend.jobs.schemas import JobState, JobStatus, StepEntry, Waiting


def build_accepted_body(job: Job) -> bytes:
    """Build the bytes of an :class:`~backend.jobs.schemas.AcceptedAnswer`."""
    return orjson.dumps({"data": {"job_id": job.id}})


def build_job_body(job: Job) -> bytes:
    """Build the bytes of a job: a :class:`~backend.jobs.schemas.JobState` in ``data``, with its result."""
    data: dict[str, Any] = dict(_build_state(job))
    if job.result_json is not None:
        data["result"] = orjson.Fragment(job.result_json)
    return orjson.dumps({"data": data})


def build_job_list_body(job_list: JobList) -> bytes:
    """Build the bytes of a :class:`~backend.jobs.schemas.JobPage`."""
    entries = [{**_build_state(job), "title": job.title} for job in job_list.jobs]
    return orjson.dumps({"data": entries, "next_cursor": job_list.next_cursor})


def build_progress_body(status: JobStatus, waiting: Waiting | None, steps: list[Step]) -> bytes:
    """Build the bytes of a :class:`~backend.jobs.schemas.ProgressAnswer`."""
    entries: list[StepEntry] = [
        {
            "name": step.name,
            "started_at": write_instant(step.started_at),
            "finished_at": write_instant(step.finished_at) if step.finished_at else None,
            "detail": step.detail,
        }
        for step in steps
    ]
    return orjson.dumps({"data": {"status": status, "waiting": waiting, "steps": entries}})


def _build_state(job: JobSummary) -> JobState:
    return {
        "id": job.id,
        "status": job.status,
        "created_at": write_instant(job.created_at),
        "started_at": write_instant(job.started_at) if job.started_at else None,
        "completed_at": write_instant(job.completed_at) if job.completed_at else None,
        "error": job.error,
    }
