"""Tests how a process notices changes of another process."""

import contextlib
import threading
from collections.abc import Callable

import pytest
import structlog

from backend.store.change_watcher import ChangeWatcher
from backend.store.database import Database, bump
from tests.support.test_session.thread_isolation import capture_logs_of_this_thread
from tests.support.waiting import LIMIT_SECONDS


class Broken(Exception):
    pass


def bump_topics(database: Database, *topics: str) -> None:
    with database.write() as connection:
        for topic in topics:
            bump(connection, topic)


def build_recorder(seen: list[str], word: str) -> Callable[[], None]:
    return lambda: seen.append(word)


def test_subscriber_is_called_once_for_several_missed_changes(database: Database) -> None:
    seen: list[str] = []
    watcher = ChangeWatcher(database)
    watcher.subscribe("a", build_recorder(seen, "a"))
    watcher.subscribe("b", build_recorder(seen, "b"))
    watcher.poll()
    assert seen == []
    bump_topics(database, "a", "a", "a")
    watcher.poll()
    watcher.poll()
    assert seen == ["a"]
    bump_topics(database, "b", "a")
    watcher.poll()
    assert seen == ["a", "a", "b"]


def test_changes_before_the_start_notify_subscribers(sqlite_database: Database) -> None:
    seen: list[str] = []
    bump_topics(sqlite_database, "a")
    watcher = ChangeWatcher(sqlite_database)
    watcher.subscribe("a", build_recorder(seen, "a"))
    watcher.poll()
    assert seen == ["a"]


def test_rolled_back_change_does_not_notify_subscribers(database: Database) -> None:
    seen: list[str] = []
    watcher = ChangeWatcher(database)
    watcher.subscribe("a", build_recorder(seen, "a"))
    with contextlib.suppress(Broken), database.write() as connection:
        bump(connection, "a")
        raise Broken
    watcher.poll()
    assert seen == []


def test_a_change_during_a_reload_is_not_lost(sqlite_database: Database) -> None:
    seen: list[str] = []
    watcher = ChangeWatcher(sqlite_database)

    def reload() -> None:
        seen.append("a")
        if len(seen) == 1:
            bump_topics(sqlite_database, "a")

    watcher.subscribe("a", reload)
    bump_topics(sqlite_database, "a")
    watcher.poll()
    watcher.poll()
    watcher.poll()
    assert seen == ["a", "a"]


def test_failed_reload_is_retried_and_does_not_block_other_subscribers(
    sqlite_database: Database,
) -> None:
    seen: list[str] = []
    faults = [Broken(), Broken()]

    def reload() -> None:
        if faults:
            raise faults.pop()
        seen.append("a")

    watcher = ChangeWatcher(sqlite_database)
    watcher.subscribe("a", reload)
    watcher.subscribe("b", build_recorder(seen, "b"))
    bump_topics(sqlite_database, "a", "b")
    with capture_logs_of_this_thread() as logged:
        watcher.poll()
        assert seen == ["b"]
        assert watcher.last_success is None
        for _ in range(3):
            watcher.poll()
    assert seen == ["b", "a"]
    assert watcher.last_success is not None
    assert [entry["event"] for entry in logged] == ["reload_failed", "reload_recovered"]


def test_watcher_thread_survives_a_failing_callback(sqlite_database: Database) -> None:
    calls = threading.Semaphore(0)

    def fail() -> None:
        calls.release()
        raise Broken

    watcher = ChangeWatcher(sqlite_database, interval=0.001)
    watcher.call_after_poll(fail)
    with structlog.testing.capture_logs():
        watcher.start()
        try:
            assert all(calls.acquire(timeout=LIMIT_SECONDS) for _ in range(3))
        finally:
            watcher.stop()


def test_watcher_thread_survives_a_database_outage_and_logs_it_once(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, seen, again = threading.Semaphore(0), list[str](), threading.Event()
    watcher = ChangeWatcher(sqlite_database, interval=0.001)
    watcher.call_after_poll(looks.release)
    watcher.subscribe("a", again.set)
    healthy = sqlite_database.read

    def refuse() -> None:
        seen.append("asked")
        raise ConnectionError

    monkeypatch.setattr(sqlite_database, "read", refuse)
    with structlog.testing.capture_logs() as logged:
        watcher.start()
        assert all(looks.acquire(timeout=LIMIT_SECONDS) for _ in range(4))
        monkeypatch.setattr(sqlite_database, "read", healthy)
        bump_topics(sqlite_database, "a")
        assert again.wait(LIMIT_SECONDS)
        watcher.stop()
    assert len(seen) >= 3
    events = [entry["event"] for entry in logged]
    assert events.count("database_unreachable") == 1
    assert events.count("database_recovered") == 1


def test_last_success_is_set_only_after_the_database_responds(sqlite_database: Database) -> None:
    watcher = ChangeWatcher(sqlite_database)
    assert watcher.last_success is None
    watcher.poll()
    assert watcher.last_success is not None
