"""Builds valid scored runs from few arguments."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from backend.formats.timestamps import write_instant
from backend.timelines.columns.run_arrays import RunArrays, select
from backend.timelines.columns.run_columns import columns_of
from backend.timelines.model import Metrics, Run, ScoreAdjustment

START = datetime(2026, 3, 1, tzinfo=UTC)


def run(profile: str, case: str, score: float, at: float = 0, **more: Any) -> Run:
    """Build a run with ``score`` of 1, ``at`` hours after :data:`START`."""
    started_at = START + timedelta(hours=at)
    deductions = () if score == 1 else (ScoreAdjustment("check", 1 - score, "It failed."),)
    fields = {
        "run_id": f"{profile}-{case}-{at}",
        "timestamp": write_instant(started_at),
        "case_id": case,
        "profile": profile,
        "success": score > 0.5,
        "total_score": score,
        "raw_score": 1,
        "max_score": 1,
        "normalized_score": score,
        "deductions": deductions,
        "metrics": Metrics(),
    }
    return Run(**fields | more)


def build_daily_runs(profile: str, scores: Mapping[str, Iterable[float]]) -> list[Run]:
    """Build runs with the scores of each case, one a day."""
    return [
        run(profile, case, score, 24 * day + case_index / 60)
        for case_index, (case, case_scores) in enumerate(scores.items())
        for day, score in enumerate(case_scores)
    ]


def arrays(runs: Iterable[Run], **filters: Any) -> RunArrays:
    return select(columns_of(runs), **filters)


def table(runs: Iterable[Run]) -> pa.Table:
    return columns_of(runs)
