"""Import of promptfoo's results, of old and new versions."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.runs.run_files import Reading, write_json

LONG = "You are a careful assistant. Answer {{question}} in one word, without any explanation at all."


def part(score: float, kind: str, weight: float | None = None, **fields: Any) -> dict[str, Any]:
    assertion = {"type": kind, "value": "x", **({} if weight is None else {"weight": weight})}
    return {
        "pass": score >= 1,
        "score": score,
        "reason": f"{kind} says {score}",
        "assertion": assertion,
        **fields,
    }


def row(parts: list[Any] | None = None, score: float = 1, **fields: Any) -> dict[str, Any]:
    graded = (
        None
        if parts is None
        else {"pass": score == 1, "score": score, "reason": "why", "componentResults": parts}
    )
    return {
        "id": "8f0c",
        "promptIdx": 0,
        "testIdx": 0,
        "testCase": {"description": "capital of France", "vars": {"question": "?"}, "assert": []},
        "promptId": "p",
        "provider": {"id": "openai:chat:gpt-4o-mini", "label": ""},
        "prompt": {"raw": "Answer {{question}}", "label": "short"},
        "vars": {"question": "?"},
        "response": {"output": "Paris"},
        "success": score == 1,
        "failureReason": 0 if score == 1 else 1,
        "score": score,
        "latencyMs": 1500,
        "gradingResult": graded,
        "namedScores": {},
        "cost": 0.002,
        **fields,
    }  # fmt: skip


def results(*rows: Any, version: int = 3, **fields: Any) -> dict[str, Any]:
    return {
        "evalId": "eval-abc-2026-03-01T10:00:00",
        "results": {
            "version": version,
            "timestamp": "2026-03-01T10:00:00.000Z",
            "prompts": [],
            "results": list(rows),
            "stats": {"successes": 1, "failures": 0, "errors": 0},
        },
        "config": {"description": "capitals"},
        "shareableUrl": None,
        "metadata": {"promptfooVersion": "0.118.0"},
        **fields,
    }


def test_assertions_are_deducted_by_their_weights(tmp_path: Path) -> None:
    graded = row([part(1, "contains"), part(0.5, "llm-rubric", 3), part(0, "latency", 0)], score=0.625)
    run = Reading(write_json(tmp_path / "a.json", results(graded))).only
    assert (run.max_score, run.raw_score, run.total_score, run.normalized_score) == (4, 4, 2.5, 0.625)
    assert [(deduction.name, deduction.points, deduction.description) for deduction in run.deductions] == [
        ("llm-rubric", 1.5, "llm-rubric says 0.5")
    ]
    assert run.run_id == "eval-abc-2026-03-01T10:00:00:0:0"
    assert (run.timestamp, run.finished_at) == ("2026-03-01T10:00:00Z", "2026-03-01T10:00:01.500000Z")
    assert (run.case_id, run.profile) == ("capital of France", "openai:chat:gpt-4o-mini")
    assert (run.model, run.inference_provider, run.model_vendor) == ("gpt-4o-mini", "openai", "openai")
    assert (run.success, run.infrastructure_failure, run.error, run.cost_usd) == (False, False, None, 0.002)


def test_an_assertion_set_counts_once_without_its_members(tmp_path: Path) -> None:
    members = [part(1, "contains"), part(0, "equals")]
    assertion_set = part(0.5, "assert-set", 2, componentResults=members)
    run = Reading(
        write_json(
            tmp_path / "a.json", results(row([assertion_set, *members, part(1, "regex")], score=2 / 3))
        )
    ).only
    assert (run.max_score, run.total_score) == (3, 2)
    assert [deduction.name for deduction in run.deductions] == ["assert-set"]


def test_an_independent_score_is_kept_and_the_rest_is_one_part(tmp_path: Path) -> None:
    reading = Reading(write_json(tmp_path / "a.json", results(row([part(0, "contains")], score=0.8))))
    run = reading.only
    assert run.total_score == pytest.approx(0.8)
    assert [(bonus.name, round(bonus.points, 9)) for bonus in run.bonuses] == [("scoring", 0.8)]
    assert any("«scoring»" in body for body in reading.notes.conversions)


def test_errors_are_infrastructure_failures_and_failed_assertions_are_not(tmp_path: Path) -> None:
    rows = [
        row(None, score=0, testIdx=1, failureReason=2, error="API error: 429"),
        row([part(0, "contains")], score=0, testIdx=2, failureReason=1, error="contains says 0"),
    ]
    failed, wrong = Reading(write_json(tmp_path / "a.json", results(*rows))).runs
    assert (failed.infrastructure_failure, failed.error, failed.total_score) == (True, "API error: 429", 0)
    assert [deduction.name for deduction in failed.deductions] == ["error"]
    assert (wrong.infrastructure_failure, wrong.error) == (False, None)


def test_old_files_are_read(tmp_path: Path) -> None:
    """Version 2: rows without numbers or reasons, beside a table; providers may be words."""
    old_row = {
        "provider": "openai:gpt-4",
        "prompt": {"raw": "Hi", "display": "Hi"},
        "success": False,
        "score": 0,
    }
    rows = [
        {**old_row, "vars": {"n": 1}, "error": "timeout"},
        {**old_row, "vars": {"n": 2}, "gradingResult": {"pass": False}},
    ]
    path = write_json(tmp_path / "a.json", results(*rows, version=2))
    reading = Reading(path)
    assert [run.infrastructure_failure for run in reading.runs] == [True, False]
    assert len({run.run_id for run in reading.runs}) == len({run.case_id for run in reading.runs}) == 2
    assert [run.run_id for run in Reading(path).runs] == [run.run_id for run in reading.runs]
    assert reading.runs[0].profile == "openai:gpt-4"


def test_several_prompts_and_shared_descriptions_get_distinct_names(tmp_path: Path) -> None:
    rows = [
        row([], testIdx=0),
        row([], testIdx=0, promptIdx=1, prompt={"raw": LONG, "label": LONG}),
        row([], testIdx=1, vars={"question": "other"}),
    ]
    runs = Reading(write_json(tmp_path / "a.json", results(*rows))).runs
    first, second = runs[0].profile, runs[1].profile
    assert first == "openai:chat:gpt-4o-mini | short"
    assert str(second).startswith("openai:chat:gpt-4o-mini | You are a careful")
    assert len(str(second)) < 90
    assert runs[0].case_id == runs[1].case_id != runs[2].case_id
    assert all(run.case_id.startswith("capital of France [") for run in runs)


def test_repeats_are_separate_runs(tmp_path: Path) -> None:
    runs = Reading(write_json(tmp_path / "a.json", results(row([]), row([])))).runs
    assert [run.run_id[-6:] for run in runs] == [":00:0:0"[-6:], "0:0:0:2"[-6:]]


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        ({"id": "openrouter:meta-llama/llama-3.1-8b"}, ("openrouter", "meta-llama/llama-3.1-8b", "meta")),
        (
            {"id": "anthropic:messages:claude-3-5-sonnet", "label": "sonnet"},
            ("anthropic", "claude-3-5-sonnet", "anthropic"),
        ),
        ({"id": "file://provider.py"}, (None, None, None)),
        ({"id": "echo"}, (None, None, None)),
    ],
)
def test_the_model_is_parsed_from_the_provider(
    tmp_path: Path, provider: Any, expected: tuple[str | None, ...]
) -> None:
    run = Reading(write_json(tmp_path / "a.json", results(row([], provider=provider)))).only
    assert (run.inference_provider, run.model, run.model_vendor) == expected
    assert run.profile == provider.get("label", provider["id"])


def test_mistakes_are_reported_with_their_place(tmp_path: Path) -> None:
    rows = [row([]), row([], score="high"), row([], provider={})]
    reading = Reading(write_json(tmp_path / "a.json", results(*rows)))
    assert len(reading.runs) == 1
    assert reading.errors == [
        ": result 2: score: must be a number, not a string",
        ": result 3: profile: the file names none; name it with --profile",
    ]


def test_a_file_without_a_time_needs_the_option(tmp_path: Path) -> None:
    value = results(row([]))
    del value["results"]["timestamp"]
    reading = Reading(write_json(tmp_path / "a.json", value))
    assert reading.errors == [": results.timestamp: is missing; give the time with --at"]
