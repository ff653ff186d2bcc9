"""Tests that evaluations are stored with their runs."""

from typing import Any

from backend.store.database import Database
from backend.timelines import store
from backend.timelines.evaluation_store import StoredEvaluation, load_evaluations
from backend.timelines.model import Profile
from backend.timelines.validation.run_preparation import prepare_runs
from tests.support.runs.timeline_app import build_run, store_runs

MINUTE = 60_000_000
TEN = 1_772_359_200_000_000
"""2026-03-01T10:00:00Z in microseconds."""


def _add(database: Database, *runs: tuple[str, int], **more: Any) -> store.Added:
    """Add runs, each with an id and the minute of its start, that belong to the evaluation ``e``."""
    return store_runs(
        database,
        "one",
        *(
            build_run(run_id, timestamp=f"2026-03-01T10:{minute:02}:00Z", **{"evaluation_id": "e", **more})
            for run_id, minute in runs
        ),
    )


def _load(database: Database, profile: str = "one") -> list[StoredEvaluation]:
    with database.read() as connection:
        return load_evaluations(connection, "own", profile)


def test_an_evaluation_grows_with_its_runs_and_keeps_its_first_values(database: Database) -> None:
    _add(database, ("b", 5), suite="s", finished_at="2026-03-01T10:09:00Z")
    _add(database, ("a", 2), ("c", 7), suite="another", revision="r")
    (found,) = _load(database)
    assert found == StoredEvaluation("one", "e", "s", "r", None, None, TEN + 2 * MINUTE, TEN + 9 * MINUTE, 3)


def test_a_known_run_changes_nothing(database: Database) -> None:
    _add(database, ("a", 2), suite="s")
    before = _load(database)
    assert _add(database, ("a", 2), ("a", 2), revision="r") == (0, 2)
    assert _load(database) == before
    _add(database, ("a", 2), ("b", 3), revision="r")
    assert _load(database)[0].runs == 2


def test_the_end_stays_unknown_if_no_run_has_one(database: Database) -> None:
    _add(database, ("a", 2), ("b", 3))
    assert _load(database)[0].finished_us is None


def test_evaluations_of_a_profile_are_listed_newest_first(database: Database) -> None:
    for number, minute in ((1, 5), (2, 9), (3, 1)):
        _add(database, (f"run {number}", minute), evaluation_id=f"e{number}")
    store_runs(database, "two", build_run("other", evaluation_id="e1"), build_run("alone"))
    assert [found.evaluation_id for found in _load(database)] == ["e2", "e1", "e3"]
    assert [found.evaluation_id for found in _load(database, "two")] == ["e1"]


def test_names_of_any_length_fit(database: Database) -> None:
    long = "長" * 500
    checked = prepare_runs([build_run(evaluation_id=long, suite=long, revision=long)], profile=long)
    store.add(database, "own", checked.runs, {long: Profile()})
    assert _load(database, long)[0].evaluation_id == long


def test_times_of_the_file_extend_an_evaluation(database: Database) -> None:
    (run,) = prepare_runs([build_run(evaluation_id="e")], profile="one").runs
    assert run.evaluation is not None
    part = run.evaluation._replace(started_us=TEN - MINUTE, finished_us=TEN + MINUTE, source="log.eval")
    store.add(database, "own", [run._replace(evaluation=part)], {"one": Profile()})
    (found,) = _load(database)
    assert (found.started_us, found.finished_us, found.source) == (TEN - MINUTE, TEN + MINUTE, "log.eval")
