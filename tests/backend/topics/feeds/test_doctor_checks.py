"""What ``chainproof doctor`` says of the feeds."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from backend.doctor.runner import examine
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.feeds.doctor_checks import checkup
from tests.support.feeds import NOW, Round, feed, item, rss
from tests.support.provider_server import Behaviour, ProviderServer


@pytest.fixture
def asking(sqlite_database: Database, tmp_path: Path) -> Iterator[Round]:
    with ProviderServer() as server:
        lines = [
            f"  - {{id: {name}, name: {name}, url: '{server.url}/{name}', language: en, kind: blog}}\n"
            for name in "ab"
        ]
        (tmp_path / "feeds.yaml").write_text("disable: all\nfeeds:\n" + "".join(lines))
        yield Round(server, sqlite_database, tmp_path, feed(server, "a"), feed(server, "b"))


def told(asking: Round, now: datetime = NOW, **changed: str) -> dict[str, tuple[str, str]]:
    settings = asking.settings.model_copy(update=changed)
    return {one.subject: (one.state, one.sentence) for one in checkup(settings, asking.database, now=now)}


def test_feeds_that_were_never_asked_are_told_so(asking: Round) -> None:
    state, sentence = told(asking)["Feeds"]
    assert (state, "None was asked yet" in sentence) == ("note", True)
    assert "2 enabled of" in sentence


def test_a_dead_feed_is_told_with_its_reason_and_what_to_do(asking: Round) -> None:
    asking.serve(rss([item(1)]))
    asking.server.always("/b", Behaviour(404, b"", "text/plain"))
    now = NOW
    for _ in range(9):
        asking.ask(now)
        now += timedelta(hours=25)
    found = told(asking, now)
    assert found["Feeds"][0] == "ok"
    assert "1 answer; 1 failed" in found["Feeds"][1]
    state, sentence = found["Feed b"]
    assert state == "note"
    assert "has not answered ever, 9 failures in a row" in sentence
    assert "status 404" in sentence
    assert "disable:" in sentence
    assert "Feed a" not in found


def test_one_failure_is_no_death(asking: Round) -> None:
    asking.serve(rss([item(1)]))
    asking.server.always("/b", Behaviour(500, b"", "text/plain"))
    asking.ask()
    assert "Feed b" not in told(asking)


def test_it_is_a_fault_when_no_feed_answers_at_all(asking: Round) -> None:
    asking.server.always("*", Behaviour(503, b"", "text/plain"))
    asking.ask()
    state, sentence = told(asking)["Feeds"]
    assert (state, "status 503" in sentence) == ("fault", True)


def test_sample_mode_is_told_to_ask_none(asking: Round) -> None:
    assert told(asking, mode="sample")["Feeds"][1].endswith("sample mode asks none.")


def test_a_list_with_a_mistake_is_a_fault_with_its_line(asking: Round) -> None:
    (asking.settings.home / "feeds.yaml").write_text("feeds:\n  - id: x\n")
    state, sentence = told(asking)["Feeds"]
    assert (state, "feeds.yaml:2:" in sentence) == ("fault", True)


def test_doctor_looks_at_the_feeds_and_at_x(asking: Round) -> None:
    url = asking.database.url
    settings = Settings(home=asking.settings.home, database_url=None)
    assert url.startswith("sqlite")
    from backend import migrations

    migrations.upgrade(settings.app_database_url)
    assert {"Feeds", "X"} <= {finding.subject for finding in examine(settings)}
