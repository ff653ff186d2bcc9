"""The article endpoints: HTTP in and out."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, ClassVar

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from backend.articles import schemas
from backend.articles.model import Severity, ViolationType
from backend.articles.rules_response import VERSION_HEADER
from backend.articles.service import ArticleService, JsonResults
from backend.articles.violation_store import ViolationFilter
from backend.auth.gate import Access, GatedRoute, current_principal, needs, require
from backend.entities.model import Language
from backend.formats.timestamps import Instant
from backend.http.responses import CACHED_RESPONSES, PreparedResponse, RawJson


class ArticleRoute(GatedRoute):
    """A route whose refusals bear the version of the rules, as its answers do."""

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


def selection(
    article_id: str | None = None,
    entity_id: str | None = None,
    rule_id: str | None = None,
    severity: Severity | None = None,
    language: Language | None = None,
    violation_type: ViolationType | None = None,
    from_: Annotated[
        Instant | None, Query(alias="from", description="Stored at this instant or later.")
    ] = None,
    to: Annotated[Instant | None, Query(description="Stored before this instant.")] = None,
) -> ViolationFilter:
    """What the history endpoints filter by; filters that are not given do not matter."""
    return ViolationFilter(article_id, entity_id, rule_id, severity, language, violation_type, from_, to)


Filter = Annotated[ViolationFilter, Depends(selection)]


async def require_scan_scope(request: Request) -> None:
    """Judge the caller by what the parsed body asks for, before anything else of it is judged.

    A body that does not say whether to store is refused for that, later.
    """
    body = await request.json()
    persist = body.get("persist", True) if isinstance(body, dict) else None
    if isinstance(persist, bool):
        require(current_principal(request), "write" if persist else "read")


def _answer(answered: JsonResults) -> Response:
    return RawJson(answered.body, headers={VERSION_HEADER: answered.rules_version})


@router.post(
    "/articles/scan", response_model=list[schemas.ScanResult], dependencies=[Depends(require_scan_scope)]
)
@needs("read", or_scope="write")
def scan_articles(request: Request, body: schemas.ScanRequest) -> Response:
    """Find names and what is wrong with them, and preview every deterministic correction.

    One result for each article, in order. The violations are stored, and on the disk before the answer
    is sent, unless `persist` is false. Storing needs the scope `write`, otherwise `read` is enough.
    """
    return _answer(articles_of(request).scan(body.articles, persist=body.persist))


@router.post("/articles/apply", response_model=list[schemas.ApplyResult])
def apply_corrections(request: Request, body: schemas.ApplyRequest) -> Response:
    """Make the corrections of rules that are safe to apply (`auto_fix`); nothing is stored anywhere.

    One result for each article, in order. Applying twice changes nothing the second time.
    """
    return _answer(articles_of(request).apply(body.articles))


@router.get("/articles/violations", response_model=schemas.ViolationPage)
def list_violations(
    request: Request,
    wanted: Filter,
    limit: Annotated[int, Query(ge=1, le=1000, description="How many at the most.")] = 100,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the page before.")] = None,
) -> Response:
    """Stored violations, newest first."""
    service = articles_of(request)
    body = service.violations(wanted, limit=limit, cursor=cursor)
    return RawJson(body, headers={VERSION_HEADER: service.rules.version})


@router.get("/articles/violations/summary", response_model=schemas.ViolationSummary)
def summarise_violations(request: Request, wanted: Filter) -> Response:
    """How many stored violations there are by rule, entity, severity, type, language and day in UTC.

    The hundred most frequent rules and entities, and the last thousand days that have any.
    """
    service = articles_of(request)
    return RawJson(service.violation_summary(wanted), headers={VERSION_HEADER: service.rules.version})


@router.get("/articles/rules", response_model=schemas.RulesInForce, responses=CACHED_RESPONSES)
def read_rules(request: Request) -> Response:
    """The entities and rules in force; `version` is the hash of the compiled set."""
    return PreparedResponse(articles_of(request).rules_answer.answer(), request)
