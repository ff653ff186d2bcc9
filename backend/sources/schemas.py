"""Wire shapes of source finding, as the interface names them."""

from typing import Annotated, Any, Literal, get_args

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
from backend.formats.urls import names_a_host

LONGEST_STATEMENT = 10_000
LONGEST_CONTENT = 200_000
MOST_URLS = 20
LONGEST_URL = 2_000

AssessmentWord = Literal["supported", "contradicted", "mixed", "unverified"]
ASSESSMENTS: tuple[AssessmentWord, ...] = get_args(AssessmentWord)
Confidence = Literal["high", "medium", "low"]


def _address(text: str) -> str:
    is_one = text.lower().startswith(("http://", "https://")) and names_a_host(text)
    if not is_one or any(character.isspace() or ord(character) < 32 for character in text):
        raise ValueError("must be an address that begins with http:// or https://")
    return text


Url = Annotated[
    str,
    # No format "uri": letters of every script are taken, as browsers show addresses (RFC 3987).
    Field(max_length=LONGEST_URL, json_schema_extra={"pattern": r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#]\S*$"}),
    AfterValidator(_address),
]


def _integral(value: Any) -> Any:
    """``10.0`` is 10 in JSON Schema."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Statement = Annotated[str, Field(max_length=LONGEST_STATEMENT)]


class SourcesRequest(BaseModel):
    """A statement, or the title of a text with or without its content. Other fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    statement: Statement | None = Field(default=None, description="What is to be checked.")
    title: Statement | None = Field(default=None, description="Checked where no statement is sent.")
    content: Annotated[str, Field(max_length=LONGEST_CONTENT)] | None = Field(
        default=None,
        description="What the title stands over; its claims are checked where there is no other.",
    )
    source_urls: Annotated[list[Url], Field(max_length=MOST_URLS)] = Field(
        default=[],
        validation_alias=AliasChoices("source_urls", "original_urls"),
        description="Pages to read beside those that are found; `original_urls` is another name of it.",
    )
    max_results: Annotated[int, Field(strict=True, ge=1, le=50), BeforeValidator(_integral)] = Field(
        default=10, description="Sources in the result at the most."
    )

    @model_validator(mode="before")
    @classmethod
    def _under_both_names(cls, body: Any) -> Any:
        """Where pages are sent under both names, those of both are read, each once."""
        if not isinstance(body, dict) or not body.keys() >= {"source_urls", "original_urls"}:
            return body
        sent, others = body["source_urls"], body["original_urls"]
        if isinstance(sent, list) and isinstance(others, list):
            sent, others = sent[: MOST_URLS + 1], others[: MOST_URLS + 1]  # one more is refused as too many
            return {**body, "source_urls": [*sent, *(other for other in others if other not in sent)]}
        return {**body, "source_urls": sent if not isinstance(sent, list) else others}

    @model_validator(mode="after")
    def _says_something(self) -> "SourcesRequest":
        if not any(text and text.strip() for text in (self.statement, self.title, self.content)):
            raise ValueError("send a statement, a title or a content that is not blank")
        return self


class PrimarySource(TypedDict):
    url: str
    title: str
    authority_score: float
    """0 to 1: how much whoever answers for the address counts in this matter."""
    relevance_score: float
    """0 to 1: how surely it is about the very event of the statement."""
    source_type: SourceType
    summary: str
    """The passage that speaks of the statement, as it stands in the source."""
    content: str
    published_at: str | None
    validated: bool | None
    """True when the page was fetched and the passage found in it, false when it was fetched and not
    found, null when it was not fetched."""
    is_news_like: bool


class TruthAssessment(TypedDict):
    truth_probability: float
    false_probability: float
    """1 − ``truth_probability``, always; not known is 0.5 and 0.5."""
    confidence_level: Confidence
    assessment: AssessmentWord
    reasoning: str
    """In the language of the statement."""


class SearchMetrics(TypedDict):
    search_rounds: int
    analysis_rounds: int
    total_sources: int
    quality_sources_found: int
    """Sources with an authority of 0.8 or more."""


class SourcesResult(TypedDict):
    statement: str
    refined_query: str
    primary_sources: list[PrimarySource]
    """The most authoritative first among those that speak of the event."""
    search_results_count: int
    processing_time_ms: int
    truth_assessment: TruthAssessment
    search_metrics: SearchMetrics
    original_urls: list[str]
    """The addresses that were sent."""
