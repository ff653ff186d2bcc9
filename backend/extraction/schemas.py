"""Wire shapes of entity extraction, as the interface names them."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from backend.entities.model import EntityType

MAX_TEXT_CHARS = 200_000


class ExtractionRequest(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS)]


class EntityOut(TypedDict):
    name: str
    """As the text names it first."""
    canonical_name: str
    """In English, whatever the text's language."""
    type: EntityType
    official_domains: list[str]
    official_x_accounts: list[str]


class ExtractionResult(TypedDict):
    entities: list[EntityOut]
    """Each once, in the order in which the text names them."""


class SeenEntity(EntityOut):
    count: int
    """In how many source-finding jobs it was seen."""


class SeenEntities(TypedDict):
    entities: list[SeenEntity]


class SeenAnswer(BaseModel):
    """Entities seen in source-finding jobs, the most frequent first, then by name."""

    data: SeenEntities
