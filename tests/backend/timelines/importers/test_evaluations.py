"""Tests that each format tells the evaluation of its runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.formats.timestamps import parse_instant
from backend.store.database import Database
from backend.timelines import store
from backend.timelines.evaluation_store import load_evaluations
from backend.timelines.importers.run_import import ImportRequest, ImportResult, import_files
from backend.timelines.model import Run
from tests.support.runs.run_files import (
    INSPECT_HEADER,
    MemoryStore,
    Reading,
    inspect_sample,
    own_run,
    write_json,
    write_lines,
)


def _get_fields(run: Run) -> tuple[str | None, ...]:
    return run.evaluation_id, run.suite, run.revision


def _write_inspect(path: Path, **spec: Any) -> Path:
    header = {**INSPECT_HEADER, "eval": {**INSPECT_HEADER["eval"], **spec}}
    return write_json(path, {**header, "samples": [inspect_sample()]})


def test_inspect_logs_have_the_id_the_task_and_the_commit(tmp_path: Path) -> None:
    path = _write_inspect(tmp_path / "log.json", revision={"commit": "3f2a", "dirty": True})
    reading = Reading(path)
    assert _get_fields(reading.only) == ("evA", "arith", "3f2a-dirty")
    assert reading.found[0].span == ("2026-03-01T10:00:05Z", "2026-03-01T10:09:00Z")


@pytest.mark.parametrize(
    "changed",
    [
        {"model_generate_config": {"temperature": 0.7}},
        {"task_args": {"shots": 5}},
        {"task_version": 2},
    ],
)
def test_the_digest_of_an_inspect_log_follows_its_settings(tmp_path: Path, changed: dict[str, Any]) -> None:
    first = Reading(_write_inspect(tmp_path / "a.json", model_generate_config={"temperature": 0})).only
    same = Reading(
        _write_inspect(
            tmp_path / "b.json",
            eval_id="evB",
            model_generate_config={"temperature": 0, "max_connections": 4},
        )
    ).only
    other = Reading(
        _write_inspect(tmp_path / "c.json", **{"model_generate_config": {"temperature": 0}, **changed})
    ).only
    assert first.config_digest == same.config_digest
    assert first.config_digest not in (None, other.config_digest)


@pytest.mark.parametrize("broken", [{"revision": "main"}, {"revision": {"commit": None}}, {"revision": []}])
def test_an_unusual_revision_is_unknown(tmp_path: Path, broken: dict[str, Any]) -> None:
    assert Reading(_write_inspect(tmp_path / "log.json", **broken)).only.revision is None


def _build_promptfoo(temperature: float = 0.0, **more: Any) -> dict[str, Any]:
    rows = [
        {
            "success": True,
            "score": 1,
            "provider": {"id": f"openai:chat:{model}"},
            "vars": {"n": 1},
            "testIdx": 0,
            "promptIdx": index,
        }
        for index, model in enumerate(("x", "y"))
    ]
    providers = [{"id": "openai:chat:x", "config": {"temperature": temperature}}, "openai:chat:y"]
    config = {"description": "sums", "prompts": ["{{n}}?"], "providers": providers}
    results = {"version": 3, "timestamp": "2026-03-01T10:00:00Z", "results": rows}
    return {"evalId": "eval-1", "results": results, "config": config, **more}


def test_promptfoo_results_have_the_id_the_description_and_a_digest_for_each_provider(
    tmp_path: Path,
) -> None:
    cold, other = Reading(write_json(tmp_path / "a.json", _build_promptfoo())).runs
    warm, same = Reading(write_json(tmp_path / "b.json", _build_promptfoo(0.7))).runs
    assert _get_fields(cold) == ("eval-1", "sums", None)
    assert (cold.config_digest == warm.config_digest, other.config_digest == same.config_digest) == (
        False,
        True,
    )
    for config in (None, [], {"providers": None}):
        bare = Reading(write_json(tmp_path / "c.json", _build_promptfoo(config=config))).runs[0]
        assert (bare.suite, bare.config_digest) == (None, None)


def test_an_aider_entry_is_an_evaluation(tmp_path: Path) -> None:
    path = tmp_path / "polyglot_leaderboard.yml"
    path.write_text(
        "- dirname: 2025-01-20-19-11-38--name\n  model: m\n  edit_format: diff\n  test_cases: 10\n"
        "  pass_rate_1: 50\n  commit_hash: 6451d59\n"
    )
    run = Reading(path).only
    assert _get_fields(run) == ("aider-2025-01-20-19-11-38--name", "aider-polyglot", "6451d59")
    assert run.config_digest is not None


def test_tasks_of_lm_eval_are_evaluations_with_the_model_s_commit(tmp_path: Path) -> None:
    date = "2026-03-01T10-00-00.5"
    results = {
        "results": {"t": {"acc,none": 1}},
        "configs": {"t": {"doc_to_text": "{{q}}"}},
        "config": {"model": "hf", "model_args": "pretrained=a/b", "model_sha": "abc"},
        "model_name": "a/b",
        "total_evaluation_time_seconds": "60",
    }
    write_json(tmp_path / f"results_{date}.json", results)
    names = ("t", "u")
    tasks = [
        Reading(
            write_lines(
                tmp_path / f"samples_{name}_{date}.jsonl",
                {"doc_id": 0, "resps": [], "target": "", "acc": 1.0, "metrics": ["acc"]},
            )
        )
        for name in names
    ]
    runs = [task.only for task in tasks]
    assert [(run.suite, run.revision) for run in runs] == [("t", "abc"), ("u", "abc")]
    assert len({run.evaluation_id for run in runs}) == 2
    assert len({run.config_digest for run in runs}) == 2
    assert tasks[0].found[0].span == ("2026-03-01T10:00:00.500000Z", "2026-03-01T10:01:00.500000Z")


def test_a_junit_suite_with_a_time_is_an_evaluation(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    case = '<properties><property name="revision" value="3f2a"/></properties><testcase name="a"/>'
    path.write_text(f'<testsuite name="s" timestamp="2026-03-01T10:00:00Z">{case}</testsuite>')
    run = Reading(path, profile="p").only
    assert (run.suite, run.revision) == ("s", "3f2a")
    assert (run.evaluation_id or "").startswith("junit-")
    path.write_text('<testsuite><testcase name="a" timestamp="2026-03-01T10:00:00Z"/></testsuite>')
    assert Reading(path, profile="p").only.evaluation_id is None


def test_csv_and_json_lines_have_the_fields_as_columns(tmp_path: Path) -> None:
    more = {"evaluation_id": "e", "suite": "s", "revision": "r", "config_digest": "c"}
    lines = Reading(write_lines(tmp_path / "runs.jsonl", own_run(**more))).only
    table = tmp_path / "runs.csv"
    row = {**own_run(**more), "deductions": "[]", "raw_score": 3}
    table.write_text(
        f"{','.join(row)}\n{','.join(json.dumps(value).strip(chr(34)) for value in row.values())}\n"
    )
    assert _get_fields(lines) == _get_fields(Reading(table).only) == ("e", "s", "r")


class DatabaseStore(MemoryStore):
    """Stores runs in a database."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self.database = database

    def add(self, runs: Any) -> tuple[int, int]:
        return store.add(self.database, "own", runs, self.stored_profiles)


def _import(target: DatabaseStore, *paths: Path) -> ImportResult:
    return import_files(target, paths, ImportRequest(add_profiles=True))


def test_an_import_stores_the_evaluation_with_its_file_and_times(database: Database, tmp_path: Path) -> None:
    target = DatabaseStore(database)
    path = _write_inspect(tmp_path / "2026-03-01_arith.json")
    assert (_import(target, path).added, _import(target, path).added) == (1, 0)
    with database.read() as connection:
        (found,) = load_evaluations(connection, "own", "openai/gpt-4o (react)")
    assert (found.evaluation_id, found.source, found.runs) == ("evA", "2026-03-01_arith.json", 1)
    began = int(parse_instant("2026-03-01T10:00:05Z").timestamp()) * 1_000_000
    assert (found.started_us, found.finished_us) == (began, began + (8 * 60 + 55) * 1_000_000)


def test_an_end_before_the_start_is_left_out(database: Database, tmp_path: Path) -> None:
    target = DatabaseStore(database)
    stats = {"started_at": "2026-03-01T10:00:05+00:00", "completed_at": "2026-02-01T10:00:00+00:00"}
    sample = inspect_sample(completed_at=None)
    path = write_json(tmp_path / "log.json", {**INSPECT_HEADER, "stats": stats, "samples": [sample]})
    assert _import(target, path).added == 1
    with database.read() as connection:
        (found,) = load_evaluations(connection, "own", "openai/gpt-4o (react)")
    assert found.finished_us is None
