"""Calls the timeline endpoints: all runs as Arrow columns, the configured profiles, and one run."""

from decimal import Decimal
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from backend.timelines.columns.arrow_schema import SCHEMA
from backend.timelines.schemas import ConfiguredProfile, PointsOut, RunOut
from dashboard.client import connection
from dashboard.client.fetched import Fetched

__all__ = ["ConfiguredProfile", "PointsOut", "RunOut", "fetch_profiles", "fetch_run", "fetch_runs"]


def fetch_runs() -> Fetched[pa.Table]:
    """Fetches the newest runs of every profile, one chunk per column.

    The schema is ``backend.timelines.columns.arrow_schema.SCHEMA``. The table keeps its identity as long
    as the service reports no change.
    """
    return connection.get_client().get("/v1/timelines", "arrow", _decode_table)


def fetch_profiles() -> Fetched[dict[str, ConfiguredProfile]]:
    """Fetches every configured profile by name, including profiles without runs."""
    return connection.get_client().get("/v1/timelines?limit=1", "object", _decode_profiles)


def fetch_run(run_id: str) -> Fetched[RunOut]:
    """Fetches one run; 404 if there is no such run."""
    return connection.get_client().get(f"/v1/runs/{quote(run_id, safe='')}", "object", _to_floats)


def _decode_table(body: bytes) -> Any:
    table = pa.ipc.open_stream(body).read_all()
    if table.schema != SCHEMA:
        raise TypeError("the columns are not the documented ones")
    # Each profile's batch has its own dictionaries. Unify them once here, not in every selection.
    return table.unify_dictionaries().combine_chunks()


def _decode_profiles(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    fields = ConfiguredProfile.__annotations__
    return {name: {field: profile[field] for field in fields} for name, profile in body["profiles"].items()}


def _to_floats(value: Any) -> Any:
    """Converts the client's exact decimals to floats: scores are not money."""
    if isinstance(value, dict):
        return {name: _to_floats(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_to_floats(entry) for entry in value]
    return float(value) if isinstance(value, Decimal) else value
