"""Holds the state of one job of source finding between its steps."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from backend.documents.model import Document
from backend.entities.model import Language
from backend.sources.assessment.evidence_scoring import EvidenceScorer, ScoredDocument
from backend.sources.claims.model import ParsedStatement
from backend.sources.language_model_steps import ModelSteps
from backend.sources.retrieval.query_planning import Plan
from backend.sources.schemas import SourcesRequest

MAX_STATEMENT_EXCERPT_CHARS = 500
"""Maximum length of the first claim when the result shows it in place of a statement or title."""


@dataclass(slots=True)
class SourceSearchState:
    """A request with its claims and plans. Each search round adds pages and scored documents."""

    request: SourcesRequest
    scorer: EvidenceScorer
    language: Language
    claims: list[ParsedStatement]
    claim_fields: list[str]
    """The input field each claim comes from: ``statement``, ``title`` or ``content``."""
    plans: list[Plan]
    model_steps: ModelSteps | None
    """The steps done by a language model; None if no model is configured."""
    warnings: list[str] = field(default_factory=list)
    """Sentences about failures, in the statement's language."""
    rounds: int = 0
    search_result_count: int = 0
    """Results of the web searches so far, and the stored documents of the first round."""
    page_ids: dict[str, str] = field(default_factory=dict)
    """External ids of the pages read, by requested URL."""
    job_only_pages: list[Document] = field(default_factory=list)
    """Pages that are evidence for this job only: sent by the caller, or of untrusted source types."""
    page_errors: dict[str, str] = field(default_factory=dict)
    """Error sentences by the URL of the page that could not be read."""
    scored: list[list[ScoredDocument]] = field(default_factory=list)
    """The documents of each claim, in the order of ``claims``."""
    scored_round: int = 0
    """The round in which ``scored`` was computed; 0 before the first."""


def choose_statement(request: SourcesRequest, claims: Sequence[ParsedStatement]) -> str:
    """Return the statement that the result shows: the request's statement, its title, or the first claim."""
    return (
        none_if_blank(request.statement)
        or none_if_blank(request.title)
        or claims[0].wording[:MAX_STATEMENT_EXCERPT_CHARS]
    )


def list_texts(request: SourcesRequest) -> list[tuple[str, str]]:
    """Return the fields to check as (field name, text): the statement, or else the title and the content."""
    if (statement := none_if_blank(request.statement)) is not None:
        return [("statement", statement)]
    texts = (("title", none_if_blank(request.title)), ("content", none_if_blank(request.content)))
    return [(name, text) for name, text in texts if text is not None]


def none_if_blank(text: str | None) -> str | None:
    return text if text and text.strip() else None
