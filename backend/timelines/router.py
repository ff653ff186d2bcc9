"""Defines the timeline endpoints."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from backend.auth.gate import gated_router, needs
from backend.errors import BadRequest
from backend.http.body_headers import validate_body_headers
from backend.http.content_negotiation import JSON, prefers
from backend.http.prepared_responses import accepts_gzip, matches
from backend.http.responses import (
    CACHED_RESPONSES,
    PreparedResponse,
    RawJson,
    document_not_found,
    join_header,
)
from backend.timelines import schemas
from backend.timelines.model import ARROW, MAX_ENTRIES
from backend.timelines.responses.streaming_response import TimelineResponse
from backend.timelines.selection import Selection
from backend.timelines.service import Representation, TimelineAnswer, TimelineService

router: APIRouter = gated_router(scope="read", tags=["timelines"])

Limit = Annotated[
    schemas.Limit,
    Query(description=f"The newest matching entries of a profile; 0 means the most, {MAX_ENTRIES}."),
]
Filter = Annotated[str | None, Query(description="Exactly so; empty is as if it was not given.")]
ProfileName = Annotated[str, Path(description="A configured profile's name; it may contain slashes.")]
ARROW_TOO: dict[int | str, dict[str, Any]] = {200: {"content": schemas.ARROW_CONTENT}, **CACHED_RESPONSES}


def timelines_of(request: Request) -> TimelineService:
    service: TimelineService = request.app.state.timelines
    return service


def selection(
    limit: Limit = MAX_ENTRIES,
    model: Filter = None,
    model_vendor: Filter = None,
    inference_provider: Filter = None,
    case_id: Filter = None,
) -> Selection:
    return Selection(
        schemas.entries_made(limit),
        model or None,
        model_vendor or None,
        inference_provider or None,
        case_id or None,
    )


Chosen = Annotated[Selection, Depends(selection)]


@router.get("/v1/timelines", response_model=schemas.TimelineListing, responses=ARROW_TOO)
def list_timelines(request: Request, chosen: Chosen) -> Response:
    """Every configured profile with its newest runs, oldest first by instant, then by `run_id`.

    The filters compare with what each run was made with. Arrow columns are sent to those who accept them.
    """
    return _answer(request, timelines_of(request).listing(chosen, _parse_representation(request)))


@router.get(
    "/v1/timelines/{profile:path}",
    response_model=schemas.ProfileTimeline,
    responses={**ARROW_TOO, **document_not_found("There is no such profile.")},
)
def read_timeline(request: Request, profile: ProfileName, chosen: Chosen) -> Response:
    """One profile's newest runs. The rest of the path, percent-decoded once, is the profile's name."""
    return _answer(request, timelines_of(request).timeline(profile, chosen, _parse_representation(request)))


@router.post(
    "/v1/timelines/{profile:path}/entries",
    status_code=201,
    response_model=schemas.AddedRuns,
    responses={
        **document_not_found("There is no such profile."),
        409: {"description": "It is a profile of the sample, which takes no runs."},
    },
    openapi_extra={"requestBody": schemas.REQUEST_BODY},
)
@needs("ingest")
async def add_runs(request: Request, profile: ProfileName) -> Response:
    """Add a run, or an array of them: all or, where one has a fault, none.

    They are on the disk before the answer is sent. A known `run_id` keeps its first content.
    """
    # By hand, since the body of thousands of runs is decoded in a thread and straight into runs.
    validate_body_headers(request.scope["headers"], limit=request.app.state.body_limit)
    try:
        body = await request.body()
    except ClientDisconnect:
        raise BadRequest("The connection ended before the body was complete.") from None
    added = await run_in_threadpool(timelines_of(request).add, profile, body)
    answer = RawJson(b'{"added":%d,"known":%d}' % added)
    answer.status_code = 201
    return answer


@router.get(
    "/v1/runs/{run_id:path}",
    response_model=schemas.RunOut,
    responses=document_not_found("There is no such run."),
)
def read_run(request: Request, run_id: Annotated[str, Path(description="A run's id.")]) -> Response:
    """One run, with what it was made with and what an entry has no field for."""
    return RawJson(timelines_of(request).run(run_id))


def _parse_representation(request: Request) -> Representation:
    encoding = join_header(request, "accept-encoding")
    if prefers(", ".join(request.headers.getlist("accept")), ARROW):
        return Representation("arrow", gzip=False)  # Arrow is compressed within
    return Representation("json", gzip=encoding is not None and accepts_gzip(encoding))


def _answer(request: Request, answer: TimelineAnswer) -> Response:
    key = (request.scope["path"], request.scope["query_string"])
    prepared = timelines_of(request).prepare(answer, key)
    if prepared is not None:
        return PreparedResponse(prepared, request)
    representation = answer.representation
    headers = {
        "Cache-Control": "private, no-cache",
        "Vary": "Accept, Accept-Encoding, Authorization, CP-X-API-KEY",
        "ETag": answer.tag,
    }
    client_tags = join_header(request, "if-none-match")
    if client_tags is not None and matches(client_tags, answer.tag.encode()):
        return Response(status_code=304, headers=headers)
    headers["Content-Type"] = ARROW if representation.form == "arrow" else JSON
    if representation.gzip:
        headers["Content-Encoding"] = "gzip"
    return TimelineResponse(answer.body(), headers)
