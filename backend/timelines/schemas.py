"""Describes requests and responses of the timeline endpoints for the OpenAPI document.

The responses themselves are built from stored chunks.
"""

from typing import Annotated, Any

import msgspec
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from backend.formats.capped_numbers import cap_at
from backend.formats.field_types import Timestamp
from backend.timelines.model import ARROW, MAX_ENTRIES, RATIO_TOLERANCE, SUM_TOLERANCE, Run


class MetricsOut(TypedDict):
    """Null is what the run's source does not say."""

    read_file_calls: int | None
    write_file_calls: int | None
    list_dir_calls: int | None
    read_write_ratio: float | None
    pre_write_read_coverage: float | None


class PointsOut(TypedDict):
    name: str
    points: float
    description: str


class TimelineEntry(TypedDict):
    """A scored run. ``total_score`` is ``raw_score`` plus bonuses less deductions, ``normalized_score`` that
    over ``max_score``."""

    run_id: str
    timestamp: Timestamp
    finished_at: Timestamp | None
    case_id: str
    profile: str
    success: bool
    total_score: float
    raw_score: float
    max_score: float
    normalized_score: float
    metrics: MetricsOut
    deductions: list[PointsOut]
    bonuses: list[PointsOut]


class ConfiguredProfile(TypedDict):
    provider: str | None
    model: str | None
    model_vendor: str | None
    inference_provider: str | None


class ListedTimeline(ConfiguredProfile):
    entries: list[TimelineEntry]


class TimelineListing(TypedDict):
    profiles: dict[str, ListedTimeline]


class ProfileTimeline(ConfiguredProfile):
    profile: str
    entries: list[TimelineEntry]


class RunOut(TimelineEntry):
    """An entry, what the run was made with, and what an entry has no field for."""

    provider: str | None
    model: str | None
    model_vendor: str | None
    inference_provider: str | None
    cost_usd: float | None
    agent: str | None
    error: str | None
    machinery_failure: bool | None
    evaluation_id: str | None
    suite: str | None
    revision: str | None
    config_digest: str | None


class AddedRuns(BaseModel):
    added: int = Field(ge=0)
    known: int = Field(ge=0, description="Runs whose `run_id` is known: what it names stays as it was.")


Limit = Annotated[int, Field(ge=0), cap_at(MAX_ENTRIES, minimum=0)]


def entries_made(limit: int) -> int:
    """Convert ``limit`` to a number of entries: 0 and larger values mean the maximum."""
    return min(limit, MAX_ENTRIES) or MAX_ENTRIES


ARROW_CONTENT: dict[str, Any] = {ARROW: {"schema": {"type": "string", "format": "binary"}}}


def run_components() -> dict[str, Any]:
    """Build the schemas of a submitted run, by name."""
    _, components = msgspec.json.schema_components([Run], ref_template="#/components/schemas/{name}")
    return components


REQUEST_BODY: dict[str, Any] = {
    "required": True,
    "description": (
        "A run, or an array of runs. Fields beyond those listed are refused. `total_score` must be right "
        f"within {SUM_TOLERANCE}, `normalized_score` within {RATIO_TOLERANCE}."
    ),
    "content": {
        "application/json": {
            "schema": {
                "anyOf": [
                    {"$ref": "#/components/schemas/Run"},
                    {"type": "array", "items": {"$ref": "#/components/schemas/Run"}},
                ]
            }
        }
    },
}
