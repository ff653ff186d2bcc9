"""Wire shapes of the article endpoints, as the interface names them.

Offsets count Unicode code points in the named field as sent, start inclusive, end exclusive.
``field`` is ``title``, ``summary``, ``content`` or ``tags[i]``.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field, StrictBool
from typing_extensions import TypedDict

from backend.articles.model import Rule, RuleExample, Severity, ViolationType
from backend.entities.model import Entity, Language
from backend.errors import PayloadTooLarge

MAX_ARTICLES = 200

FieldPath = Annotated[str, Field(pattern=r"^(title|summary|content|tags\[\d+\])$", examples=["content"])]


def _none_is_empty(value: Any) -> Any:
    return [] if value is None else value


def _not_too_many(value: Any) -> Any:
    """More than a request may hold is another answer than a fault of the input."""
    if isinstance(value, list) and len(value) > MAX_ARTICLES:
        raise PayloadTooLarge(
            f"The request holds {len(value)} articles; {MAX_ARTICLES} is the most. Send the rest in another."
        )
    return value


Tags = Annotated[
    list[str],
    FailFast(),  # a list of a million numbers is one fault, not a million
    BeforeValidator(_none_is_empty, json_schema_input_type=list[str] | None),
]


class Article(BaseModel):
    """An article as sent. What is left out is null (tags: none) and stays so in the answer."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str | None = None
    title: str | None = None
    summary: str | None = None
    content: str | None = None
    tags: Tags = []
    source: str | None = None
    language: Annotated[
        Literal["en", "ja", "zh", ""] | None,
        Field(description="Absent, null or empty: found out from the text."),
    ] = None


AtMostSoMany = Annotated[list[Article], Field(max_length=MAX_ARTICLES)]
Articles = Annotated[AtMostSoMany, BeforeValidator(_not_too_many, json_schema_input_type=AtMostSoMany)]


class ScanRequest(BaseModel):
    articles: Articles
    persist: StrictBool = Field(default=True, description="Whether the violations that are found are stored.")


class ApplyRequest(BaseModel):
    articles: Articles


class ArticleOut(TypedDict):
    id: str | None
    title: str | None
    summary: str | None
    content: str | None
    tags: list[str]
    source: str | None
    language: str | None
    """As sent."""


class Match(TypedDict):
    article_id: str | None
    entity_id: str
    field: FieldPath
    matched_text: str
    start_offset: int
    end_offset: int


class Violation(TypedDict):
    article_id: str | None
    entity_id: str | None
    rule_id: str
    field: FieldPath
    matched_text: str
    suggested_name: str | None
    """Null where there is no single one."""
    language: Language
    violation_type: ViolationType
    severity: Severity
    start_offset: int
    end_offset: int
    auto_fixable: bool


class Correction(TypedDict):
    article_id: str | None
    entity_id: str | None
    rule_id: str
    field: FieldPath
    original_text: str
    corrected_text: str
    language: Language
    start_offset: int
    end_offset: int
    auto_fixable: bool
    requires_approval: bool


class ScanResult(TypedDict):
    article_id: str | None
    matches: list[Match]
    violations: list[Violation]
    corrections: list[Correction]
    corrected_article: ArticleOut


class ApplyResult(TypedDict):
    article_id: str | None
    applied_count: int
    applied: list[Correction]
    corrected_article: ArticleOut


class StoredViolation(Violation):
    """A violation as it was found, and by which scan."""

    id: int
    scan_id: str
    """One for each call that stored something."""
    stored_at: str
    rules_version: str


class ViolationPage(TypedDict):
    data: list[StoredViolation]
    next_cursor: str | None
    """What ``cursor`` takes to go on; null on the last page."""


class Count(TypedDict):
    key: str | None
    count: int


class ViolationSummary(TypedDict):
    """How many stored violations a selection holds, most first; days in order, those of none left out."""

    total: int
    rules: list[Count]
    entities: list[Count]
    severities: list[Count]
    types: list[Count]
    languages: list[Count]
    days: list[Count]
    """``key`` is the day in UTC."""


class RuleOut(Rule):
    """A rule as its pack has it; those that are derived from an entity's facts have no specs."""

    note: str | None = None
    """In English, where the pack has it in several languages."""
    notes: dict[Language, str]
    """By language; empty where the pack has one for all."""
    specs: tuple[RuleExample, ...] = ()
    derived: bool


class RulesInForce(BaseModel):
    version: str
    entities: list[Entity]
    rules: list[RuleOut]
