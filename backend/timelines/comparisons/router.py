"""Defines the comparison endpoints."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from backend.auth.gate import gated_router
from backend.entities.model import Language
from backend.formats.timestamps import Instant, parse_instant, write_instant
from backend.http.responses import CACHED_RESPONSES, build_tagged_json, document_not_found
from backend.timelines.comparisons.comparison_request import (
    MAX_PROFILES,
    ComparisonRequest,
    build_query_error,
)
from backend.timelines.comparisons.schemas import ComparisonListing, DividingCases
from backend.timelines.comparisons.service import ComparisonService
from backend.timelines.model import LATEST, SplitKind
from backend.timelines.schemas import Limit

MAX_CASES = 50
"""Maximum number of dividing cases in a response."""


def _validate_alert_name(value: str) -> str:
    return value if value == LATEST else write_instant(parse_instant(value))


AlertName = Annotated[
    str,
    AfterValidator(_validate_alert_name),
    Field(json_schema_extra={"anyOf": [{"const": LATEST}, {"format": "date-time"}]}),
]
router: APIRouter = gated_router(scope="read", tags=["timelines"])


def comparisons_of(request: Request) -> ComparisonService:
    service: ComparisonService = request.app.state.comparisons
    return service


def parse_request(
    profile: Annotated[
        list[str],
        Query(
            max_length=MAX_PROFILES,
            json_schema_extra={"uniqueItems": True},
            description=f"2 to {MAX_PROFILES} profiles: each one (B) is compared with the first (A). "
            "Or one profile, which is compared with itself.",
        ),
    ],
    evaluation: Annotated[
        list[str] | None,
        Query(
            min_length=2,
            max_length=2,
            description="Different ids of two evaluations of the profile: A, then B.",
        ),
    ] = None,
    split_at: Annotated[
        Instant | None, Query(description="Compare the profile before and after this instant.")
    ] = None,
    split_evaluation: Annotated[
        str | None, Query(description="Compare the profile before this evaluation and from it on.")
    ] = None,
    split_revision: Annotated[
        str | None, Query(description="Compare the profile before this revision and from it on.")
    ] = None,
    split_alert: Annotated[
        AlertName | None,
        Query(description=f"Compare before and after an alert: `{LATEST}`, or an instant after it."),
    ] = None,
    case_id: Annotated[list[str] | None, Query(description="Only these cases.")] = None,
    from_: Annotated[
        Instant | None, Query(alias="from", description="Evaluations that started at this instant or later.")
    ] = None,
    to: Annotated[Instant | None, Query(description="Evaluations that started before this instant.")] = None,
    keep_machinery: Annotated[
        bool, Query(description="Include runs that failed for reasons other than the model.")
    ] = False,
    lang: Annotated[Language, Query(description="The language of the sentences.")] = "en",
) -> ComparisonRequest:
    """Build the request. Raises :class:`~backend.errors.BadRequest` for two splits."""
    splits: dict[SplitKind, str | None] = {
        "instant": None if split_at is None else write_instant(split_at),
        "evaluation": split_evaluation,
        "revision": split_revision,
        "alert": split_alert,
    }
    found = [(kind, value) for kind, value in splits.items() if value is not None]
    if len(found) > 1:
        raise build_query_error(f"split_{found[1][0]}", "must not be sent together with another split")
    return ComparisonRequest(
        profile,
        tuple(evaluation or ()),
        found[0] if found else None,
        case_id or (),
        from_,
        to,
        keep_machinery,
        lang,
    )


Compared = Annotated[ComparisonRequest, Depends(parse_request)]


@router.get(
    "/v1/comparisons",
    response_model=ComparisonListing,
    responses={
        **CACHED_RESPONSES,
        **document_not_found("There is no such profile, or it has no such evaluation, revision or alert."),
    },
)
def compare_profiles(request: Request, asked: Compared) -> Response:
    """Compare profiles, or a profile with itself, on shared cases.

    Every case counts once, however often it ran. With more than one comparison, the p-values are also
    corrected for the family of all of them.
    """
    return build_tagged_json(comparisons_of(request).compare(asked), request)


@router.get(
    "/v1/comparisons/cases",
    response_model=DividingCases,
    responses={
        **CACHED_RESPONSES,
        **document_not_found("There is no such profile, or it has no such evaluation, revision or alert."),
    },
)
def list_dividing_cases(
    request: Request,
    asked: Compared,
    limit: Annotated[
        Limit, Query(description=f"The number of cases; 0 and more than {MAX_CASES} mean {MAX_CASES}.")
    ] = 10,
) -> Response:
    """The cases that divide two sides, each with a typical run of both: question, answers, graders' words.

    Texts are there if an import stored them, the deductions always. With `case_id`, only these cases are
    listed, even if they do not differ. The other parameters are those of `GET /v1/comparisons`.
    """
    return build_tagged_json(
        comparisons_of(request).list_cases(asked, min(limit, MAX_CASES) or MAX_CASES), request
    )
