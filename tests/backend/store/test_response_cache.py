"""Tests the cache of upstream responses."""

from datetime import UTC, datetime, timedelta

from backend.store import response_cache
from backend.store.database import Database

NOW = datetime(2026, 5, 18, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_cached_value_is_found_until_it_expires(database: Database) -> None:
    key = response_cache.key_of("search", "etf", 10)
    response_cache.keep(database, key, "search", [{"url": "https://a.example/"}], keep_for=HOUR, now=NOW)
    assert response_cache.find(database, key, now=NOW + HOUR - timedelta(seconds=1)) == [
        {"url": "https://a.example/"}
    ]
    assert response_cache.find(database, key, now=NOW + HOUR) is None


def test_caching_again_replaces_the_value(database: Database) -> None:
    key = response_cache.key_of("page", "https://a.example/")
    for body in ("old", "new"):
        response_cache.keep(database, key, "page", body, keep_for=HOUR, now=NOW)
    assert response_cache.find(database, key, now=NOW) == "new"


def test_different_kinds_or_parts_have_different_cache_keys() -> None:
    keys = {
        response_cache.key_of("search", "a", "b"),
        response_cache.key_of("page", "a", "b"),
        response_cache.key_of("search", "ab"),
    }
    assert len(keys) == 3
    assert response_cache.key_of("model", {"x": 1, "y": 2}) == response_cache.key_of(
        "model", {"y": 2, "x": 1}
    )


def test_cleanup_deletes_only_expired_entries(database: Database) -> None:
    for index in range(3):
        response_cache.keep(
            database,
            response_cache.key_of("page", index),
            "page",
            index,
            keep_for=HOUR * (index + 1),
            now=NOW,
        )
    assert response_cache.forget(database, now=NOW + HOUR) == 1
    assert [
        response_cache.find(database, response_cache.key_of("page", index), now=NOW) for index in range(3)
    ] == [None, 1, 2]
