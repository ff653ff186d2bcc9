"""Adds the shared routes of jobs to a router: list, read, watch and cancel.

A router is built with :func:`backend.auth.gate.gated_router`, declares how jobs of its kind are submitted,
and gets the other routes from :func:`add_job_routes`::

    RESPONSES = document_submission("sources", SourcesJobAnswer)

    @router.post("/sources", status_code=202, response_model=AcceptedAnswer, responses=RESPONSES)
    @needs("write")
    def submit_sources(
        request: Request, body: SourcesRequest, who: Caller, key: IdempotencyKey, _prefer: PreferWait = None
    ) -> Response:
        return submit_job(request, "sources", body.model_dump(mode="json"), title=..., who=who, key=key)

    add_job_routes(router, "sources", "/sources", SourcesJobAnswer, job_name=..., noun="sources")
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from backend.auth.event_streams import (
    EVENT_STREAM_RESPONSES,
    LastEventId,
    respond_with_events,
    wants_events,
)
from backend.auth.gate import current_principal, needs
from backend.auth.ownership import find_visible_owner
from backend.auth.principal import Principal
from backend.errors import BadRequest, Conflict, FieldError, NotFound
from backend.formats.capped_numbers import cap_at
from backend.formats.timestamps import utc_now
from backend.http.prefer_header import PreferWait
from backend.http.responses import CACHED_RESPONSES, RawJson, build_tagged_json
from backend.jobs import job_store, transitions
from backend.jobs.job_kinds import JobKind
from backend.jobs.long_poll import build_long_poll_response
from backend.jobs.model import CANCELLED, MAX_WAIT, Job
from backend.jobs.response_bodies import (
    build_accepted_body,
    build_job_body,
    build_job_list_body,
    build_progress_body,
)
from backend.jobs.schemas import JobPage, ProgressAnswer
from backend.store.database import Database

IDEMPOTENCY_KEY_HEADER = "Idempotency-Key"
MAX_IDEMPOTENCY_KEY_CHARS = 255
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)

NOT_FOUND_RESPONSE: dict[int | str, dict[str, Any]] = {
    404: {"description": "There is no such job of this kind, or it belongs to someone else."}
}
READ_RESPONSES = {**CACHED_RESPONSES, **NOT_FOUND_RESPONSE}
NO_MORE_EVENTS_RESPONSE: dict[int | str, dict[str, Any]] = {
    204: {"description": "The client has the last event, so there is nothing more to stream."}
}
PREFERENCE_APPLIED_HEADER = {
    "Preference-Applied": {
        "description": "The maximum time of the wait, if the request preferred one.",
        "schema": {"type": "string"},
    }
}
LOCATION_HEADER = {
    "Location": {
        "description": "Where to watch the job.",
        "schema": {"type": "string", "format": "uri-reference"},
    }
}
LONG_POLL_RESPONSE: dict[int | str, dict[str, Any]] = {200: {"headers": PREFERENCE_APPLIED_HEADER}}
CANCEL_RESPONSES: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND_RESPONSE,
    409: {"description": "The job has ended already."},
}
MAX_JOBS_PER_PAGE = 100
"""Maximum number of jobs in a response."""


def document_submission(noun: str, job_answer: Any) -> dict[int | str, dict[str, Any]]:
    """Build the OpenAPI entries of a submission, linked to the operations of :func:`add_job_routes`.

    ``job_answer`` is the schema of a response that holds one job of this kind.
    """
    operations = {"get": f"get{noun.capitalize()}Job", "cancel": f"cancel{noun.capitalize()}Job"}
    headers = {**LOCATION_HEADER, **PREFERENCE_APPLIED_HEADER}
    return {
        200: {
            "model": job_answer,
            "description": "The job ended within the time of `Prefer: wait=N`; for callers that may read.",
            "headers": headers,
        },
        202: {
            "description": "The job is accepted, and on the disk.",
            "headers": headers,
            "links": {
                name: {"operationId": operation, "parameters": {"id": "$response.body#/data/job_id"}}
                for name, operation in operations.items()
            },
        },
        409: {"description": f"The `{IDEMPOTENCY_KEY_HEADER}` was used with another submission."},
    }


def _job_id(text: str) -> str:
    if not _UUID.fullmatch(text.lower()):
        raise ValueError("must be a job id: a UUID such as 4f7c2a9e-0b1d-4c3e-8f5a-6d7e8f9a0b1c")
    return text.lower()


def _idempotency_key(
    request: Request,
    _documented: Annotated[
        str | None,
        Header(
            alias=IDEMPOTENCY_KEY_HEADER,
            json_schema_extra={"minLength": 1, "maxLength": MAX_IDEMPOTENCY_KEY_CHARS},
            description="1 to 255 printable characters. Within 24 hours a repeated request with the same "
            "key of the same caller returns the first answer.",
        ),
    ] = None,
) -> str | None:
    lines = request.headers.getlist(IDEMPOTENCY_KEY_HEADER)
    if not lines:
        return None
    if len(set(lines)) > 1:
        raise _build_key_error("The request carries several that differ. Send one")
    try:
        key = lines[0].encode("latin-1").decode("utf-8")  # the framework reads bytes as Latin-1
    except UnicodeDecodeError:
        raise _build_key_error("Must be UTF-8, best of ASCII characters alone") from None
    if not 1 <= len(key) <= MAX_IDEMPOTENCY_KEY_CHARS:
        raise _build_key_error(f"Must have 1 to {MAX_IDEMPOTENCY_KEY_CHARS} characters")
    if not key.isprintable():
        raise _build_key_error("Must consist of printable characters")
    return key


def _build_key_error(message: str) -> BadRequest:
    fault: FieldError = {
        "loc": ["header", IDEMPOTENCY_KEY_HEADER],
        "msg": message,
        "type": "idempotency_key_invalid",
    }
    return BadRequest(f"header.{IDEMPOTENCY_KEY_HEADER}: {message}.", errors=[fault])


JobId = Annotated[
    str, AfterValidator(_job_id), Path(description="The job's id.", json_schema_extra={"format": "uuid"})
]
IdempotencyKey = Annotated[str | None, Depends(_idempotency_key)]
Caller = Annotated[Principal, Depends(current_principal)]
Limit = Annotated[
    int,
    Field(ge=1),
    cap_at(MAX_JOBS_PER_PAGE),
    Query(description=f"Maximum number of jobs. Larger values count as {MAX_JOBS_PER_PAGE}."),
]
Cursor = Annotated[str | None, Query(description="`next_cursor` of the page before.")]


def submit_job(
    request: Request,
    kind: JobKind,
    body: Mapping[str, Any],
    *,
    title: str,
    who: Principal,
    key: str | None,
) -> Response:
    """Submit a job; returns 202 with its id and a ``Location`` below the requested path.

    If the client prefers to wait and may read, returns 200 with the job if it ends in time.
    """
    job = job_store.submit(
        _get_database(request),
        kind,
        body,
        title=title,
        submitted_by=who.owner,
        idempotency_key=key,
        now=utc_now(),
    )
    location = f"{request.scope['path'].rstrip('/')}/{job.id}"
    accepted = RawJson(build_accepted_body(job), headers={"Location": location})
    accepted.status_code = 202

    def build_final_response() -> Response:
        now = job_store.read(_get_database(request), kind, job.id, owner=who.owner)
        if now is None or now.status in job_store.UNFINISHED:
            return accepted
        return RawJson(build_job_body(now), headers={"Location": location})

    if "read" not in who.scopes:  # it may submit, and not see what comes of it
        return accepted
    return build_long_poll_response(request, job.id, build_final_response) or accepted


def load_job_or_404(request: Request, kind: JobKind, job_id: str) -> Job:
    """Load a job; raises :class:`NotFound` for an unknown id, and for a job of another kind or owner.

    A job that waited too long fails when it is read, since there may be no worker to end it.
    """
    database, now, owner = _get_database(request), utc_now(), find_visible_owner(request)
    job = _require_job(job_store.read(database, kind, job_id, owner=owner), kind)
    if job.status == "pending" and job.created_at < now - MAX_WAIT:
        transitions.fail_never_started(database, now=now)
        job = _require_job(job_store.read(database, kind, job_id, owner=owner), kind)
    return job


def respond_with_job(request: Request, kind: JobKind, job_id: str) -> Response:
    """Return the job, with its result if it is completed, at once or after the wait that the client prefers.

    Raises :class:`NotFound`.
    """

    def build() -> Response:
        return build_tagged_json(build_job_body(load_job_or_404(request, kind, job_id)), request)

    answer = build()
    return build_long_poll_response(request, job_id, build) or answer


def respond_with_progress(request: Request, kind: JobKind, job_id: str) -> Response:
    """Return the progress of a job, or stream it to clients that prefer events. Raises :class:`NotFound`.

    The status is read before the steps, so that an ended job shows all its steps.
    """
    job = load_job_or_404(request, kind, job_id)
    if wants_events(request):
        return respond_with_events(request, request.app.state.job_events, job_id)
    database = _get_database(request)
    waiting = job_store.count_waiting(database, job) if job.status == "pending" else None
    return build_tagged_json(
        build_progress_body(job.status, waiting, job_store.list_steps(database, job_id)),
        request,
        negotiated=True,
    )


def respond_with_job_list(request: Request, kind: JobKind, *, limit: int, cursor: str | None) -> Response:
    """Return a page of the caller's jobs of a kind. Raises :class:`BadRequest` for an invalid cursor."""
    page = job_store.list_recent(
        _get_database(request), kind, owner=find_visible_owner(request), limit=limit, before=cursor
    )
    return build_tagged_json(build_job_list_body(page), request)


def cancel_job(request: Request, kind: JobKind, job_id: str) -> Response:
    """Cancel a job and return it as failed. Idempotent.

    Raises :class:`NotFound`, and :class:`Conflict` when it has ended by itself.
    """
    owner = find_visible_owner(request)
    cancelled = job_store.cancel(_get_database(request), kind, job_id, owner=owner, now=utc_now())
    job = _require_job(cancelled, kind)
    if job.error != CANCELLED:
        raise Conflict("The job has ended already, so there is nothing to cancel.")
    return RawJson(build_job_body(job))


def _require_job(job: Job | None, kind: JobKind) -> Job:
    if job is None:
        raise NotFound(
            f"There is no {kind} job of this id, or it belongs to someone else. "
            "Jobs are deleted some time after they end."
        )
    return job


def _get_database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


def add_job_routes(
    router: APIRouter, kind: JobKind, path: str, answer: Any, *, job_name: str, noun: str
) -> None:
    """Add the routes to list, read, watch and cancel jobs of a kind below ``path``.

    ``answer`` is the schema of a job with its result. ``job_name`` is the name of such a job in the
    documentation; ``noun`` is part of the names of the operations (``read_extraction_job``).
    """
    title = f"{'An' if job_name[0] in 'aeiou' else 'A'} {job_name}"

    def list_jobs(request: Request, limit: Limit = 20, cursor: Cursor = None) -> Response:
        return respond_with_job_list(request, kind, limit=limit, cursor=cursor)

    def read_job(request: Request, id: JobId, _prefer: PreferWait = None) -> Response:
        return respond_with_job(request, kind, id)

    def read_progress(request: Request, id: JobId, _last_event_id: LastEventId = None) -> Response:
        return respond_with_progress(request, kind, id)

    @needs("write")
    def cancel(request: Request, id: JobId) -> Response:
        return cancel_job(request, kind, id)

    add = router.add_api_route
    add(
        path,
        list_jobs,
        name=f"list_{noun}_jobs",
        response_model=JobPage,
        responses=CACHED_RESPONSES,
        description=f"The caller's {job_name} jobs, newest first; with the scope `admin`, everyone's.",
    )
    add(
        f"{path}/{{id}}",
        read_job,
        name=f"read_{noun}_job",
        response_model=answer,
        responses={**READ_RESPONSES, **LONG_POLL_RESPONSE},
        description=f"{title} job; `result` is there once it is completed.",
    )
    add(
        f"{path}/{{id}}/steps",
        read_progress,
        name=f"read_{noun}_job_steps",
        response_model=ProgressAnswer,
        responses={**READ_RESPONSES, **EVENT_STREAM_RESPONSES, **NO_MORE_EVENTS_RESPONSE},
        description="What the job waits behind, has done and is doing. With `Accept: text/event-stream`, "
        "it is sent again as an event after each change, until the job has ended.",
    )
    add(
        f"{path}/{{id}}",
        cancel,
        methods=["DELETE"],
        name=f"cancel_{noun}_job",
        response_model=answer,
        responses=CANCEL_RESPONSES,
        description="End a job that has not ended; it fails, and what it would still bring is dropped.",
    )
