"""Holds the state of one request between the steps of source finding."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from backend.documents.model import Document
from backend.entities.model import Language
from backend.sources.assessment.evidence_scoring import EvidenceScorer, ScoredDocument
from backend.sources.claims.model import Claim
from backend.sources.language_model_steps import ModelSteps
from backend.sources.retrieval.query_planning import Plan
from backend.sources.schemas import SourcesRequest

MAX_STATEMENT_EXCERPT_CHARS = 500
"""Length of the first claim of a content where it stands for the statement in the result."""


@dataclass(slots=True)
class RequestState:
    """One request with its claims and plans; each search round adds pages and scored documents."""

    request: SourcesRequest
    scorer: EvidenceScorer
    language: Language
    claims: list[Claim]
    parts: list[str]
    """Where each claim stands: ``statement``, ``title`` or ``content``."""
    plans: list[Plan]
    model: ModelSteps | None
    notes: list[str] = field(default_factory=list)
    """Sentences about failures, in the statement's language."""
    rounds: int = 0
    result_count: int = 0
    page_ids: dict[str, str] = field(default_factory=dict)
    """External ids of the pages read, by requested URL."""
    own_pages: list[Document] = field(default_factory=list)
    """Pages that are evidence for this job only: sent by the caller, or of unknown hosts."""
    unread_pages: dict[str, str] = field(default_factory=dict)
    """Reasons, as sentences, by the URL of the page that could not be read."""
    scored: list[list[ScoredDocument]] = field(default_factory=list)
    """The documents of each claim, in the order of ``claims``."""
    scored_round: int = 0
    """The round in which ``scored`` was computed; 0 before the first."""


def choose_statement(request: SourcesRequest, claims: Sequence[Claim]) -> str:
    """Return the statement that the result names: the sent statement, the title, or the first claim."""
    return (
        none_if_blank(request.statement)
        or none_if_blank(request.title)
        or claims[0].wording[:MAX_STATEMENT_EXCERPT_CHARS]
    )


def list_texts(request: SourcesRequest) -> list[tuple[str, str]]:
    """Return the texts to check with their names: the statement, or else the title and the content."""
    if (statement := none_if_blank(request.statement)) is not None:
        return [("statement", statement)]
    texts = (("title", none_if_blank(request.title)), ("content", none_if_blank(request.content)))
    return [(part, text) for part, text in texts if text is not None]


def none_if_blank(text: str | None) -> str | None:
    return text if text and text.strip() else None
