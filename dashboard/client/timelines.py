"""Calls the timeline endpoints: all runs as Arrow columns, the configured profiles, and one run."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import quote, urlencode

import pyarrow as pa

from backend.timelines.columns.arrow_schema import SCHEMA
from backend.timelines.comparisons.schemas import DividedSide, DividingCaseOut
from backend.timelines.evaluations.schemas import EvaluationOut
from backend.timelines.schemas import ConfiguredProfile, PointsOut, RunOut
from dashboard.client import connection
from dashboard.client.fetched import Fetched
from dashboard.i18n import Language

__all__ = [
    "ConfiguredProfile",
    "DividedSide",
    "DividingCaseOut",
    "EvaluationOut",
    "PointsOut",
    "RunOut",
    "fetch_dividing_case",
    "fetch_evaluations",
    "fetch_profiles",
    "fetch_run",
    "fetch_runs",
]
MAX_EVALUATION_PROFILES = 20
"""Maximum number of profiles whose evaluations the service lists at once."""


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


def fetch_evaluations(profiles: Sequence[str], language: Language) -> Fetched[list[EvaluationOut]]:
    """Fetches the evaluations of up to 20 profiles, newest first."""
    query = [("profile", name) for name in profiles[:MAX_EVALUATION_PROFILES]]
    path = f"/v1/evaluations?{urlencode([*query, ('lang', language)])}"
    return connection.get_client().get(path, "object", _decode_evaluations)


def fetch_dividing_case(case: str, comparison: Sequence[tuple[str, str]]) -> Fetched[DividingCaseOut | None]:
    """Fetches a case of a comparison, whose query is given; None if not both sides ran it."""
    path = f"/v1/comparisons/cases?{urlencode([*comparison, ('case_id', case), ('limit', '1')])}"
    return connection.get_client().get(path, "object", _decode_first_case)


def _decode_evaluations(body: dict[str, Any]) -> Any:
    return _to_floats(body["evaluations"])


def _decode_first_case(body: dict[str, Any]) -> Any:
    return next(iter(_to_floats(body["cases"])), None)


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
