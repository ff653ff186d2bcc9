"""Calls to the timeline endpoints: all runs as Arrow columns, who is configured, and one run."""

from decimal import Decimal
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from backend.timelines.columns.arrow_schema import SCHEMA
from backend.timelines.schemas import ConfiguredProfile, PointsOut, RunOut
from dashboard.client import api
from dashboard.client.fetched import Fetched

__all__ = ["ConfiguredProfile", "PointsOut", "RunOut", "profiles", "run", "table"]


def table() -> Fetched[pa.Table]:
    """The newest runs of every profile, in one chunk a column.

    Their schema is ``backend.timelines.columns.arrow_schema.SCHEMA``.

    The table keeps its identity as long as the service says that nothing changed.
    """
    return api.client().get("/v1/timelines", "arrow", _table)


def profiles() -> Fetched[dict[str, ConfiguredProfile]]:
    """Every configured profile by name, those without runs too."""
    return api.client().get("/v1/timelines?limit=1", "object", _profiles)


def run(run_id: str) -> Fetched[RunOut]:
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
