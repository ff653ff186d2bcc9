"""Tests that texts of runs are stored, redacted and deleted."""

import re

from backend.store.database import Database
from backend.timelines import text_store
from backend.timelines.model import GraderWords, RunTexts

SAID = RunTexts("who?", "Ada Lovelace", (GraderWords("judge", "Ada is right"),))


def _load(database: Database, *run_ids: str) -> dict[str, RunTexts]:
    with database.read() as connection:
        return text_store.load_texts(connection, "own", run_ids)


def test_the_first_texts_of_a_run_stay(database: Database) -> None:
    text_store.add_texts(database, "own", {})
    text_store.add_texts(database, "own", {("one", "a"): SAID})
    text_store.add_texts(database, "own", {("one", "a"): RunTexts("other"), ("one", "b"): RunTexts()})
    assert _load(database, "a", "b", "c") == {"a": SAID, "b": RunTexts()}


def test_matches_are_redacted_in_the_named_profiles_only(database: Database) -> None:
    text_store.add_texts(
        database, "own", {("one", "a"): SAID, ("two", "b"): SAID, ("one", "c"): RunTexts("x")}
    )
    assert text_store.redact_texts(database, "own", ["one"], [re.compile("Ada( Lovelace)?")]) == 1
    found = _load(database, "a", "b")
    assert found["a"] == RunTexts("who?", "[redacted]", (GraderWords("judge", "[redacted] is right"),))
    assert found["b"] == SAID


def test_texts_are_deleted_in_the_named_profiles_only(database: Database) -> None:
    text_store.add_texts(database, "own", {("one", "a"): SAID, ("two", "b"): SAID})
    assert text_store.delete_texts(database, "own", ["one", "none"]) == 1
    assert set(_load(database, "a", "b")) == {"b"}
