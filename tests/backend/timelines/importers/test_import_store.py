"""Imports into the service's database, on SQLite and PostgreSQL."""

from pathlib import Path

import pytest

from backend.settings import Settings
from backend.store.database import Database
from backend.timelines.importers.import_store import DatabaseStore
from backend.timelines.importers.run_import import ImportRequest, import_files
from backend.timelines.profiles.profile_files import InvalidProfilesError
from tests.support.runs.run_files import own_run, write_json, write_lines
from tests.support.store.data_folders import set_up_home


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    return Settings(home=set_up_home(tmp_path, monkeypatch))


def test_runs_and_profiles_are_stored_once(tmp_path: Path, settings: Settings, database: Database) -> None:
    rows = [own_run(run_id=f"r{index}", profile=("alpha", "b/β ")[index % 2]) for index in range(5)]
    path = write_lines(tmp_path / "a.jsonl", *rows)
    request = ImportRequest(add_profiles=True)
    first = import_files(DatabaseStore(settings, database), [path], request)
    second = import_files(DatabaseStore(settings, database), [path], ImportRequest())
    assert (first.added, first.known, sorted(first.new_profiles)) == (5, 0, ["alpha", "b/β "])
    assert (second.added, second.known, second.errors, second.new_profiles) == (0, 5, [], {})


def test_profile_files_are_used_and_their_mistakes_stop_the_import(
    tmp_path: Path, settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured = write_json(tmp_path / "profiles.json", {"alpha": {"model": "gpt"}})
    path = write_lines(tmp_path / "a.jsonl", own_run())
    settings = settings.model_copy(update={"profiles_file": configured})
    assert import_files(DatabaseStore(settings, database), [path], ImportRequest()).added == 1
    configured.write_text("{")
    with pytest.raises(InvalidProfilesError, match=r"profiles\.json:1: must be valid JSON"):
        import_files(DatabaseStore(settings, database), [path], ImportRequest())


def test_stored_ids_are_found(tmp_path: Path, settings: Settings, database: Database) -> None:
    path = write_lines(tmp_path / "a.jsonl", own_run(run_id="r1"), own_run(run_id="r2"))
    store = DatabaseStore(settings, database)
    import_files(store, [path], ImportRequest(add_profiles=True))
    assert store.find_ids(["r1", "r3", *(f"x{index}" for index in range(600))]) == {"r1"}
    assert store.find_ids([]) == set()
