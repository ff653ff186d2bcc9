"""Calls to the endpoints of jobs: source finding, entity extraction, and the entities seen lately."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

import httpx
import orjson

from backend.extraction.schemas import EntityOut, SeenEntity
from backend.jobs.job_kinds import JobKind
from backend.jobs.schemas import JobEntry, JobEnvelope, Progress, StepEntry
from backend.sources.schemas import (
    ASSESSMENTS,
    AssessmentWord,
    PrimarySource,
    SourcesResult,
    TruthAssessment,
)
from dashboard.client import api, problems
from dashboard.client.fetched import Fetched
from dashboard.client.post_requests import Posted

__all__ = [
    "ASSESSMENTS",
    "AssessmentWord",
    "EntityOut",
    "Job",
    "JobEntry",
    "JobKind",
    "PrimarySource",
    "Progress",
    "SeenEntity",
    "SourcesResult",
    "StepEntry",
    "TruthAssessment",
    "cancel",
    "entities_seen",
    "history",
    "job",
    "progress",
    "submit",
]

Job = JobEnvelope[Any]
"""A job; ``result``, of the shape of its kind, is there once it is completed."""
PATHS: Mapping[JobKind, str] = {"sources": "/sources", "extraction": "/entities/extractions"}
TIMEOUT_SECONDS = 10.0
FRESH_SECONDS = 0.2
"""How long answers about jobs serve other readers too: below the pace at which a job is watched."""


def submit(kind: JobKind, body: Mapping[str, Any], *, key: str) -> Posted[str]:
    """The id of the job. The same ``key`` with the same body gives the same job, however often it is sent."""
    client = api.client()
    content = orjson.dumps(body)
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    return _sent(
        lambda request_id: client.post(
            PATHS[kind], content, headers={**headers, **request_id}, timeout=TIMEOUT_SECONDS
        ),
        lambda answer: str(answer["data"]["job_id"]),
    )


def cancel(kind: JobKind, job_id: str) -> Posted[Job]:
    """End a job that has not ended; the answer is the job as it is then."""
    client = api.client()
    path = _path(kind, job_id)
    return _sent(
        lambda request_id: client.delete(path, headers=request_id, timeout=TIMEOUT_SECONDS),
        _job,
    )


def job(kind: JobKind, job_id: str) -> Fetched[Job]:
    """A job of this kind; an id of another kind is unknown (404), one that is no UUID refused (400)."""
    return api.client().get(_path(kind, job_id), "object", _job, lifetime=FRESH_SECONDS)


def progress(kind: JobKind, job_id: str) -> Fetched[Progress]:
    """What the job has done and is doing."""
    path = f"{_path(kind, job_id)}/steps"
    return api.client().get(path, "object", _data, lifetime=FRESH_SECONDS)


def history(kind: JobKind, *, limit: int) -> Fetched[list[JobEntry]]:
    """Jobs of a kind, newest first; 100 at the most."""
    path = f"{PATHS[kind]}?limit={limit}"
    return api.client().get(path, "object", _entries, lifetime=FRESH_SECONDS)


def entities_seen(window: str) -> Fetched[list[SeenEntity]]:
    """Entities of the source-finding jobs that completed within ``window`` (``24h``, ``7d``), most first."""
    path = f"/entities?window={quote(window, safe='')}"
    return api.client().get(path, "object", _entities, lifetime=FRESH_SECONDS)


def _path(kind: JobKind, job_id: str) -> str:
    return f"{PATHS[kind]}/{quote(job_id, safe='')}"


def _data(body: dict[str, Any]) -> Any:
    return body["data"]


def _entries(body: dict[str, Any]) -> list[Any]:
    return list(body["data"])


def _entities(body: dict[str, Any]) -> list[Any]:
    return list(body["data"]["entities"])


def _job(body: dict[str, Any]) -> Job:
    data = body["data"]
    job: Job = {
        "id": data["id"],
        "status": data["status"],
        "created_at": data["created_at"],
        "started_at": data["started_at"],
        "completed_at": data["completed_at"],
        "error": data["error"],
    }
    if job["status"] == "completed":
        job["result"] = data["result"]
    return job


def _sent(send: Callable[[Mapping[str, str]], httpx.Response], read: Callable[[Any], Any]) -> Posted[Any]:
    """What ``read`` makes of the answer, or why there is none."""
    request_id = uuid.uuid4().hex
    try:
        response = send({"X-Request-ID": request_id})
    except httpx.HTTPError as fault:
        problem = problems.of_fault(fault, api.client().base_url, TIMEOUT_SECONDS, request_id)
        return Posted(None, {}, problem)
    if not response.is_success:
        return Posted(None, response.headers, problems.of_response(response, request_id))
    try:
        return Posted(read(orjson.loads(response.content)), response.headers)
    except (ValueError, TypeError, KeyError) as fault:
        words = f"The answer is not in the documented shape: {fault}"
        return Posted(None, response.headers, problems.malformed(response, words, request_id))
