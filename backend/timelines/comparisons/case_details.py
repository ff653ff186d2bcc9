"""Shows why cases divide two sides: question, answers and graders' words, or the deductions."""

from collections.abc import Collection, Mapping
from typing import Any

import orjson
from sqlalchemy.engine import Connection

from backend.store.database import Database
from backend.timelines import run_queries, text_store
from backend.timelines.analysis.comparison import RunGroup, compare_runs
from backend.timelines.analysis.dividing_cases import DividingCase, find_dividing_cases
from backend.timelines.comparisons.comparison_request import ComparisonRequest
from backend.timelines.comparisons.computation import build_groups, select_runs
from backend.timelines.model import Realm, RunTexts
from backend.timelines.store_snapshot import Timeline

_RESPONSE_FIELDS = ("timestamp", "success", "normalized_score", "deductions", "bonuses")


def compute_cases_response(
    database: Database, timelines: Mapping[str, Timeline], request: ComparisonRequest, limit: int
) -> bytes:
    """Compute the response in JSON for the first two sides of ``request``. Raises
    :class:`~backend.errors.NotFound`."""
    runs = select_runs(database, timelines, request)
    a, b = build_groups(runs, request)[0]
    realm = timelines[request.profiles[0]].realm
    return orjson.dumps({"cases": build_case_rows(database, realm, a, b, limit, request.cases)})


def build_case_rows(
    database: Database, realm: Realm, a: RunGroup, b: RunGroup, limit: int, chosen: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Build a row for each dividing case, the largest difference first."""
    found = find_dividing_cases(compare_runs(a, b), a, b, limit, chosen)
    run_ids = {run_id for case in found for run_id in (case.a_run_id, case.b_run_id)}
    with database.read() as connection:
        texts = text_store.load_texts(connection, realm, run_ids)
        return [_build_row(connection, realm, a, b, case, texts) for case in found]


def _build_row(
    connection: Connection,
    realm: Realm,
    a: RunGroup,
    b: RunGroup,
    case: DividingCase,
    texts: Mapping[str, RunTexts],
) -> dict[str, Any]:
    known = [texts[run_id] for run_id in (case.a_run_id, case.b_run_id) if run_id in texts]
    return {
        "case_id": a.runs.cases[case.case],
        "difference": case.b_mean - case.a_mean,
        "question": next((part.question for part in known if part.question is not None), None),
        "a": _build_side(connection, realm, a.name, case.a_mean, case.a_run_id, texts),
        "b": _build_side(connection, realm, b.name, case.b_mean, case.b_run_id, texts),
    }


def _build_side(
    connection: Connection,
    realm: Realm,
    name: str,
    mean: float,
    run_id: str,
    texts: Mapping[str, RunTexts],
) -> dict[str, Any]:
    run_texts = texts.get(run_id, RunTexts())
    found = run_queries.find_run(connection, (realm,), run_id)
    response: dict[str, Any] = {} if found is None else orjson.loads(found.response_json)
    additional: dict[str, Any] = (
        {} if found is None or found.additional_json is None else orjson.loads(found.additional_json)
    )
    return {
        "profile": name,
        "mean": mean,
        "run_id": run_id,
        **{field: response.get(field) for field in _RESPONSE_FIELDS},
        "error": additional.get("error"),
        "answer": run_texts.answer,
        "graders": [{"name": grader.name, "words": grader.words} for grader in run_texts.graders],
        "has_texts": run_id in texts,
    }
