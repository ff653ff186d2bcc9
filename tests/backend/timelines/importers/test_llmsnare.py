"""LLMSnare's timelines are converted, and the report names the conversions."""

from pathlib import Path
from typing import Any

import pytest

from backend.timelines.model import Metrics
from tests.support.runs.run_files import Reading, write_lines


def result(**fields: Any) -> dict[str, Any]:
    return {
        "run_id": "0195-uuid7",
        "timestamp": "2026-03-01T10:00:00.123456789Z",
        "finished_at": "2026-03-01T10:00:30Z",
        "case_id": "style_required_reads",
        "profile": "demo",
        "provider": "openai",
        "model": "gpt-4o",
        "model_vendor": "openai",
        "inference_provider": "azure",
        "endpoint": "https://api.example",
        "success": True,
        "total_score": 90,
        "raw_score": 90,
        "max_score": 125,
        "normalized_score": 72.0,
        "metrics": {
            "read_file_calls": 4,
            "write_file_calls": 2,
            "list_dir_calls": 1,
            "read_write_ratio": 2.0,
            "pre_write_read_coverage": 0.5,
        },
        "deductions": [{"name": "H1", "points": -20, "description": "written unread"}],
        "bonuses": [{"name": "B1", "points": 10, "description": "all read"}],
        "tool_calls": [],
        "final_response": "done",
        **fields,
    }


def test_a_result_is_converted_to_the_rules_of_runs(tmp_path: Path) -> None:
    reading = Reading(write_lines(tmp_path / "demo.jsonl", result()))
    run = reading.only
    assert (run.raw_score, run.total_score, run.max_score, run.normalized_score) == (100, 90, 125, 0.72)
    assert [(part.name, part.points, part.description) for part in run.deductions] == [
        ("H1", 20, "written unread")
    ]
    assert [(part.name, part.points) for part in run.bonuses] == [("B1", 10)]
    assert (run.run_id, run.profile, run.provider) == ("0195-uuid7", "demo", "openai")
    assert (run.model, run.model_vendor, run.inference_provider) == ("gpt-4o", "openai", "azure")
    assert (run.timestamp, run.finished_at) == ("2026-03-01T10:00:00.123456Z", "2026-03-01T10:00:30Z")
    assert run.metrics == Metrics(4, 2, 1, 2.0, 0.5)
    assert (run.success, run.infrastructure_failure, run.error) == (True, False, None)
    outcome = " ".join(reading.notes.conversions)
    assert all(part in outcome for part in ("percentage", "signs were turned", "raw_score is 100"))


def test_a_clamped_percentage_becomes_the_exact_share(tmp_path: Path) -> None:
    deductions = [{"name": "H", "points": -120, "description": ""}]
    line = result(deductions=deductions, bonuses=None, total_score=-20, raw_score=-20, normalized_score=0)
    run = Reading(write_lines(tmp_path / "a.jsonl", line)).only
    assert (run.total_score, run.normalized_score) == (-20, -0.16)


@pytest.mark.parametrize(
    ("error", "machinery"),
    [
        ("chat round 2: 503 Service Unavailable", True),
        ("tool result round 1: bad signature", True),
        ("benchmark ended without any tool calls", False),
    ],
)
def test_a_failed_run_has_a_total_of_zero(tmp_path: Path, error: str, machinery: bool) -> None:
    line = result(success=False, error=error, total_score=0, raw_score=0, normalized_score=0)
    run = Reading(write_lines(tmp_path / "a.jsonl", line)).only
    assert (run.total_score, run.normalized_score, run.infrastructure_failure, run.error) == (
        0,
        0,
        machinery,
        error,
    )
    assert [(part.name, part.points) for part in run.deductions] == [("H1", 20), ("run_failed", 90)]


def test_a_failed_run_with_a_negative_total_has_a_total_of_zero(tmp_path: Path) -> None:
    deductions = [{"name": "H", "points": -130, "description": ""}]
    line = result(success=False, error="chat round 1: x", total_score=0, deductions=deductions, bonuses=None)
    run = Reading(write_lines(tmp_path / "a.jsonl", line)).only
    assert (run.total_score, [(part.name, part.points) for part in run.bonuses]) == (0, [("run_failed", 30)])


def test_a_run_that_never_started_has_a_maximum_and_no_metrics(tmp_path: Path) -> None:
    line = result(
        success=False, error='unsupported provider "x"', total_score=0, raw_score=0, max_score=0,
        normalized_score=0, deductions=None, bonuses=None, finished_at="0001-01-01T00:00:00Z",
        metrics={"read_file_calls": 0, "write_file_calls": 0, "list_dir_calls": 0},
    )  # fmt: skip
    run = Reading(write_lines(tmp_path / "a.jsonl", line)).only
    assert (run.max_score, run.total_score, run.infrastructure_failure) == (100, 0, True)
    assert (run.metrics, run.finished_at) == (Metrics(), None)


def test_older_lines_have_a_driver_and_a_derived_id(tmp_path: Path) -> None:
    line = {
        key: value
        for key, value in result(driver="openai").items()
        if key not in ("run_id", "provider", "model_vendor")
    }
    path = write_lines(
        tmp_path / "a.jsonl",
        line,
        {**line, "timestamp": "2026-03-02T10:00:00Z", "finished_at": "2026-03-02T10:00:01Z"},
    )
    first, second = Reading(path).runs
    assert first.run_id.startswith("llmsnare-")
    assert first.run_id != second.run_id
    assert [run.run_id for run in Reading(path).runs] == [first.run_id, second.run_id]
    assert (first.provider, first.model_vendor) == ("openai", "openai")


def test_points_that_do_not_add_up_to_the_total_are_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", result(), result(total_score=50))
    reading = Reading(path)
    assert len(reading.runs) == 1
    assert reading.errors == [":2: total_score: is 50, but 100 and the points come to 90"]
