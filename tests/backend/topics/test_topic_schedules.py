"""The schedule that asks feeds."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from backend.articles.rules.ruleset import Rules
from backend.db import Database
from backend.settings import Settings
from backend.topics.feed_list import FeedListRefused
from backend.topics.tasks import topic_schedules
from tests.support.feeds import NOW, item, rss
from tests.support.provider_server import Behaviour, ProviderServer


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        running.always("/mine", Behaviour(body=rss([item(1)]), content_type="text/xml"))
        yield running


def live(home: Path, server: ProviderServer, more: str = "") -> Settings:
    mine = f"{{id: mine, name: Mine, url: '{server.url}/mine', language: en, kind: blog}}"
    (home / "feeds.yaml").write_text(f"disable: all\nfeeds:\n  - {mine}\n{more}")
    return Settings(mode="live", home=home, fetch_allow=(f"127.0.0.1:{server.port}",))


def test_sample_mode_has_no_schedule_that_would_use_the_network(
    sqlite_database: Database, tmp_path: Path
) -> None:
    settings = Settings(home=tmp_path)
    assert topic_schedules(settings, sqlite_database, Rules(settings)) == []


def test_news_are_told_on_after_they_came_and_only_then(
    sqlite_database: Database, tmp_path: Path, server: ProviderServer
) -> None:
    heard: list[datetime] = []
    settings = live(tmp_path, server)
    (schedule,) = topic_schedules(settings, sqlite_database, Rules(settings), on_news=heard.append)
    for minutes in (0, 1, 30):
        schedule.run(NOW + timedelta(minutes=minutes))
    assert (schedule.every_seconds, heard) == (60, [NOW])
    assert len(server.seen("/mine")) == 2


def test_a_change_of_the_users_list_counts_from_the_next_tick_and_a_mistake_leaves_it_as_it_was(
    sqlite_database: Database, tmp_path: Path, server: ProviderServer
) -> None:
    settings = live(tmp_path, server)
    (schedule,) = topic_schedules(settings, sqlite_database, Rules(settings))
    live(tmp_path, server, "    oops: [\n")
    schedule.run(NOW)
    assert len(server.seen("/mine")) == 1
    (tmp_path / "feeds.yaml").write_text("disable: all\n")
    schedule.run(NOW + timedelta(hours=2))
    assert len(server.requests) == 1


def test_a_list_with_a_mistake_is_refused_at_the_start(
    sqlite_database: Database, tmp_path: Path, server: ProviderServer
) -> None:
    settings = live(tmp_path, server, "disabled: []\n")
    with pytest.raises(FeedListRefused, match=r"feeds\.yaml:4: 'disabled' is not known here"):
        topic_schedules(settings, sqlite_database, Rules(settings))
