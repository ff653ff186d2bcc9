"""Defines the request and response schemas of entity extraction."""

from typing import Annotated, NotRequired

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from backend.entities.model import EntityType
from backend.jobs.schemas import JobState

MAX_TEXT_CHARS = 200_000


class ExtractionRequest(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS)]


class EntityOut(TypedDict):
    name: str
    """The name in the text's first mention."""
    canonical_name: str
    """The English name, for texts of any language."""
    type: EntityType
    official_domains: list[str]
    official_x_accounts: list[str]


class ExtractionResult(TypedDict):
    entities: list[EntityOut]
    """Each entity once, in order of first mention."""


class ExtractionJob(JobState):
    result: NotRequired[ExtractionResult]
    """Present when completed."""


class ExtractionJobAnswer(BaseModel):
    data: ExtractionJob


class SeenEntity(EntityOut):
    count: int
    """Number of source-finding jobs in which it was seen."""


class SeenEntities(TypedDict):
    entities: list[SeenEntity]


class SeenAnswer(BaseModel):
    """Entities seen in source-finding jobs, the most frequent first, then by name."""

    data: SeenEntities
