"""Defines the wire models of source finding."""

from typing import Annotated, Any, Final, Literal, NotRequired, get_args

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)
from typing_extensions import TypedDict

from backend.documents.model import SourceType
from backend.formats.field_types import Timestamp, WebUrl
from backend.formats.urls import require_web_url
from backend.jobs.schemas import JobState

MAX_STATEMENT_CHARS = 10_000
MAX_CONTENT_CHARS = 200_000
MAX_SOURCE_URLS = 20
MAX_URL_CHARS = 2_000

Assessment = Literal["supported", "contradicted", "mixed", "unverified"]
ASSESSMENTS: tuple[Assessment, ...] = get_args(Assessment)
SUPPORTED: Final = "supported"
CONTRADICTED: Final = "contradicted"
MIXED: Final = "mixed"
UNVERIFIED: Final = "unverified"
Confidence = Literal["high", "medium", "low"]


def _validate_url(text: str) -> str:
    return require_web_url(text, MAX_URL_CHARS)


Url = Annotated[
    str,
    # No format "uri": letters of every script are accepted, as browsers show URLs (RFC 3987).
    Field(max_length=MAX_URL_CHARS, json_schema_extra={"pattern": r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#]\S*$"}),
    AfterValidator(_validate_url),
]


def _parse_integral(value: Any) -> Any:
    """Convert ``10.0`` to 10: both are the same integer in JSON Schema."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


StatementText = Annotated[str, Field(max_length=MAX_STATEMENT_CHARS)]


class SourcesRequest(BaseModel):
    """A statement to check, or a text's title with or without its content. Other fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    statement: StatementText | None = Field(default=None, description="Statement to check.")
    title: StatementText | None = Field(
        default=None, description="Title of a text. It is checked if no statement is sent."
    )
    content: Annotated[str, Field(max_length=MAX_CONTENT_CHARS)] | None = Field(
        default=None,
        description="Text below the title. Its claims are checked after the title's if no statement is sent.",
    )
    source_urls: Annotated[list[Url], Field(max_length=MAX_SOURCE_URLS)] = Field(
        default=[],
        validation_alias=AliasChoices("source_urls", "original_urls"),
        description="Pages to read in addition to those found. `original_urls` is an alias.",
    )
    max_results: Annotated[int, Field(strict=True, ge=1, le=50), BeforeValidator(_parse_integral)] = Field(
        default=10, description="Maximum number of sources in the result."
    )

    @model_validator(mode="before")
    @classmethod
    def _merge_url_lists(cls, body: Any) -> Any:
        """Merge ``source_urls`` and ``original_urls`` without duplicates where both are sent."""
        if not isinstance(body, dict) or not body.keys() >= {"source_urls", "original_urls"}:
            return body
        sent, others = body["source_urls"], body["original_urls"]
        if isinstance(sent, list) and isinstance(others, list):
            sent, others = (
                sent[: MAX_SOURCE_URLS + 1],
                others[: MAX_SOURCE_URLS + 1],
            )  # one more is rejected as too many
            return {**body, "source_urls": [*sent, *(other for other in others if other not in sent)]}
        return {**body, "source_urls": sent if not isinstance(sent, list) else others}

    @model_validator(mode="after")
    def _validate_not_blank(self) -> "SourcesRequest":
        if not any(text and text.strip() for text in (self.statement, self.title, self.content)):
            raise ValueError("statement, title and content are all blank; send at least one of them")
        return self


class StatementRequest(SourcesRequest):
    """A request to check a statement."""

    statement: Annotated[str, Field(max_length=MAX_STATEMENT_CHARS, pattern=r"\S")]


class TitleRequest(SourcesRequest):
    """A request to check a text by its title, and by its content if that is sent too."""

    title: Annotated[str, Field(max_length=MAX_STATEMENT_CHARS, pattern=r"\S")]


class ContentRequest(SourcesRequest):
    """A request to check a text without a title."""

    content: Annotated[str, Field(max_length=MAX_CONTENT_CHARS, pattern=r"\S")]


SourcesBody = Annotated[
    SourcesRequest,
    BeforeValidator(
        lambda body: body, json_schema_input_type=StatementRequest | TitleRequest | ContentRequest
    ),
]
"""The document says by three schemas that one of three fields is required. Errors are those of one model."""


class PrimarySource(TypedDict):
    url: WebUrl
    title: str
    authority_score: float
    """0 to 1: authority of the URL's owner in this matter."""
    relevance_score: float
    """0 to 1: how likely it is about the statement's event."""
    source_type: SourceType
    summary: str
    """The passage about the statement, quoted from the source."""
    content: str
    published_at: Timestamp | None
    validated: bool | None
    """True if the fetched page contains the passage, false if it does not, null if it was not fetched."""
    is_news_like: bool


class TruthAssessment(TypedDict):
    truth_probability: float
    false_probability: float
    """Always 1 − ``truth_probability``; an unknown statement has 0.5 and 0.5."""
    confidence_level: Confidence
    assessment: Assessment
    reasoning: str
    """In the statement's language."""


class SearchMetrics(TypedDict):
    search_rounds: int
    analysis_rounds: int
    total_sources: int
    quality_sources_found: int
    """Sources with an authority of at least 0.8."""


class SourcesResult(TypedDict):
    statement: str
    refined_query: str
    primary_sources: list[PrimarySource]
    """Sources about the event, the most authoritative first."""
    search_results_count: int
    processing_time_ms: int
    truth_assessment: TruthAssessment
    search_metrics: SearchMetrics
    original_urls: list[WebUrl]
    """The URLs of the request."""


class SourcesJob(JobState):
    result: NotRequired[SourcesResult]
    """Present when completed."""


class SourcesJobAnswer(BaseModel):
    data: SourcesJob
