"""Wire shapes of the article endpoints, as the interface names them.

Offsets count Unicode code points in the named field as sent, start inclusive, end exclusive.
``field`` is ``title``, ``summary``, ``content`` or ``tags[i]``.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from backend.articles.model import Severity, ViolationType
from backend.entities.model import Language

MAX_ARTICLES = 200

FieldPath = Annotated[str, Field(pattern=r"^(title|summary|content|tags\[\d+\])$", examples=["content"])]


class Article(BaseModel):
    """An article as sent. What is left out is null (tags: none) and stays so in the answer."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str | None = None
    title: str | None = None
    summary: str | None = None
    content: str | None = None
    tags: list[str] = []
    source: str | None = None
    language: Language | None = None
    """Absent, null or empty: found out from the text."""


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
