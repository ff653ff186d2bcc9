"""A request on its way to an answer: what was asked, planned, read and weighed so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from backend.entities.model import Language
from backend.sources.assessment.evidence_scoring import Scale, Weighed
from backend.sources.claims.model import Claim
from backend.sources.language_model_steps import ModelSteps
from backend.sources.retrieval.query_planning import Plan
from backend.sources.schemas import SourcesRequest

LONGEST_SHOWN = 500
"""Characters of a content's first claim that are answered as the statement."""


@dataclass(slots=True)
class Inquiry:
    """All that is known of one request; what later steps find is added to it."""

    request: SourcesRequest
    scale: Scale
    language: Language
    claims: list[Claim]
    plans: list[Plan]
    model: ModelSteps | None
    notes: list[str] = field(default_factory=list)
    """What did not work, in the statement's language."""
    rounds: int = 0
    found: int = 0
    pages: dict[str, str] = field(default_factory=dict)
    """External ids of the pages read, by the address that was asked for."""
    unread: dict[str, str] = field(default_factory=dict)
    weighed: list[list[Weighed]] = field(default_factory=list)
    """For each claim."""
    weighed_in: int = 0
    """The round in which that was."""


def statement_of(request: SourcesRequest, claims: Sequence[Claim]) -> str:
    """The statement that is checked, as the answer names it."""
    return said(request.statement) or said(request.title) or claims[0].text[:LONGEST_SHOWN]


def said(text: str | None) -> str | None:
    return text if text and text.strip() else None
