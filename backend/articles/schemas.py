"""Defines the request and response bodies of the article endpoints.

Offsets count Unicode code points in the named field as sent. The start is inclusive, the end exclusive.
``field`` is ``title``, ``summary``, ``content`` or ``tags[i]``.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field, StrictBool
from typing_extensions import TypedDict

from backend.articles.model import Rule, RuleExample, Severity, ViolationType
from backend.entities.model import Entity, Language, Name
from backend.errors import PayloadTooLarge
from backend.formats.field_types import Timestamp, Uuid

MAX_ARTICLES = 200

FieldPath = Annotated[str, Field(pattern=r"^(title|summary|content|tags\[\d+\])$")]


def _none_is_empty(value: Any) -> Any:
    return [] if value is None else value


def _none_unless_text(value: Any) -> Any:
    """Ignore dates of other types, since archives come from many programs."""
    return value if isinstance(value, str) else None


def _require_at_most_max_articles(value: Any) -> Any:
    """Answer 413 instead of 400 if a request contains too many articles."""
    if isinstance(value, list) and len(value) > MAX_ARTICLES:
        raise PayloadTooLarge(
            f"The request contains {len(value)} articles, but {MAX_ARTICLES} is the maximum. Split it."
        )
    return value


MAX_ACCEPTED, MAX_ACCEPTED_CHARS = 1000, 200
DATE_FIELDS = ("date", "published_at", "published", "datePublished", "pubDate")
"""Names under which archives hold an article's date, the preferred ones first."""

AcceptedText = Annotated[str, Field(min_length=1, max_length=MAX_ACCEPTED_CHARS)]
AcceptedTexts = Annotated[
    list[AcceptedText],
    FailFast(),
    BeforeValidator(_none_is_empty, json_schema_input_type=list[AcceptedText] | None),
    Field(
        max_length=MAX_ACCEPTED,
        description="Texts that stay as they are written, such as the name of a small firm. Case counts.",
    ),
]

Tags = Annotated[
    list[str],
    FailFast(),  # report one error, not a million, for a list of a million numbers
    BeforeValidator(_none_is_empty, json_schema_input_type=list[str] | None),
]


class Article(BaseModel):
    """An article as sent. Missing fields are null (tags: empty), also in the response."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str | None = None
    title: str | None = None
    summary: str | None = None
    content: str | None = None
    tags: Tags = []
    source: str | None = None
    language: Annotated[
        Literal["en", "ja", "zh", ""] | None,
        Field(description="Language of the article. If absent, null or empty, it is detected from the text."),
    ] = None
    date: Annotated[
        str | None,
        BeforeValidator(_none_unless_text, json_schema_input_type=Any),
        Field(
            description="Date of publication (2024-09-06). A former name is right before its change, and a "
            "warning long after it. If it is no string, front matter, id, source and text are searched."
        ),
    ] = None
    accept: AcceptedTexts = []


LimitedArticles = Annotated[list[Article], Field(max_length=MAX_ARTICLES)]
Articles = Annotated[
    LimitedArticles, BeforeValidator(_require_at_most_max_articles, json_schema_input_type=LimitedArticles)
]


class ScanRequest(BaseModel):
    articles: Articles
    persist: StrictBool = Field(default=True, description="Whether to store the violations.")
    accept: AcceptedTexts = []


class ApplyRequest(BaseModel):
    articles: Articles
    accept: AcceptedTexts = []


def accept_in_all(articles: list[Article], accepted: Sequence[str]) -> list[Article]:
    """Return ``articles`` with the texts that the whole request accepts added to their own."""
    if not accepted:
        return articles
    return [article.model_copy(update={"accept": [*article.accept, *accepted]}) for article in articles]


class ArticleOut(TypedDict):
    id: str | None
    title: str | None
    summary: str | None
    content: str | None
    tags: list[str]
    source: str | None
    language: str | None
    """The language as sent."""


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
    """Null unless there is exactly one suggestion."""
    language: Language
    violation_type: ViolationType
    severity: Severity
    start_offset: int
    end_offset: int
    auto_fixable: bool
    reasons: NotRequired[dict[Language, str]]
    """Why this one finding was made, by language, where the notes of its rule do not say it."""


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
    article_date: NotRequired[str | None]
    """Date that former names were judged by, as sent or as found; null if there is none.

    Missing if the article holds no former name with a date.
    """


class ApplyResult(TypedDict):
    article_id: str | None
    applied_count: int
    applied: list[Correction]
    corrected_article: ArticleOut


class StoredViolation(Violation):
    """A stored violation with its scan."""

    id: int
    scan_id: Uuid
    """Identifies the call that stored the violation."""
    stored_at: Timestamp
    rules_version: str


class ViolationPage(TypedDict):
    data: list[StoredViolation]
    next_cursor: str | None
    """Pass it as ``cursor`` to load the next page; null on the last page."""


class Count(TypedDict):
    key: str | None
    count: int


class ViolationSummary(TypedDict):
    """Counts of stored violations, most frequent first. Days are in order, without empty days."""

    total: int
    rules: list[Count]
    entities: list[Count]
    severities: list[Count]
    types: list[Count]
    languages: list[Count]
    days: list[Count]
    """``key`` is the UTC day."""


class RuleOut(Rule):
    """A rule as defined in its pack, or derived from an entity. Derived rules have no specs."""

    suggest: Name | dict[Language, Name] | tuple[Name, ...] = "auto"
    """``auto`` is the entity's name in the article's language. A list offers several names."""
    note: str | None = None
    """The English note if the pack has notes in several languages."""
    notes: dict[Language, str]
    """Notes by language; empty if the pack has one note for all languages."""
    specs: tuple[RuleExample, ...] = ()
    derived: bool


class RulesInForce(BaseModel):
    version: str
    entities: list[Entity]
    rules: list[RuleOut]
