"""An import stores all runs or none, repeatably, and reports the result."""

from pathlib import Path
from typing import Any

import pytest

from backend.timelines.importers import run_import
from backend.timelines.importers.model import Options
from backend.timelines.importers.run_import import ImportRequest, ImportResult, import_files
from backend.timelines.model import Profile
from tests.support.run_files import MemoryStore, own_run, write_json, write_lines


def write_runs(folder: Path, *wrong: int, many: int = 10, name: str = "a.jsonl") -> Path:
    rows = [own_run(run_id=f"r{index}") for index in range(many)]
    for index in wrong:
        rows[index]["total_score"] = 99
    return write_lines(folder / name, *rows)


def run_import_files(store: MemoryStore, *paths: Path, **request: Any) -> ImportResult:
    return import_files(store, paths, ImportRequest(**request))


def test_a_second_import_adds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_import, "BATCH_SIZE", 3)
    store, path = MemoryStore("alpha"), write_runs(tmp_path)
    first, again = run_import_files(store, path), run_import_files(store, path)
    assert (first.added, first.known, again.added, again.known) == (10, 0, 0, 10)


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
    result = {name: (many, reason) for name, many, reason in found.files[0].explain_null_fields()}
    assert result["cost_usd"] == (10, "the file says null or nothing")
    assert "error" not in result
