"""Answers from outside that are kept for a while."""

from datetime import UTC, datetime, timedelta

from backend import kept
from backend.db import Database

NOW = datetime(2026, 5, 18, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_what_is_kept_is_found_until_it_expires(database: Database) -> None:
    key = kept.key_of("search", "etf", 10)
    kept.keep(database, key, "search", [{"url": "https://a.example/"}], keep_for=HOUR, now=NOW)
    assert kept.find(database, key, now=NOW + HOUR - timedelta(seconds=1)) == [{"url": "https://a.example/"}]
    assert kept.find(database, key, now=NOW + HOUR) is None


def test_keeping_again_replaces(database: Database) -> None:
    key = kept.key_of("page", "https://a.example/")
    for body in ("old", "new"):
        kept.keep(database, key, "page", body, keep_for=HOUR, now=NOW)
    assert kept.find(database, key, now=NOW) == "new"


def test_questions_of_other_kinds_or_parts_have_other_keys() -> None:
    keys = {kept.key_of("search", "a", "b"), kept.key_of("page", "a", "b"), kept.key_of("search", "ab")}
    assert len(keys) == 3
    assert kept.key_of("model", {"x": 1, "y": 2}) == kept.key_of("model", {"y": 2, "x": 1})


def test_forgetting_deletes_what_has_expired_alone(database: Database) -> None:
    for index in range(3):
        kept.keep(database, kept.key_of("page", index), "page", index, keep_for=HOUR * (index + 1), now=NOW)
    assert kept.forget(database, now=NOW + HOUR) == 1
    assert [kept.find(database, kept.key_of("page", index), now=NOW) for index in range(3)] == [None, 1, 2]
