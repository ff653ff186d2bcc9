"""Import of lm-evaluation-harness: samples, and the results in the same folder."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.runs.run_files import Reading, write_json, write_lines

DATE = "2026-03-01T10-11-12.345678"


def sample(doc_id: int, **fields: Any) -> dict[str, Any]:
    return {
        "doc_id": doc_id,
        "doc": {"question": "?"},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": "Q"}},
        "resps": [["4"]],
        "filtered_resps": ["4"],
        "doc_hash": "d",
        "prompt_hash": "p",
        "target_hash": "t",
        **fields,
    }


def results(**fields: Any) -> dict[str, Any]:
    return {
        "results": {
            "gsm8k": {
                "alias": "gsm8k",
                "exact_match,strict-match": 0.5,
                "exact_match_stderr,strict-match": 0.1,
            }
        },
        "configs": {"gsm8k": {}},
        "versions": {"gsm8k": 3},
        "n-shot": {"gsm8k": 5},
        "higher_is_better": {"gsm8k": {"exact_match": True}},
        "config": {"model": "hf", "model_args": "pretrained=EleutherAI/pythia-160m,dtype=float"},
        "git_hash": "abc",
        "date": 1772359000.25,
        "model_source": "hf",
        "model_name": "EleutherAI/pythia-160m",
        "total_evaluation_time_seconds": "60.5",
        **fields,
    }


def folder(parent: Path) -> Path:
    model_folder = parent / "EleutherAI__pythia-160m"
    model_folder.mkdir()
    return model_folder


def test_a_sample_becomes_a_run_with_fields_of_the_results(tmp_path: Path) -> None:
    home = folder(tmp_path)
    write_json(home / f"results_{DATE}.json", results())
    rows = [
        sample(0, exact_match=1.0, metrics=["exact_match"]),
        sample(1, exact_match=0.0, metrics=["exact_match"]),
    ]
    right, wrong = Reading(write_lines(home / f"samples_gsm8k_{DATE}.jsonl", *rows)).runs
    assert (right.case_id, right.profile, right.success) == ("gsm8k/0", "EleutherAI/pythia-160m", True)
    assert (right.timestamp, right.finished_at) == ("2026-03-01T09:56:40.250000Z", None)
    assert (right.provider, right.agent, right.infrastructure_failure) == ("lm-eval", "hf", None)
    assert [(part.name, part.points, part.description) for part in wrong.deductions] == [
        ("exact_match", 1, "exact_match is 0")
    ]
    assert right.run_id != wrong.run_id


def test_without_results_file_and_folder_names_are_used(tmp_path: Path) -> None:
    reading = Reading(
        write_lines(folder(tmp_path) / f"samples_arc_easy_{DATE}.jsonl", sample(7, acc=1.0, acc_norm=0.0))
    )
    run = reading.only
    assert (run.case_id, run.profile) == ("arc_easy/7", "EleutherAI/pythia-160m")
    assert (run.timestamp, run.success, run.agent) == ("2026-03-01T10:11:12.345678Z", True, None)
    assert reading.notes.conversions["times without a zone were taken as UTC"] == 1


def test_only_the_first_filter_is_read(tmp_path: Path) -> None:
    rows = [
        sample(doc, filter=name, exact_match=1.0)
        for name in ("strict-match", "flexible-extract")
        for doc in (0, 1)
    ]
    reading = Reading(write_lines(folder(tmp_path) / f"samples_gsm8k_{DATE}.jsonl", *rows))
    assert (len(reading.runs), reading.errors) == (2, [])
    assert (
        reading.skipped
        == ["lines of a further filter (flexible-extract); those of strict-match are read"] * 2
    )


def test_the_first_metric_with_higher_is_better_is_used(tmp_path: Path) -> None:
    rows = [sample(0, perplexity=0.5, bleu=[1, 2], brier_score=0.1, acc=0.25), sample(1, perplexity=3.0)]
    reading = Reading(write_lines(folder(tmp_path) / f"samples_x_{DATE}.jsonl", *rows))
    assert [part.name for part in reading.runs[0].deductions] == ["acc"]
    assert reading.errors == [
        ":2: metrics: hold no number from 0 to 1 of which more is better (there are: perplexity)"
    ]


def test_results_without_samples_become_one_run_for_each_task(tmp_path: Path) -> None:
    home = folder(tmp_path)
    path = write_json(home / f"results_{DATE}.json", results())
    run = Reading(path).only
    assert (run.case_id, run.total_score, run.success) == ("gsm8k", 0.5, False)
    assert run.finished_at == "2026-03-01T09:57:40.750000Z"
    write_lines(home / f"samples_gsm8k_{DATE}.jsonl", sample(0, exact_match=1.0))
    reading = Reading(path)
    assert (reading.runs, reading.errors, len(reading.skipped)) == ([], [], 1)


def test_a_file_without_date_or_model_names_the_missing_option(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "own.jsonl", sample(0, acc=1.0))
    assert "use --at" in Reading(path, "lm-eval").errors[0]


@pytest.mark.parametrize("line", ["{", "[]", '{"acc": 1}', '{"doc_id": 1, "acc": NaN}'])
def test_a_broken_line_is_reported_with_its_number(tmp_path: Path, line: str) -> None:
    path = folder(tmp_path) / f"samples_x_{DATE}.jsonl"
    path.write_text(f'{{"doc_id": 0, "resps": [], "acc": 1}}\n{line}\n')
    reading = Reading(path)
    assert (len(reading.runs), len(reading.errors)) == (1, 1)
    assert reading.errors[0].startswith(":2: ")
