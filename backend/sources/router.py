"""The endpoints of source finding: HTTP in and out."""

from fastapi import Request
from starlette.responses import Response

from backend.auth.gate import gated_router, needs
from backend.jobs.envelope import AcceptedAnswer, JobAnswer, JobPage, ProgressAnswer
from backend.jobs.http import (
    ACCEPTED,
    CANCEL,
    UNKNOWN,
    Caller,
    Cursor,
    IdempotencyKey,
    JobId,
    Limit,
    cancelled,
    listed,
    progress,
    shown,
    submitted,
)
from backend.sources.schemas import SourcesRequest, SourcesResult

router = gated_router(scope="read", tags=["sources"])


@router.post("/sources", status_code=202, response_model=AcceptedAnswer, responses=ACCEPTED)
@needs("write")
def submit_sources(request: Request, body: SourcesRequest, who: Caller, key: IdempotencyKey) -> Response:
    """Ask where a statement comes from and how far what is known bears it out.

    The job is on the disk when this answers; poll `GET /sources/{id}` until it is completed or failed.
    """
    title = next(text for text in (body.statement, body.title, body.content) if text and text.strip())
    return submitted(request, "sources", body.model_dump(mode="json"), title=title, who=who, key=key)


@router.get("/sources", response_model=JobPage)
def list_sources(request: Request, limit: Limit = 20, cursor: Cursor = None) -> Response:
    """Source-finding jobs, newest first."""
    return listed(request, "sources", limit=limit, cursor=cursor)


@router.get("/sources/{id}", response_model=JobAnswer[SourcesResult], responses=UNKNOWN)
def read_sources(request: Request, id: JobId) -> Response:
    """A source-finding job; `result` is there once it is completed."""
    return shown(request, "sources", id)


@router.get("/sources/{id}/steps", response_model=ProgressAnswer, responses=UNKNOWN)
def watch_sources(request: Request, id: JobId) -> Response:
    """What the job has done and is doing."""
    return progress(request, "sources", id)


@router.delete("/sources/{id}", response_model=JobAnswer[SourcesResult], responses=CANCEL)
@needs("write")
def cancel_sources(request: Request, id: JobId) -> Response:
    """End a job that has not ended; it fails, and what it would still bring is dropped."""
    return cancelled(request, "sources", id)
