"""The endpoints of entity extraction: HTTP in and out."""

from datetime import timedelta
from typing import Annotated

import orjson
from fastapi import Query, Request
from starlette.responses import Response

from backend.auth.gate import gated_router, needs
from backend.extraction import sightings
from backend.extraction.schemas import ExtractionRequest, ExtractionResult, SeenAnswer
from backend.extraction.window import Window, between
from backend.instants import Instant, utc_now
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
from backend.responses import RawJson

router = gated_router(scope="read", tags=["entities"])


@router.post("/entities/extractions", status_code=202, response_model=AcceptedAnswer, responses=ACCEPTED)
@needs("write")
def submit_extraction(
    request: Request, body: ExtractionRequest, who: Caller, key: IdempotencyKey
) -> Response:
    """Find the entities that a text names.

    The job is on the disk when this answers; poll `GET /entities/extractions/{id}` until it is completed
    or failed.
    """
    return submitted(request, "extraction", {"text": body.text}, title=body.text[:400], who=who, key=key)


@router.get("/entities/extractions", response_model=JobPage)
def list_extractions(request: Request, limit: Limit = 20, cursor: Cursor = None) -> Response:
    """Entity-extraction jobs, newest first."""
    return listed(request, "extraction", limit=limit, cursor=cursor)


@router.get("/entities/extractions/{id}", response_model=JobAnswer[ExtractionResult], responses=UNKNOWN)
def read_extraction(request: Request, id: JobId) -> Response:
    """An entity-extraction job; `result` is there once it is completed."""
    return shown(request, "extraction", id)


@router.get("/entities/extractions/{id}/steps", response_model=ProgressAnswer, responses=UNKNOWN)
def watch_extraction(request: Request, id: JobId) -> Response:
    """What the job has done and is doing."""
    return progress(request, "extraction", id)


@router.delete("/entities/extractions/{id}", response_model=JobAnswer[ExtractionResult], responses=CANCEL)
@needs("write")
def cancel_extraction(request: Request, id: JobId) -> Response:
    """End a job that has not ended."""
    return cancelled(request, "extraction", id)


@router.get("/entities", response_model=SeenAnswer)
def list_entities(
    request: Request,
    window: Annotated[
        Window, Query(description="How far back, where `from` is not given: a number and s, m, h, d or w.")
    ] = timedelta(hours=24),
    from_: Annotated[
        Instant | None, Query(alias="from", description="Seen at this instant or later.")
    ] = None,
    to: Annotated[Instant | None, Query(description="Seen before this instant; by default now.")] = None,
) -> Response:
    """Entities seen in source-finding jobs that completed lately, each with the number of such jobs."""
    start, end = between(window, from_, to, now=utc_now())
    rules = request.app.state.articles.rules.current
    entities = sightings.seen_between(request.app.state.database, rules, start, end)
    return RawJson(orjson.dumps({"data": {"entities": entities}}))
