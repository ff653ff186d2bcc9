"""Calls to the timeline endpoints: all runs as Arrow columns, who is configured, and one run."""

from decimal import Decimal
from typing import Any, TypedDict
from urllib.parse import quote

import pyarrow as pa

from backend.timelines.columns import SCHEMA
from dashboard.client import api
from dashboard.client.fetched import Fetched

__all__ = ["ConfiguredProfile", "Metrics", "Points", "Run", "profiles", "run", "table"]


class ConfiguredProfile(TypedDict):
    """What a profile's runs are made with, unless a run says otherwise."""

    provider: str | None
    model: str | None
    model_vendor: str | None
    inference_provider: str | None


class Metrics(TypedDict):
    """Null is what the run's source does not say."""

    read_file_calls: int | None
    write_file_calls: int | None
    list_dir_calls: int | None
    read_write_ratio: float | None
    pre_write_read_coverage: float | None


class Points(TypedDict):
    name: str
    points: float
    description: str


class Run(ConfiguredProfile):
    """One run with all that is known of it. Scores are floats, instants RFC 3339 in UTC."""

    run_id: str
    timestamp: str
    finished_at: str | None
    case_id: str
    profile: str
    success: bool
    total_score: float
    raw_score: float
    max_score: float
    normalized_score: float
    metrics: Metrics
    deductions: list[Points]
    bonuses: list[Points]
    cost_usd: float | None
    agent: str | None
    error: str | None
    machinery_failure: bool | None


def table() -> Fetched[pa.Table]:
    """The newest runs of every profile as ``backend.timelines.columns.SCHEMA``, in one chunk a column.

    The table keeps its identity as long as the service says that nothing changed.
    """
    return api.client().get("/v1/timelines", "arrow", _table)


def profiles() -> Fetched[dict[str, ConfiguredProfile]]:
    """Every configured profile by name, those without runs too."""
    return api.client().get("/v1/timelines?limit=1", "object", _profiles)


def run(run_id: str) -> Fetched[Run]:
    """404 when there is no such run."""
    return api.client().get(f"/v1/runs/{quote(run_id, safe='')}", "object", _floats)


def _table(body: bytes) -> Any:
    found = pa.ipc.open_stream(body).read_all()
    if found.schema != SCHEMA:
        raise TypeError("the columns are not the documented ones")
    # Each profile's batch has dictionaries of its own: they are joined once, not by every selection.
    return found.unify_dictionaries().combine_chunks()


def _profiles(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    fields = ConfiguredProfile.__annotations__
    return {name: {field: told[field] for field in fields} for name, told in body["profiles"].items()}


def _floats(value: Any) -> Any:
    """Scores are no money: what the client reads as exact decimals becomes floats again."""
    if isinstance(value, dict):
        return {name: _floats(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_floats(one) for one in value]
    return float(value) if isinstance(value, Decimal) else value
