"""Defines the HTTP endpoints of entity extraction."""

from typing import Annotated

import orjson
from fastapi import Query, Request
from starlette.responses import Response

from backend.auth.gate import gated_router, needs
from backend.auth.ownership import find_visible_owner
from backend.extraction import seen_entities
from backend.extraction.schemas import ExtractionJobAnswer, ExtractionRequest, SeenAnswer
from backend.formats.time_window import WindowText, parse_window, resolve_time_range
from backend.formats.timestamps import Instant, utc_now
from backend.http.prefer_header import PreferWait
from backend.http.responses import CACHED_RESPONSES, build_tagged_json
from backend.jobs.job_routes import Caller, IdempotencyKey, add_job_routes, document_submission, submit_job
from backend.jobs.schemas import AcceptedAnswer

router = gated_router(scope="read", tags=["entities"])


@router.post(
    "/entities/extractions",
    status_code=202,
    response_model=AcceptedAnswer,
    responses=document_submission("extraction", ExtractionJobAnswer),
)
@needs("write")
def submit_extraction(
    request: Request, body: ExtractionRequest, who: Caller, key: IdempotencyKey, _prefer: PreferWait = None
) -> Response:
    """Find the entities that a text names.

    The job is on the disk when this answers; poll `GET /entities/extractions/{id}` until it is completed
    or failed.
    """
    return submit_job(request, "extraction", {"text": body.text}, title=body.text[:400], who=who, key=key)


add_job_routes(
    router,
    "extraction",
    "/entities/extractions",
    ExtractionJobAnswer,
    job_name="entity-extraction",
    noun="extraction",
)


@router.get("/entities", response_model=SeenAnswer, responses=CACHED_RESPONSES)
def list_entities(
    request: Request,
    window: Annotated[
        WindowText,
        Query(description="How far back, where `from` is not given: a number and s, m, h, d or w."),
    ] = "24h",
    from_: Annotated[
        Instant | None, Query(alias="from", description="Seen at this instant or later.")
    ] = None,
    to: Annotated[Instant | None, Query(description="Seen before this instant; by default now.")] = None,
) -> Response:
    """Entities seen in the caller's source-finding jobs that completed lately, with the number of such jobs.

    With the scope `admin`, everyone's jobs count.
    """
    start, end = resolve_time_range(parse_window(window), from_, to, now=utc_now())
    rules = request.app.state.articles.rules.current
    owner = find_visible_owner(request)
    entities = seen_entities.list_seen_entities(request.app.state.database, rules, start, end, owner=owner)
    return build_tagged_json(orjson.dumps({"data": {"entities": entities}}), request)
