from pathlib import Path

import pytest

from backend.errors import NotFound
from backend.formats.timestamps import utc_now
from backend.settings import Settings
from backend.store.database import Database
from backend.timelines.columns.arrow_schema import SCHEMA
from backend.timelines.columns.run_arrays import select
from backend.timelines.model import Profile
from backend.timelines.store import add, upsert_profiles
from backend.timelines.stored_columns import columns_of, load_columns, read_timelines
from backend.timelines.validation.run_preparation import prepare_runs
from tests.support.runs.scored_runs import build_daily_runs, run


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
    return Settings()


@pytest.fixture
def stored(sqlite_database: Database) -> Database:
    profiles = {"a": Profile(model="m"), "b": Profile(), "empty": Profile()}
    upsert_profiles(sqlite_database, profiles, now=utc_now())
    runs = [*build_daily_runs("a", {"x": [0.5] * 1030}), run("b", "x", 0, error="sandbox: command not found")]
    add(sqlite_database, "own", prepare_runs(runs).runs, profiles)
    return sqlite_database


def test_all_stored_runs_are_read_beyond_the_limit_of_a_response(
    settings: Settings, stored: Database
) -> None:
    table = columns_of(settings, stored)
    assert table.schema == SCHEMA
    assert len(select(table, profiles=["a"])) == 1030


def test_missing_infrastructure_flags_are_derived_by_the_rule(settings: Settings, stored: Database) -> None:
    chosen = select(columns_of(settings, stored, ["b"]))
    assert (len(chosen), chosen.excluded_runs.tolist()) == (0, [1])


def test_a_profile_without_runs_has_none(settings: Settings, stored: Database) -> None:
    assert columns_of(settings, stored, ["empty"]).num_rows == 0


def test_an_unknown_profile_is_reported_with_the_known_ones(settings: Settings, stored: Database) -> None:
    with pytest.raises(NotFound, match=r"There is no profile 'c'\. There are 'a', 'b', 'empty'\."):
        columns_of(settings, stored, ["a", "c"])


def test_a_limit_keeps_the_newest_runs_of_each_profile(settings: Settings, stored: Database) -> None:
    table = load_columns(stored, read_timelines(settings, stored), ["a", "b"], limits={"a": 3, "b": 3})
    assert table.column("profile").to_pylist() == ["a", "a", "a", "b"]
    newest = columns_of(settings, stored, ["a"]).column("timestamp").to_pylist()[-3:]
    assert table.column("timestamp").to_pylist()[:3] == newest
