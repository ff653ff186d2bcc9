"""Tests the doctor's check of the feeds."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from backend import migrations
from backend.doctor.runner import run_checks
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.feeds.doctor_checks import check_feeds
from tests.support.providers.feeds import NOW, Round, feed, item, rss
from tests.support.providers.provider_server import Behaviour, ProviderServer


@pytest.fixture
def asking(sqlite_database: Database, tmp_path: Path) -> Iterator[Round]:
    with ProviderServer() as server:
        lines = [
            f"  - {{id: {name}, name: {name}, url: '{server.url}/{name}', language: en, kind: blog}}\n"
            for name in "ab"
        ]
        (tmp_path / "feeds.yaml").write_text("disable: all\nfeeds:\n" + "".join(lines))
        yield Round(server, sqlite_database, tmp_path, feed(server, "a"), feed(server, "b"))


def check(asking: Round, now: datetime = NOW, **changed: str) -> dict[str, tuple[str, str]]:
    settings = asking.settings.model_copy(update=changed)
    return {
        result.subject: (result.state, result.sentence)
        for result in check_feeds(settings, asking.database, now=now)
    }


def test_the_check_reports_that_no_feed_was_fetched_yet(asking: Round) -> None:
    state, sentence = check(asking)["Feeds"]
    assert (state, "None was fetched yet" in sentence) == ("note", True)
    assert "2 enabled of" in sentence


def test_the_check_reports_a_dead_feed_with_the_reason_and_advice(asking: Round) -> None:
    asking.serve(rss([item(1)]))
    asking.server.always("/b", Behaviour(404, b"", "text/plain"))
    now = NOW
    for _ in range(9):
        asking.ask(now)
        now += timedelta(hours=25)
    results = check(asking, now)
    assert results["Feeds"][0] == "ok"
    assert "1 answer; 1 failed" in results["Feeds"][1]
    state, sentence = results["Feed b"]
    assert state == "note"
    assert "has not answered ever, 9 failures in a row" in sentence
    assert "status 404" in sentence
    assert "disable:" in sentence
    assert "Feed a" not in results


def test_one_failure_does_not_make_a_feed_dead(asking: Round) -> None:
    asking.serve(rss([item(1)]))
    asking.server.always("/b", Behaviour(500, b"", "text/plain"))
    asking.ask()
    assert "Feed b" not in check(asking)


def test_it_is_a_fault_if_no_feed_answers(asking: Round) -> None:
    asking.server.always("*", Behaviour(503, b"", "text/plain"))
    asking.ask()
    state, sentence = check(asking)["Feeds"]
    assert (state, "status 503" in sentence) == ("fault", True)


def test_the_check_reports_that_sample_mode_fetches_no_feed(asking: Round) -> None:
    assert check(asking, mode="sample")["Feeds"][1].endswith("sample mode fetches none.")


def test_an_error_in_the_list_is_a_fault_with_its_line(asking: Round) -> None:
    (asking.settings.home / "feeds.yaml").write_text("feeds:\n  - id: x\n")
    state, sentence = check(asking)["Feeds"]
    assert (state, "feeds.yaml:2:" in sentence) == ("fault", True)


def test_the_doctor_checks_the_feeds_and_x(asking: Round) -> None:
    url = asking.database.url
    settings = Settings(home=asking.settings.home, database_url=None)
    assert url.startswith("sqlite")
    migrations.upgrade(settings.app_database_url)
    assert {"Feeds", "X"} <= {finding.subject for finding in run_checks(settings)}
