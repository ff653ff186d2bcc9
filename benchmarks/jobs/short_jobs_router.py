"""Adds an endpoint that submits short jobs to the service."""

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from backend.auth.gate import gated_router, needs
from backend.jobs.job_routes import Caller, IdempotencyKey, document_submission, submit_job
from backend.jobs.schemas import AcceptedAnswer
from backend.sources.schemas import SourcesJobAnswer

router = gated_router(scope="read")


class Text(BaseModel):
    text: str


@router.post(
    "/jobs",
    status_code=202,
    response_model=AcceptedAnswer,
    responses=document_submission("sources", SourcesJobAnswer),
)
@needs("write")
def submit_text(request: Request, body: Text, who: Caller, key: IdempotencyKey) -> Response:
    """202, once the job is on the disk."""
    return submit_job(request, "extraction", body.model_dump(), title=body.text, who=who, key=key)
