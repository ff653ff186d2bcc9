"""Import of Inspect logs, in both containers and all versions."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.timelines.importers import inspect_ai_zip
from backend.timelines.model import Metrics
from tests.support.runs.run_files import (
    INSPECT_HEADER,
    Reading,
    inspect_sample,
    tool_event,
    write_eval,
    write_json,
)


def build_log(*samples: Any, **header: Any) -> dict[str, Any]:
    return {**INSPECT_HEADER, **header, "samples": list(samples)}


def write_archive(folder: Path, *samples: Any, **how: Any) -> Path:
    members = {f"samples/{sample['id']}_epoch_{sample['epoch']}.json": sample for sample in samples}
    return write_eval(folder / "a.eval", {"header.json": INSPECT_HEADER, **members}, **how)


@pytest.fixture
def sample() -> dict[str, Any]:
    return inspect_sample(
        scores={
            "match": {"value": "I", "explanation": "3 is not 2"},
            "quality": {"value": 0.25, "explanation": "vague"},
        },
        model_usage={"openai/gpt-4o": {"total_cost": 0.5}, "grader": {"total_cost": 0.25}},
    )


def test_a_sample_becomes_a_run_with_its_scores_as_points(tmp_path: Path, sample: dict[str, Any]) -> None:
    run = Reading(write_json(tmp_path / "a.json", build_log(sample))).only
    assert (run.run_id, run.case_id, run.profile) == ("sampleUuid1", "arith/1", "openai/gpt-4o (react)")
    assert (run.timestamp, run.finished_at) == ("2026-03-01T10:01:00.250000Z", "2026-03-01T10:01:09Z")
    assert (run.max_score, run.raw_score, run.total_score, run.normalized_score) == (2, 2, 0.25, 0.125)
    assert [(part.name, part.points, part.description) for part in run.deductions] == [
        ("match", 1, "3 is not 2"),
        ("quality", 0.75, "vague"),
    ]
    assert (run.model, run.inference_provider, run.model_vendor) == ("gpt-4o", "openai", "openai")
    assert (run.provider, run.agent, run.cost_usd) == ("inspect_ai", "react", 0.75)
    assert (run.success, run.infrastructure_failure, run.error) == (False, False, None)


@pytest.mark.parametrize("zstandard", [False, True])
def test_both_containers_hold_the_same_runs(tmp_path: Path, sample: dict[str, Any], zstandard: bool) -> None:
    samples = [sample, inspect_sample(epoch=2, uuid="sampleUuid2")]
    json_reading = Reading(write_json(tmp_path / "a.json", build_log(*samples)))
    packed = Reading(write_archive(tmp_path, *samples, zstandard=zstandard))
    assert packed.runs == json_reading.runs
    assert [run.success for run in packed.runs] == [False, True]
    assert packed.format is json_reading.format


def test_an_error_counts_as_an_infrastructure_failure(tmp_path: Path) -> None:
    error = {"message": "RateLimitError: 429", "traceback": "…", "traceback_ansi": "…"}
    run = Reading(write_json(tmp_path / "a.json", build_log(inspect_sample(scores=None, error=error)))).only
    assert (run.infrastructure_failure, run.error, run.success) == (True, "RateLimitError: 429", False)
    assert (run.total_score, run.max_score) == (0, 1)


def test_a_limit_counts_for_the_model_unless_the_operator_stopped_the_run(tmp_path: Path) -> None:
    limits = [{"type": "time", "limit": 60.0}, {"type": "operator", "limit": 1.0}]
    samples = [inspect_sample(uuid=str(index), limit=limit) for index, limit in enumerate(limits)]
    runs = Reading(write_json(tmp_path / "a.json", build_log(*samples))).runs
    assert [run.infrastructure_failure for run in runs] == [False, True]


def test_tool_calls_are_counted(tmp_path: Path) -> None:
    events = [
        {"event": "model", "model": "gpt-4o", "input": []},
        tool_event("read_file", path="a.py"),
        tool_event("bash", cmd="cat ./b.py | head -n 20 && ls src > /dev/null"),
        tool_event("text_editor", command="str_replace", path="a.py"),
        tool_event("bash", cmd="echo 1 > c.py"),
        tool_event("write_file", error={"type": "permission", "message": "no"}, path="d.py"),
    ]
    run = Reading(write_json(tmp_path / "a.json", build_log(inspect_sample(events=events)))).only
    assert run.metrics == Metrics(2, 3, 1, 2 / 3, 0.5)


@pytest.mark.parametrize(
    "events", [[], [tool_event("python", code="open('a')"), tool_event("bash", cmd="ls")]]
)
def test_metrics_are_null_for_tools_with_hidden_file_access(tmp_path: Path, events: list[Any]) -> None:
    assert (
        Reading(write_json(tmp_path / "a.json", build_log(inspect_sample(events=events)))).only.metrics
        == Metrics()
    )


def test_old_logs_are_read(tmp_path: Path) -> None:
    """Version 1: one score, no ids of evaluations or samples, no times of samples, nested events."""
    nested = {"event": "subtask", "events": [tool_event("read_file", path="a")]}
    sample = {"id": "x", "epoch": 3, "input": "?", "target": "!", "score": {"value": 0.5}, "events": [nested]}
    spec = {key: value for key, value in INSPECT_HEADER["eval"].items() if key not in ("eval_id", "solver")}
    path = write_json(tmp_path / "a.json", build_log(sample, version=1, eval=spec))
    reading = Reading(path)
    run = reading.only
    assert run.run_id.endswith(":x:3")
    assert Reading(path).only.run_id == run.run_id
    assert (run.timestamp, run.profile) == ("2026-03-01T10:00:05Z", "openai/gpt-4o")
    assert [(part.name, part.points) for part in run.deductions] == [("score", 0.5)]
    assert run.metrics.read_file_calls == 1
    assert "samples without a time have that of the evaluation" in reading.notes.conversions


def test_references_to_long_commands_are_resolved(tmp_path: Path) -> None:
    command, own = "cat a.py && echo 1 > a.py", "0a1b"
    events = [tool_event("bash", cmd=f"attachment://{own}"), tool_event("bash", cmd="attachment://gone")]
    new = inspect_sample(events=events, attachments={own: command})
    started_event = {**tool_event("bash", cmd=f"tc://{own}"), "timestamp": "2026-03-01T10:00:42-04:00"}
    old = inspect_sample(uuid="u2", transcript={"events": [started_event], "content": {own: command}})
    del old["events"], old["started_at"], old["completed_at"]
    first, second = Reading(write_json(tmp_path / "a.json", build_log(new, old))).runs
    assert first.metrics == second.metrics == Metrics(1, 1, 0, 1, 1)
    assert second.timestamp == "2026-03-01T14:00:42Z"


def test_a_sample_stored_in_pieces_is_read(tmp_path: Path) -> None:
    shell = {key: value for key, value in inspect_sample().items() if key != "events"}
    chunks = {0: [tool_event("read_file", path="a")], 1: [tool_event("bash", cmd="attachment://2")]}
    members = {f"samples/1_epoch_1/events/{first}.json": chunk for first, chunk in chunks.items()}
    members |= {"samples/1_epoch_1/events/stats.json": {}, "samples/1_epoch_1/skeleton.json": {}}
    texts = {0: ["x", "y"], 2: ["echo 1 > a"]}
    members |= {f"samples/1_epoch_1/attachments/{first}.json": chunk for first, chunk in texts.items()}
    header = {**INSPECT_HEADER, "version": 3}
    path = write_eval(
        tmp_path / "a.eval", {"header.json": header, "samples/1_epoch_1/sample.json": shell, **members}
    )
    assert Reading(path).only.metrics == Metrics(1, 1, 0, 1, 1)


def test_summaries_replace_missing_transcripts(tmp_path: Path) -> None:
    summaries = [inspect_sample(error="boom", scores=None), inspect_sample(epoch=2, uuid="u2", limit="token")]
    path = write_eval(tmp_path / "a.eval", {"header.json": INSPECT_HEADER, "summaries.json": summaries})
    assert [run.infrastructure_failure for run in Reading(path).runs] == [True, False]


def test_an_unfinished_archive_is_read_by_its_journal(tmp_path: Path) -> None:
    members = {"_journal/start.json": INSPECT_HEADER, "samples/1_epoch_1.json": inspect_sample()}
    assert Reading(write_eval(tmp_path / "a.eval", members)).only.success


def test_values_of_several_kinds_are_points(tmp_path: Path) -> None:
    scores = {
        "partial": {"value": "P"},
        "yes": {"value": "yes"},
        "many": {"value": {"a": 1, "b": 0.5, "c": None}},
        "flags": {"value": [True, False]},
    }
    run = Reading(write_json(tmp_path / "a.json", build_log(inspect_sample(scores=scores)))).only
    assert run.max_score == 6
    assert {part.name: part.points for part in run.deductions} == {
        "partial": 0.5,
        "many.b": 0.5,
        "flags.1": 1,
    }


def test_nan_is_not_a_score(tmp_path: Path) -> None:
    nan = float("nan")
    unscored = inspect_sample(uuid="u2", scores={"match": {"value": nan, "explanation": 'NaN "NaN" \\'}})
    reading = Reading(write_json(tmp_path / "a.json", build_log(inspect_sample(), unscored)))
    assert (len(reading.runs), reading.errors) == (1, [])
    assert reading.skipped == ["samples have no score (the evaluation's status is success)"]
    packed = Reading(write_archive(tmp_path, inspect_sample(), {**unscored, "id": 2}))
    assert packed.runs == reading.runs


def test_invalidated_samples_and_scores_out_of_range_are_reported(tmp_path: Path) -> None:
    samples = [
        inspect_sample(invalidation={"author": "me", "reason": "leaked"}),
        inspect_sample(scores={"grade": {"value": 7}}),
        inspect_sample(uuid="kept", scores={"grade": {"value": 7}, "match": {"value": "C"}}),
        {"epoch": 1},
    ]
    reading = Reading(write_json(tmp_path / "a.json", build_log(*samples)))
    assert [run.run_id for run in reading.runs] == ["kept"]
    assert reading.skipped == ["samples were invalidated"]
    assert reading.errors == [
        ": sample 2: scores.grade: is beyond 0 to 1, and the log does not say what its maximum is",
        ": sample 4: id: is missing",
    ]


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"other.json": {}}, "is an archive, but holds no header of an Inspect log"),
        ({"header.json": {"version": 2}}, "eval: is missing"),
        (
            {"header.json": {**INSPECT_HEADER, "version": 9}},
            "version: is 9; only versions up to 3 are supported",
        ),
        ({"header.json": INSPECT_HEADER}, "samples: are not in the archive"),
        ({"header.json": b"{"}, "must be valid JSON"),
    ],
)
def test_an_archive_that_is_no_log_is_refused(tmp_path: Path, members: Any, reason: str) -> None:
    reading = Reading(write_eval(tmp_path / "a.eval", members))
    assert reading.errors[0].startswith(f": {reason}")


def test_a_broken_sample_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    path = write_archive(tmp_path, inspect_sample(), inspect_sample(id=2, uuid="u2"))
    content = bytearray(path.read_bytes())
    start = content.index(b"samples/2_epoch_1.json") + 60
    content[start : start + 8] = b"\xff" * 8
    path.write_bytes(bytes(content))
    reading = Reading(path)
    assert len(reading.runs) == 1
    assert "samples/2_epoch_1.json is broken" in reading.errors[0]


def test_a_member_is_unpacked_only_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_ai_zip, "MAX_MEMBER_BYTES", 10_000)
    monkeypatch.setattr(inspect_ai_zip, "_CHUNK_BYTES", 1_000)
    reading = Reading(write_archive(tmp_path, inspect_sample(), inspect_sample(id=2, input="0" * 1_000_000)))
    assert (len(reading.runs), reading.errors) == (
        1,
        [": samples/2_epoch_1.json is larger than 10,000 bytes"],
    )


@pytest.mark.parametrize("content", [b"PK\x03\x04 and no more", b'{"eval": 1, "version": 2', b"[1]"])
def test_invalid_content_is_reported(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.eval").write_bytes(content)
    reading = Reading(tmp_path / "a.eval", "inspect")
    assert (reading.runs, len(reading.errors)) == ([], 1)


def test_a_lone_surrogate_is_replaced(tmp_path: Path) -> None:
    text = json.dumps(build_log(inspect_sample(scores={"match": {"value": "I", "explanation": "\ud800"}})))
    (tmp_path / "a.json").write_text(text)
    assert Reading(tmp_path / "a.json").only.deductions[0].description == "\N{REPLACEMENT CHARACTER}"


def test_a_sample_without_an_end_ends_after_its_total_time(tmp_path: Path) -> None:
    sample = inspect_sample(total_time=12.5)
    del sample["completed_at"]
    reading = Reading(write_json(tmp_path / "a.json", build_log(sample)))
    assert reading.only.timestamp == "2026-03-01T10:01:00.250000Z"
    assert reading.only.finished_at == "2026-03-01T10:01:12.750000Z"
    assert reading.notes.conversions["samples without an end have that of their total time"] == 1
    unknown = Reading(write_json(tmp_path / "b.json", build_log({**sample, "total_time": None})))
    assert unknown.only.finished_at is None
