"""Calls the job endpoints: source finding, entity extraction, and recently seen entities."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any, NotRequired
from urllib.parse import quote

import httpx
import orjson

from backend.extraction.schemas import EntityOut, SeenEntity
from backend.jobs.job_kinds import JobKind
from backend.jobs.schemas import JobEntry, JobState, Progress, StepEntry
from backend.sources.schemas import (
    ASSESSMENTS,
    Assessment,
    PrimarySource,
    SourcesResult,
    TruthAssessment,
)
from dashboard.client import connection, problems
from dashboard.client.fetched import Fetched
from dashboard.client.post_requests import Posted

__all__ = [
    "ASSESSMENTS",
    "Assessment",
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
    "cancel_job",
    "fetch_history",
    "fetch_job",
    "fetch_progress",
    "fetch_seen_entities",
    "submit_job",
]


class Job(JobState):
    """A job of any kind; its result is there once it is completed."""

    result: NotRequired[Any]


PATHS: Mapping[JobKind, str] = {"sources": "/sources", "extraction": "/entities/extractions"}
TIMEOUT_SECONDS = 10.0
JOB_LIFETIME_SECONDS = 0.2
"""Responses about jobs serve other readers for this long: less than the polling interval of a job."""


def submit_job(kind: JobKind, body: Mapping[str, Any], *, key: str) -> Posted[str]:
    """Submits a job and returns its id. Repeating ``key`` and body returns the same job."""
    client = connection.get_client()
    content = orjson.dumps(body)
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    return _send(
        lambda request_id: client.post(
            PATHS[kind], content, headers={**headers, **request_id}, timeout=TIMEOUT_SECONDS
        ),
        lambda body: str(body["data"]["job_id"]),
    )


def cancel_job(kind: JobKind, job_id: str) -> Posted[Job]:
    """Cancels a job that has not ended, and returns the job as it then is."""
    client = connection.get_client()
    path = _job_path(kind, job_id)
    return _send(
        lambda request_id: client.delete(path, headers=request_id, timeout=TIMEOUT_SECONDS),
        _decode_job,
    )


def fetch_job(kind: JobKind, job_id: str) -> Fetched[Job]:
    """Fetches a job. An id of another kind is a 404; an id that is no UUID is a 400."""
    return connection.get_client().get(
        _job_path(kind, job_id), "object", _decode_job, lifetime=JOB_LIFETIME_SECONDS
    )


def fetch_progress(kind: JobKind, job_id: str) -> Fetched[Progress]:
    """Fetches the finished and running steps of a job."""
    path = f"{_job_path(kind, job_id)}/steps"
    return connection.get_client().get(path, "object", _decode_data, lifetime=JOB_LIFETIME_SECONDS)


def fetch_history(kind: JobKind, *, limit: int) -> Fetched[list[JobEntry]]:
    """Fetches jobs of a kind, newest first; ``limit`` is at most 100."""
    path = f"{PATHS[kind]}?limit={limit}"
    return connection.get_client().get(path, "object", _decode_entries, lifetime=JOB_LIFETIME_SECONDS)


def fetch_seen_entities(window: str) -> Fetched[list[SeenEntity]]:
    """Fetches the entities of source-finding jobs, most frequent first.

    Only jobs completed within ``window`` (``24h``, ``7d``) count.
    """
    path = f"/entities?window={quote(window, safe='')}"
    return connection.get_client().get(path, "object", _decode_entities, lifetime=JOB_LIFETIME_SECONDS)


def _job_path(kind: JobKind, job_id: str) -> str:
    return f"{PATHS[kind]}/{quote(job_id, safe='')}"


def _decode_data(body: dict[str, Any]) -> Any:
    return body["data"]


def _decode_entries(body: dict[str, Any]) -> list[Any]:
    return list(body["data"])


def _decode_entities(body: dict[str, Any]) -> list[Any]:
    return list(body["data"]["entities"])


def _decode_job(body: dict[str, Any]) -> Job:
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


def _send(
    request: Callable[[Mapping[str, str]], httpx.Response], decode: Callable[[Any], Any]
) -> Posted[Any]:
    """Sends ``request`` with a request id and decodes the JSON body of its response."""
    request_id = uuid.uuid4().hex
    try:
        response = request({"X-Request-ID": request_id})
    except httpx.HTTPError as error:
        problem = problems.from_exception(
            error, connection.get_client().base_url, TIMEOUT_SECONDS, request_id
        )
        return Posted(None, {}, problem)
    if not response.is_success:
        return Posted(None, response.headers, problems.from_response(response, request_id))
    try:
        return Posted(decode(orjson.loads(response.content)), response.headers)
    except (ValueError, TypeError, KeyError) as error:
        detail = f"The answer is not in the documented shape: {error}"
        return Posted(None, response.headers, problems.from_malformed_body(response, detail, request_id))
