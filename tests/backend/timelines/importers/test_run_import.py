"""An import stores all or nothing, the same each time, and says what it did."""

from pathlib import Path
from typing import Any

import pytest

from backend.timelines.importers import run_import
from backend.timelines.importers.model import Options
from backend.timelines.importers.run_import import Imported, Wish, import_files
from backend.timelines.model import Profile
from tests.support.run_files import MemoryStore, own_run, write_json, write_lines


def runs(folder: Path, *wrong: int, many: int = 10, name: str = "a.jsonl") -> Path:
    rows = [own_run(run_id=f"r{index}") for index in range(many)]
    for index in wrong:
        rows[index]["total_score"] = 99
    return write_lines(folder / name, *rows)


def imported(store: MemoryStore, *paths: Path, **wish: Any) -> Imported:
    return import_files(store, paths, Wish(**wish))


def test_a_second_import_adds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_import, "BATCH", 3)
    store, path = MemoryStore("alpha"), runs(tmp_path)
    first, again = imported(store, path), imported(store, path)
    assert (first.added, first.known, again.added, again.known) == (10, 0, 0, 10)


def test_one_mistake_keeps_everything_out(tmp_path: Path) -> None:
    store, good, bad = MemoryStore("alpha"), runs(tmp_path), runs(tmp_path, 4, name="b.jsonl")
    found = imported(store, good, bad)
    assert (store.runs, found.added) == ({}, 0)
    assert [str(mistake) for mistake in found.mistakes] == [
        f"{bad}:5: total_score: must be raw_score plus bonuses less deductions, which is 3, within 0.01",
        f"{bad}:5: normalized_score: must be total_score over max_score, which is 24.75, within 0.005",
    ]


def test_partial_keeps_what_is_right(tmp_path: Path) -> None:
    store = MemoryStore("alpha")
    found = imported(store, runs(tmp_path, 4, 6), partial=True)
    assert (found.added, found.mistake_count, len(store.runs)) == (8, 4, 8)


@pytest.mark.parametrize("partial", [False, True])
def test_a_dry_run_stores_nothing(tmp_path: Path, partial: bool) -> None:
    store = MemoryStore()
    found = imported(store, runs(tmp_path), dry_run=True, add_profiles=True, partial=partial)
    assert (store.runs, store.kept, found.runs, list(found.new_profiles)) == ({}, {}, 10, ["alpha"])


def test_an_unknown_profile_is_told_once_with_what_to_do(tmp_path: Path) -> None:
    found = imported(MemoryStore("beta"), runs(tmp_path))
    assert found.mistake_count == 1
    assert "«alpha» is not configured; add it with «chainproof profiles add»" in str(found.mistakes[0])


def test_profiles_are_added_as_the_file_or_the_run_describes_them(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "a.jsonl", own_run(model="gpt"), own_run(run_id="r2", profile="beta", model="o1")
    )
    write_json(tmp_path / "a.profiles.json", {"alpha": {"model": "gpt", "provider": "me"}})
    store = MemoryStore()
    found = imported(store, path, add_profiles=True)
    assert (
        store.kept
        == found.new_profiles
        == {
            "alpha": Profile(provider="me", model="gpt"),
            "beta": Profile(model="o1"),
        }
    )
    assert imported(store, path, add_profiles=True).new_profiles == {}


def test_a_mistake_in_the_profiles_beside_is_the_file_s(tmp_path: Path) -> None:
    path = runs(tmp_path)
    (tmp_path / "a.profiles.json").write_text("{")
    found = imported(MemoryStore("alpha"), path)
    assert found.added == 0
    assert "a.profiles.json:1: is no valid JSON" in str(found.mistakes[0])


@pytest.mark.parametrize("partial", [False, True])
def test_the_bytes_done_add_up_to_the_file(tmp_path: Path, partial: bool) -> None:
    path, done = runs(tmp_path), dict[Path, int]()

    def advance(file: Path, size: int) -> None:
        done[file] = done.get(file, 0) + size

    import_files(MemoryStore("alpha"), [path], Wish(partial=partial), advance=advance)
    assert done == {path: path.stat().st_size}


@pytest.mark.parametrize(("name", "content"), [("a.bin", "?"), ("a.csv", ""), ("a.jsonl", "\n\n")])
def test_a_file_without_runs_is_a_mistake(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    found = imported(MemoryStore(), tmp_path / name)
    assert (found.added, found.mistake_count) == (0, 1)


def test_the_report_says_what_is_null_and_why(tmp_path: Path) -> None:
    found = imported(MemoryStore("p"), runs(tmp_path), options=Options("p"))
    told = {name: (many, reason) for name, many, reason in found.files[0].left_null()}
    assert told["cost_usd"] == (10, "the file says null or nothing")
    assert "error" not in told
