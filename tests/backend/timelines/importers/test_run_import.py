"""An import stores all runs or none, repeatably, and reports the result."""

from pathlib import Path
from typing import Any

import pytest

from backend.timelines.importers import run_import
from backend.timelines.importers.model import Options
from backend.timelines.importers.run_import import ImportRequest, ImportResult, import_files
from backend.timelines.model import Profile
from tests.support.runs.run_files import MemoryStore, own_run, write_json, write_lines


def write_runs(folder: Path, *wrong: int, count: int = 10, name: str = "a.jsonl") -> Path:
    rows = [own_run(run_id=f"r{index}") for index in range(count)]
    for index in wrong:
        rows[index]["total_score"] = 99
    return write_lines(folder / name, *rows)


def run_import_files(store: MemoryStore, *paths: Path, **request: Any) -> ImportResult:
    return import_files(store, paths, ImportRequest(**request))


def test_a_second_import_adds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_import, "BATCH_SIZE", 3)
    store, path = MemoryStore("alpha"), write_runs(tmp_path)
    first, second = run_import_files(store, path), run_import_files(store, path)
    assert (first.added, first.known, second.added, second.known) == (10, 0, 0, 10)


def test_one_error_prevents_the_whole_import(tmp_path: Path) -> None:
    store, good, bad = MemoryStore("alpha"), write_runs(tmp_path), write_runs(tmp_path, 4, name="b.jsonl")
    found = run_import_files(store, good, bad)
    assert (store.runs, found.added) == ({}, 0)
    assert [str(error) for error in found.errors] == [
        f"{bad}:5: total_score: must be raw_score plus bonuses less deductions, which is 3, within 0.01",
        f"{bad}:5: normalized_score: must be total_score over max_score, which is 24.75, within 0.005",
    ]


def test_a_partial_import_stores_the_valid_runs(tmp_path: Path) -> None:
    store = MemoryStore("alpha")
    found = run_import_files(store, write_runs(tmp_path, 4, 6), partial=True)
    assert (found.added, found.error_count, len(store.runs)) == (8, 4, 8)


@pytest.mark.parametrize("partial", [False, True])
def test_a_dry_run_stores_nothing(tmp_path: Path, partial: bool) -> None:
    store = MemoryStore()
    found = run_import_files(store, write_runs(tmp_path), dry_run=True, add_profiles=True, partial=partial)
    assert (store.runs, store.stored_profiles, found.runs, list(found.new_profiles)) == (
        {},
        {},
        10,
        ["alpha"],
    )


def test_an_unknown_profile_is_reported_once_with_the_fix(tmp_path: Path) -> None:
    found = run_import_files(MemoryStore("beta"), write_runs(tmp_path))
    assert found.error_count == 1
    assert "«alpha» is not configured; add it with «chainproof profiles add»" in str(found.errors[0])


def test_profiles_are_added_from_the_companion_file_or_the_run(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "a.jsonl", own_run(model="gpt"), own_run(run_id="r2", profile="beta", model="o1")
    )
    write_json(tmp_path / "a.profiles.json", {"alpha": {"model": "gpt", "provider": "me"}})
    store = MemoryStore()
    found = run_import_files(store, path, add_profiles=True)
    assert (
        store.stored_profiles
        == found.new_profiles
        == {
            "alpha": Profile(provider="me", model="gpt"),
            "beta": Profile(model="o1"),
        }
    )
    assert run_import_files(store, path, add_profiles=True).new_profiles == {}


def test_an_error_in_the_companion_file_is_reported(tmp_path: Path) -> None:
    path = write_runs(tmp_path)
    (tmp_path / "a.profiles.json").write_text("{")
    found = run_import_files(MemoryStore("alpha"), path)
    assert found.added == 0
    assert "a.profiles.json:1: must be valid JSON" in str(found.errors[0])


@pytest.mark.parametrize("partial", [False, True])
def test_the_progress_adds_up_to_the_file_size(tmp_path: Path, partial: bool) -> None:
    path, done = write_runs(tmp_path), dict[Path, int]()

    def advance(file: Path, size: int) -> None:
        done[file] = done.get(file, 0) + size

    import_files(MemoryStore("alpha"), [path], ImportRequest(partial=partial), advance=advance)
    assert done == {path: path.stat().st_size}


@pytest.mark.parametrize(("name", "content"), [("a.bin", "?"), ("a.csv", ""), ("a.jsonl", "\n\n")])
def test_a_file_without_runs_is_an_error(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    found = run_import_files(MemoryStore(), tmp_path / name)
    assert (found.added, found.error_count) == (0, 1)


def test_the_report_names_null_fields_and_reasons(tmp_path: Path) -> None:
    found = run_import_files(MemoryStore("p"), write_runs(tmp_path), options=Options("p"))
    result = {name: (run_count, reason) for name, run_count, reason in found.files[0].explain_null_fields()}
    assert result["cost_usd"] == (10, "the file says null or nothing")
    assert "error" not in result


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "is a Git LFS pointer"),
        (b'{"eval": {"task": "a"}, "samples": [{"id": 1', "must be valid JSON: it is cut off before its end"),
        (b'{\n  "results": [\n    {"a": 1},', "must be valid JSON: it is cut off before its end"),
        (b"no format", "has an unknown format; known are (chainproof, inspect"),
    ],
)
@pytest.mark.parametrize("name", ["a.json", "a.bin"])
def test_a_file_that_cannot_hold_runs_is_refused_with_its_reason(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    found = run_import_files(MemoryStore("alpha"), path)
    assert str(found.errors[0]).startswith(f"{path}: {reason}")


def test_a_git_lfs_pointer_is_named_although_the_format_is_given(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    assert "git lfs pull" in str(run_import_files(MemoryStore(), path, format="inspect").errors[0])


def test_one_cause_is_reported_once_with_its_count(tmp_path: Path) -> None:
    rows = [{**own_run(run_id=f"r{index}"), "colour": "red"} for index in range(150)]
    path = write_lines(tmp_path / "a.jsonl", *rows, own_run(run_id="r", success=1))
    found = run_import_files(MemoryStore("alpha"), path)
    assert found.error_count == 151
    assert found.format_errors() == [
        f"{path}:1: colour: is not a field of a run (and 149 more like it)",
        f"{path}:151: success: must be true or false, not an integer",
    ]


def test_a_run_that_is_stored_by_a_former_id_is_known(tmp_path: Path) -> None:
    row = {
        "timestamp": "2026-03-01T10:00:00Z",
        "case_id": "c",
        "profile": "alpha",
        "success": True,
        "total_score": 100,
        "max_score": 100,
        "tool_calls": [],
    }
    store = MemoryStore("alpha")
    assert run_import_files(store, write_lines(tmp_path / "alpha.jsonl", row)).added == 1
    migrated = {**row, "run_id": "0195d3a0-0000-7000-8000-000000000001"}
    new = {**migrated, "run_id": "0195d3a0-0000-7000-8000-000000000002", "timestamp": "2026-03-02T10:00:00Z"}
    second = run_import_files(store, write_lines(tmp_path / "alpha.jsonl", migrated, new))
    third = run_import_files(store, tmp_path / "alpha.jsonl")
    assert (second.added, second.known, third.added, third.known) == (1, 1, 0, 2)


def test_an_id_of_another_profile_is_told_apart_from_a_known_run(tmp_path: Path) -> None:
    store = MemoryStore("alpha", "beta")
    run_import_files(store, write_runs(tmp_path, count=2))
    path = write_lines(tmp_path / "b.jsonl", own_run(run_id="r0", profile="beta"), own_run(run_id="r1"))
    found = run_import_files(store, path)
    assert (found.added, found.known, found.known_elsewhere) == (0, 1, 1)
    assert found.elsewhere_examples == ["«r0» of «beta» is a run of «alpha»"]


def test_a_repeated_id_with_other_content_in_one_file_is_named_with_both_lines(tmp_path: Path) -> None:
    store = MemoryStore("alpha")
    rows = [own_run(run_id="r1"), own_run(run_id="r1"), own_run(run_id="r1", case_id="other")]
    found = run_import_files(store, write_lines(tmp_path / "a.jsonl", *rows))
    assert (found.added, found.known, found.files[0].contradictions) == (1, 1, 1)
    assert found.files[0].contradiction_examples == ["line 3: «r1» as in line 1"]


@pytest.mark.parametrize("raw", [-1, 5])
def test_a_raw_score_outside_its_range_is_refused_with_file_line_and_reason(tmp_path: Path, raw: int) -> None:
    wrong = own_run(
        run_id="r2",
        raw_score=raw,
        total_score=raw,
        max_score=4,
        normalized_score=raw / 4,
        deductions=[],
        bonuses=[],
    )
    path = write_lines(tmp_path / "a.jsonl", own_run(run_id="r1"), wrong)
    store = MemoryStore("alpha")
    found = run_import_files(store, path)
    assert store.runs == {}
    assert [str(error) for error in found.errors] == [
        f"{path}:2: raw_score: must be from 0 to max_score, which is 4, not {raw}"
    ]
