"""An endpoint that submits short jobs, beside those of the service."""

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from backend.auth.gate import gated_router, needs
from backend.jobs import routes
from backend.jobs.schemas import AcceptedAnswer

router = gated_router(scope="read")


class Text(BaseModel):
    text: str


@router.post("/jobs", status_code=202, response_model=AcceptedAnswer, responses=routes.ACCEPTED)
@needs("write")
def submit_text(request: Request, body: Text, who: routes.Caller, key: routes.IdempotencyKey) -> Response:
    """202, once the job is on the disk."""
    return routes.submitted(request, "extraction", body.model_dump(), title=body.text, who=who, key=key)
