"""Defines the tools of jobs: checking a statement, extracting entities, and reading a job."""

from typing import Annotated, Any, Literal
from uuid import UUID

from anyio import current_time, sleep
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from backend.entities.model import EntityType
from backend.extraction.schemas import MAX_TEXT_CHARS
from backend.jobs.schemas import JobStatus
from backend.mcp.service_client import Refusal, ServiceClient
from backend.mcp.tool_result import ToolResult, Truncator
from backend.mcp.tools.context import ToolContext, get_service
from backend.sources.schemas import (
    MAX_CONTENT_CHARS,
    MAX_SOURCE_URLS,
    MAX_STATEMENT_CHARS,
    Assessment,
    Confidence,
)

FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS, PAUSE_GROWTH = 0.2, 3.0, 1.6
"""Pauses between two looks at a job."""
MAX_QUOTE_CHARS = 800
MAX_ENTITIES = 200
ENDED: tuple[JobStatus, ...] = ("completed", "failed")
Kind = Literal["statement_check", "entity_extraction"]
PATHS: dict[Kind, str] = {"statement_check": "/sources", "entity_extraction": "/entities/extractions"}
WaitSeconds = Annotated[
    int,
    Field(ge=0, le=45, description="How long to wait for the result. After that the result has the job id."),
]


class Source(BaseModel):
    url: str
    title: str
    source_type: str
    authority: float = Field(description="0 to 1: authority of the address's owner in this matter.")
    relevance: float
    quote: str = Field(description="The passage about the statement.")
    quote_found_on_page: bool | None = Field(description="Null if the page was not fetched.")
    published_at: str | None


class Verdict(BaseModel):
    statement: str
    assessment: Assessment
    confidence: Confidence
    truth_probability: float = Field(description="0.5 if nothing is known.")
    reasoning: str
    sources: list[Source] = Field(description="The most authoritative first.")


class ExtractedEntity(BaseModel):
    name: str
    canonical_name: str
    type: EntityType
    official_domains: list[str]


class JobResult(ToolResult):
    job_id: str
    kind: Kind
    status: JobStatus
    error: str | None
    next_step: str | None = Field(description="What to do while the job has no result.")
    verdict: Verdict | None = Field(description="Of a completed statement check.")
    entities: list[ExtractedEntity] | None = Field(description="Of a completed extraction.")


async def check_statement(
    context: ToolContext,
    statement: Annotated[
        str, Field(max_length=MAX_STATEMENT_CHARS, description="The statement to check, in any language.")
    ] = "",
    title: Annotated[
        str, Field(max_length=MAX_STATEMENT_CHARS, description="Instead of a statement: title of a text.")
    ] = "",
    content: Annotated[
        str,
        Field(max_length=MAX_CONTENT_CHARS, description="Text below the title. Its claims are checked."),
    ] = "",
    source_urls: Annotated[
        list[str], Field(max_length=MAX_SOURCE_URLS, description="Pages to read in addition to those found.")
    ] = [],  # noqa: B006 - the library reads the default and never changes it
    max_results: Annotated[int, Field(ge=1, le=50)] = 10,
    wait_seconds: WaitSeconds = 45,
) -> JobResult:
    """Check a statement: find its sources and judge whether they support or contradict it.

    Submits a job and waits for it. If the job needs longer, the result has its id for read_job.
    """
    texts = {"statement": statement, "title": title, "content": content}
    body = {name: text for name, text in texts.items() if text.strip()}
    if not body:
        raise ToolError("There is nothing to check. Send a statement, or a title with or without content.")
    return await _submit(
        context,
        "statement_check",
        {**body, "source_urls": source_urls, "max_results": max_results},
        wait_seconds,
    )


async def extract_entities(
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS)],
    context: ToolContext,
    wait_seconds: WaitSeconds = 45,
) -> JobResult:
    """Extract the assets, companies, organisations and people that a text names, with their official sites.

    Submits a job and waits for it. If the job needs longer, the result has its id for read_job.
    """
    return await _submit(context, "entity_extraction", {"text": text}, wait_seconds)


async def read_job(job_id: UUID, context: ToolContext, wait_seconds: WaitSeconds = 0) -> JobResult:
    """Read the result of a statement check or an extraction by its job id."""
    service = get_service(context)
    for kind in PATHS:
        try:
            return await _wait(context, service, kind, str(job_id), wait_seconds)
        except Refusal as refusal:
            if refusal.status != 404:
                raise
    raise ToolError(f"There is no job {job_id}. Jobs are deleted some time after they end.")


async def _submit(context: ToolContext, kind: Kind, body: dict[str, Any], wait_seconds: int) -> JobResult:
    service = get_service(context)
    answer = await service.post(PATHS[kind], body)
    job_id: str = answer["data"]["job_id"]
    await context.report_progress(0, message=f"Submitted job {job_id}")
    try:
        return await _wait(context, service, kind, job_id, wait_seconds)
    except ToolError as error:
        raise ToolError(f"{error} The job {job_id} goes on; read_job returns its result.") from error


async def _wait(
    context: ToolContext, service: ServiceClient, kind: Kind, job_id: str, wait_seconds: float
) -> JobResult:
    """Poll until the job has ended or the time is over, and return it in its state."""
    started = current_time()
    with service.wait_slots.take() as has_room:
        limit = min(wait_seconds, service.max_wait_seconds) if has_room else 0
        pause = FIRST_PAUSE_SECONDS
        while not await _has_ended(context, service, f"{PATHS[kind]}/{job_id}/steps", started):
            remaining = started + limit - current_time()
            if remaining <= 0:
                break
            await sleep(min(pause, remaining))
            pause = min(pause * PAUSE_GROWTH, MAX_PAUSE_SECONDS)
    job = (await service.get(f"{PATHS[kind]}/{job_id}"))["data"]
    return _build_result(service, kind, job)


async def _has_ended(context: ToolContext, service: ServiceClient, path: str, started: float) -> bool:
    """Look at the job once, and report its progress. A temporary refusal counts as not yet."""
    try:
        progress = (await service.get(path))["data"]
    except Refusal as refusal:
        if refusal.retry_after is None:
            raise
        await sleep(min(refusal.retry_after, MAX_PAUSE_SECONDS))
        return False
    seconds = round(current_time() - started, 3)
    await context.report_progress(max(seconds, 0.001), message=_describe_progress(progress))
    return progress["status"] in ENDED


def _describe_progress(progress: dict[str, Any]) -> str:
    if progress["waiting"] is not None:
        return f"Waiting; jobs ahead: {progress['waiting']['jobs_ahead']}"
    running = [step["name"] for step in progress["steps"] if step["finished_at"] is None]
    done = len(progress["steps"]) - len(running)
    return f"Steps done: {done}" + (f"; now: {', '.join(running)}" if running else "")


def _build_result(service: ServiceClient, kind: Kind, job: dict[str, Any]) -> JobResult:
    result, cutter = job.get("result"), Truncator()
    is_check = kind == "statement_check"
    return JobResult(
        job_id=job["id"],
        kind=kind,
        status=job["status"],
        error=job["error"],
        next_step=None if job["status"] in ENDED else "The job goes on. Call read_job with this job_id.",
        verdict=_build_verdict(cutter, result) if result and is_check else None,
        entities=cutter.limit_list(
            [ExtractedEntity(**entity) for entity in result["entities"]], MAX_ENTITIES, "entities"
        )
        if result and not is_check
        else None,
        dashboard_url=service.links.build_page_url("research", job=job["id"]),
        api_url=service.links.build_api_url(f"{PATHS[kind]}/{job['id']}"),
        data_mode=service.data_mode,
        cut=cutter.cut,
    )


def _build_verdict(cutter: Truncator, result: dict[str, Any]) -> Verdict:
    judged = result["truth_assessment"]
    return Verdict(
        statement=cutter.limit_text(result["statement"], MAX_QUOTE_CHARS, "statement"),
        assessment=judged["assessment"],
        confidence=judged["confidence_level"],
        truth_probability=judged["truth_probability"],
        reasoning=judged["reasoning"],
        sources=[
            Source(
                url=source["url"],
                title=source["title"],
                source_type=source["source_type"],
                authority=source["authority_score"],
                relevance=source["relevance_score"],
                quote=cutter.limit_text(source["summary"], MAX_QUOTE_CHARS, "a quote"),
                quote_found_on_page=source["validated"],
                published_at=source["published_at"],
            )
            for source in result["primary_sources"]
        ],
    )
