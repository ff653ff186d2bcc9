"""Defines the HTTP endpoints of articles."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, ClassVar

from fastapi import APIRouter, Depends, Query, Request
from pydantic import Field
from starlette.responses import Response

from backend.articles import schemas
from backend.articles.batches import JsonResults
from backend.articles.model import Severity, ViolationType
from backend.articles.rules_response import VERSION_HEADER
from backend.articles.service import ArticleService
from backend.articles.violation_store import ViolationFilter
from backend.auth.gate import Access, GatedRoute, current_principal, needs, require
from backend.auth.ownership import find_visible_owner
from backend.entities.model import Language
from backend.formats.capped_numbers import cap_at
from backend.formats.timestamps import Instant
from backend.http.responses import CACHED_RESPONSES, PreparedResponse, RawJson
from backend.jobs.job_routes import Caller, IdempotencyKey

MAX_VIOLATIONS = 1000
"""Maximum number of violations in a response."""


class ArticleRoute(GatedRoute):
    """A route that sends the version of the rules with errors too."""

    default_access: ClassVar[Access | None] = Access("read")

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def with_version(request: Request) -> Response:
            request.state.error_headers = {VERSION_HEADER: articles_of(request).rules.version}
            return await handle(request)

        return with_version


router = APIRouter(tags=["articles"], route_class=ArticleRoute)


def articles_of(request: Request) -> ArticleService:
    service: ArticleService = request.app.state.articles
    return service


def build_filter(
    request: Request,
    article_id: Annotated[str | None, Query(description="Only violations in this article.")] = None,
    entity_id: Annotated[str | None, Query(description="Only wrong names of this entity.")] = None,
    rule_id: Annotated[str | None, Query(description="Only violations of this rule.")] = None,
    severity: Annotated[Severity | None, Query(description="Only violations of this severity.")] = None,
    language: Annotated[
        Language | None, Query(description="Only violations in articles of this language.")
    ] = None,
    violation_type: Annotated[
        ViolationType | None, Query(description="Only violations of this type.")
    ] = None,
    from_: Annotated[
        Instant | None, Query(alias="from", description="Stored at this instant or later.")
    ] = None,
    to: Annotated[Instant | None, Query(description="Stored before this instant.")] = None,
) -> ViolationFilter:
    """Build the filter of the history endpoints, which show callers their own violations.

    Missing parameters filter nothing.
    """
    owner = find_visible_owner(request)
    return ViolationFilter(
        article_id, entity_id, rule_id, severity, language, violation_type, from_, to, owner
    )


Filter = Annotated[ViolationFilter, Depends(build_filter)]


async def require_scan_scope(request: Request) -> None:
    """Require the scope that the body's ``persist`` needs, before the rest of the body is validated.

    A body whose ``persist`` is invalid is refused later, by the validation.
    """
    body = await request.json()
    persist = body.get("persist", True) if isinstance(body, dict) else None
    if isinstance(persist, bool):
        require(current_principal(request), "write" if persist else "read")


def _respond(results: JsonResults) -> Response:
    return RawJson(results.body, headers={VERSION_HEADER: results.rules_version})


@router.post(
    "/articles/scan",
    response_model=list[schemas.ScanResult],
    dependencies=[Depends(require_scan_scope)],
    responses={409: {"description": "The `Idempotency-Key` was used with another request."}},
)
@needs("read", or_scope="write")
def scan_articles(request: Request, body: schemas.ScanRequest, who: Caller, key: IdempotencyKey) -> Response:
    """Find entity names and their violations, and preview every deterministic correction.

    Returns one result per article, in order. Unless `persist` is false, the violations are on disk before the
    response is sent. Storing needs the scope `write`; otherwise `read` is enough. A repeated request with the
    same `Idempotency-Key` returns the first answer and stores nothing again.
    """
    service, articles = articles_of(request), schemas.accept_in_all(body.articles, body.accept)
    if body.persist:
        return _respond(service.scan_and_store(articles, owner=who.owner, idempotency_key=key))
    return _respond(service.scan(articles))


@router.post("/articles/apply", response_model=list[schemas.ApplyResult])
def apply_corrections(request: Request, body: schemas.ApplyRequest) -> Response:
    """Make the corrections of rules that are safe to apply (`auto_fix`). Nothing is stored.

    Returns one result per article, in order. Applying again changes nothing.
    """
    return _respond(articles_of(request).apply(schemas.accept_in_all(body.articles, body.accept)))


@router.get("/articles/violations", response_model=schemas.ViolationPage)
def list_violations(
    request: Request,
    filters: Filter,
    limit: Annotated[
        int,
        Field(ge=1),
        cap_at(MAX_VIOLATIONS),
        Query(description=f"Maximum number of violations. Larger values count as {MAX_VIOLATIONS}."),
    ] = 100,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the previous page.")] = None,
) -> Response:
    """List the caller's stored violations, newest first; with the scope `admin`, everyone's."""
    service = articles_of(request)
    body = service.violations(filters, limit=limit, cursor=cursor)
    return RawJson(body, headers={VERSION_HEADER: service.rules.version})


@router.get("/articles/violations/summary", response_model=schemas.ViolationSummary)
def summarise_violations(request: Request, filters: Filter) -> Response:
    """Count the caller's stored violations by rule, entity, severity, type, language and UTC day.

    Returns the hundred most frequent rules and entities, and the last thousand days with violations.
    """
    service = articles_of(request)
    return RawJson(service.violation_summary(filters), headers={VERSION_HEADER: service.rules.version})


@router.get("/articles/rules", response_model=schemas.RulesInForce, responses=CACHED_RESPONSES)
def read_rules(request: Request) -> Response:
    """Return the active entities and rules. `version` is the hash of the compiled rules."""
    return PreparedResponse(articles_of(request).rules_response.load(), request)
