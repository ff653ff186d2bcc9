"""Defines the evaluation endpoint."""

from typing import Annotated

import orjson
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from backend.auth.gate import gated_router
from backend.entities.model import Language
from backend.http.responses import CACHED_RESPONSES, build_tagged_json, document_not_found
from backend.timelines import schemas
from backend.timelines.evaluations.schemas import EvaluationListing
from backend.timelines.model import MAX_ENTRIES
from backend.timelines.service import TimelineService

router: APIRouter = gated_router(scope="read", tags=["timelines"])
MAX_PROFILES = 20
Filter = Annotated[str | None, Query(description="Exactly so; empty is as if it was not given.")]


@router.get(
    "/v1/evaluations",
    response_model=EvaluationListing,
    responses={**CACHED_RESPONSES, **document_not_found("There is no such profile.")},
)
def list_evaluations(
    request: Request,
    profile: Annotated[list[str], Query(max_length=MAX_PROFILES, description="The profiles, up to 20.")],
    suite: Filter = None,
    revision: Filter = None,
    limit: Annotated[
        schemas.Limit, Query(description=f"The newest evaluations; 0 means the most, {MAX_ENTRIES}.")
    ] = MAX_ENTRIES,
    lang: Annotated[Language, Query(description="The language of the sentences.")] = "en",
) -> Response:
    """The evaluations of profiles, newest first: scores, source, and what changed since the one before.

    Runs without an `evaluation_id` belong to no evaluation.
    """
    # Arrow and its dependencies take memory that a service without this request does not need.
    from backend.timelines.evaluations.listing import EvaluationFilter, build_rows, list_notes

    service: TimelineService = request.app.state.timelines
    chosen = EvaluationFilter(
        tuple(dict.fromkeys(profile)),
        suite or None,
        revision or None,
        schemas.entries_made(limit),
        lang,
    )
    timelines = service.states.read().timelines
    rows = build_rows(request.app.state.database, timelines, chosen)
    notes = list_notes(timelines, chosen)
    return build_tagged_json(orjson.dumps({"evaluations": rows, "notes": notes}), request)
