"""What the routers of jobs share, so that each of them is a few lines.

A router is made with :func:`backend.auth.gate.gated_router`, names its kind, and calls::

    @router.post("/sources", status_code=202, response_model=AcceptedAnswer, responses=ACCEPTED)
    @needs("write")
    def submit_sources(request: Request, body: SourcesRequest, who: Caller, key: IdempotencyKey) -> Response:
        return submitted(request, "sources", body.model_dump(mode="json"), title=..., who=who, key=key)

    @router.get("/sources/{id}", response_model=JobAnswer[SourcesResult], responses=UNKNOWN)
    def read_sources(request: Request, id: JobId) -> Response:
        return shown(request, "sources", id)
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, Header, Path, Query, Request
from pydantic import AfterValidator
from starlette.responses import Response

from backend.auth.gate import current_principal
from backend.auth.principal import Principal
from backend.db import Database
from backend.errors import BadRequest, Conflict, FieldError, NotFound
from backend.instants import utc_now
from backend.jobs import ledger
from backend.jobs.envelope import accepted_answer, job_answer, page_answer, progress_answer
from backend.jobs.model import CANCELLED, Job, JobKind
from backend.responses import RawJson

KEY_HEADER = "Idempotency-Key"
LONGEST_KEY = 255
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)

UNKNOWN: dict[int | str, dict[str, Any]] = {404: {"description": "There is no such job of this kind."}}
CANCEL: dict[int | str, dict[str, Any]] = {
    **UNKNOWN,
    409: {"description": "The job has ended already."},
}
ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {
        "description": "The job is accepted, and on the disk.",
        "headers": {"Location": {"description": "Where to watch the job.", "schema": {"type": "string"}}},
    },
    409: {"description": f"The `{KEY_HEADER}` came with another submission before."},
}


def _job_id(text: str) -> str:
    if not _UUID.fullmatch(text.lower()):
        raise ValueError("is no job id: a UUID such as 4f7c2a9e-0b1d-4c3e-8f5a-6d7e8f9a0b1c")
    return text.lower()


def _idempotency_key(
    request: Request,
    _documented: Annotated[
        str | None,
        Header(
            alias=KEY_HEADER,
            description="1 to 255 characters. Within 24 hours the same key of the same credential gives "
            "the job that it came with first.",
        ),
    ] = None,
) -> str | None:
    lines = request.headers.getlist(KEY_HEADER)
    if not lines:
        return None
    if len(set(lines)) > 1:
        raise _bad_key("The request carries several that differ. Send one")
    key = lines[0]
    if not 1 <= len(key) <= LONGEST_KEY:
        raise _bad_key(f"Must have 1 to {LONGEST_KEY} characters")
    if not key.isprintable():
        raise _bad_key("Must consist of printable characters")
    return key


def _bad_key(message: str) -> BadRequest:
    fault: FieldError = {"loc": ["header", KEY_HEADER], "msg": message, "type": "idempotency_key_invalid"}
    return BadRequest(f"header.{KEY_HEADER}: {message}.", errors=[fault])


JobId = Annotated[
    str, AfterValidator(_job_id), Path(description="The job's id.", json_schema_extra={"format": "uuid"})
]
IdempotencyKey = Annotated[str | None, Depends(_idempotency_key)]
Caller = Annotated[Principal, Depends(current_principal)]
Limit = Annotated[int, Query(ge=1, le=100, description="How many at the most.")]
Cursor = Annotated[str | None, Query(description="`next_cursor` of the page before.")]


def submitted(
    request: Request,
    kind: JobKind,
    body: Mapping[str, Any],
    *,
    title: str,
    who: Principal,
    key: str | None,
) -> Response:
    """202 with the job's id, and its ``Location`` below the path that was asked; after the commit."""
    job = ledger.submit(
        _database(request),
        kind,
        body,
        title=title,
        submitted_by=who.credential_id,
        idempotency_key=key,
        now=utc_now(),
    )
    location = f"{request.scope['path'].rstrip('/')}/{job.id}"
    answer = RawJson(accepted_answer(job), headers={"Location": location})
    answer.status_code = 202
    return answer


def read_or_404(request: Request, kind: JobKind, job_id: str) -> Job:
    """Raises :class:`NotFound` for an id that is unknown or another kind's."""
    return _known(ledger.read(_database(request), kind, job_id), kind)


def shown(request: Request, kind: JobKind, job_id: str) -> Response:
    """The job, with its result once it is completed. Raises :class:`NotFound`."""
    return RawJson(job_answer(read_or_404(request, kind, job_id)))


def progress(request: Request, kind: JobKind, job_id: str) -> Response:
    """How far the job has come. Raises :class:`NotFound`.

    The status is read first, so that no step is missing from what has ended.
    """
    job = read_or_404(request, kind, job_id)
    return RawJson(progress_answer(job, ledger.steps(_database(request), job_id)))


def listed(request: Request, kind: JobKind, *, limit: int, cursor: str | None) -> Response:
    """A page of the jobs of a kind. Raises :class:`BadRequest` for a cursor that is none of ours."""
    return RawJson(page_answer(ledger.recent(_database(request), kind, limit=limit, before=cursor)))


def cancelled(request: Request, kind: JobKind, job_id: str) -> Response:
    """The job, failed now. Again is once.

    Raises :class:`NotFound`, and :class:`Conflict` when it had ended by itself.
    """
    job = _known(ledger.cancel(_database(request), kind, job_id, now=utc_now()), kind)
    if job.error != CANCELLED:
        raise Conflict("The job has ended already, so that there is nothing to cancel.")
    return RawJson(job_answer(job))


def _known(job: Job | None, kind: JobKind) -> Job:
    if job is None:
        raise NotFound(f"There is no {kind} job of this id. Jobs are forgotten some time after they end.")
    return job


def _database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database
