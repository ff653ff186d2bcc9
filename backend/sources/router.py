"""Serves the HTTP endpoints of source finding."""

from fastapi import Request
from starlette.responses import Response

from backend.auth.gate import gated_router, needs
from backend.http.prefer_header import PreferWait
from backend.jobs.job_routes import Caller, IdempotencyKey, add_job_routes, document_submission, submit_job
from backend.jobs.schemas import AcceptedAnswer
from backend.sources.schemas import SourcesBody, SourcesJobAnswer

router = gated_router(scope="read", tags=["sources"])


@router.post(
    "/sources",
    status_code=202,
    response_model=AcceptedAnswer,
    responses=document_submission("sources", SourcesJobAnswer),
)
@needs("write")
def submit_sources(
    request: Request, body: SourcesBody, who: Caller, key: IdempotencyKey, _prefer: PreferWait = None
) -> Response:
    """Find the sources of a statement and assess how well they support it.

    The job is stored before this answers; poll `GET /sources/{id}` until it is completed or failed.
    """
    title = next(text for text in (body.statement, body.title, body.content) if text and text.strip())
    return submit_job(request, "sources", body.model_dump(mode="json"), title=title, who=who, key=key)


add_job_routes(
    router,
    "sources",
    "/sources",
    SourcesJobAnswer,
    job_name="source-finding",
    noun="sources",
)
