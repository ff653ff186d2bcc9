"""Describes the response of the evaluation endpoint for the OpenAPI document."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from backend.formats.field_types import Timestamp

Count = Annotated[int, Field(ge=0)]


class ChangeOut(TypedDict):
    """A difference from the neighbour before. Of `cases`, the values are the numbers of gone and new ones."""

    field: Literal[
        "model", "model_vendor", "inference_provider", "provider", "revision", "config_digest", "cases"
    ]
    before: str
    after: str


class EvaluationOut(TypedDict):
    """Runs of a profile that were made together.

    `source` is the file or log. `mean` is the mean of the case means (a fraction) with its 95 % interval.
    `shared_cases` and `changes` compare with the previous one of the same profile and suite; `shared_cases`
    is null for the first. `line_breaks`: both share fewer than half of their cases. `text` says what changed.
    """

    profile: str
    evaluation_id: str
    suite: str | None
    revision: str | None
    config_digest: str | None
    model: str | None
    source: str | None
    started_at: Timestamp
    finished_at: Timestamp | None
    cases: Count
    runs: Count
    mean: float
    interval: Annotated[list[float] | None, Field(min_length=2, max_length=2)]
    shared_cases: Count | None
    line_breaks: bool
    changes: list[ChangeOut]
    text: str


class EvaluationListing(TypedDict):
    """Evaluations, the newest first. `notes`: runs not read."""

    evaluations: list[EvaluationOut]
    notes: list[str]
