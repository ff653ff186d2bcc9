"""The schedules of topics."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from backend.articles.rules.active_rules import ActiveRules
from backend.jobs.schedules import Schedule
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.tables import news_items
from backend.topics.tasks import REPORTS, SAMPLE_NEWS, FeedListReader, OnNews, feed_schedule, topic_schedules
from tests.backend.topics.conftest import stored_topics
from tests.support.providers.feeds import NOW, item, rss
from tests.support.providers.provider_server import Behaviour, ProviderServer
from tests.support.providers.x_server import TOKEN, XServer, post


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        running.always("/mine", Behaviour(body=rss([item(1)]), content_type="text/xml"))
        yield running


def build_live_settings(home: Path, server: ProviderServer, fields: str = "") -> Settings:
    feed_yaml = f"{{id: mine, name: Mine, url: '{server.url}/mine', language: en, kind: blog}}"
    (home / "feeds.yaml").write_text(f"disable: all\nfeeds:\n  - {feed_yaml}\n{fields}")
    return Settings(mode="live", home=home, fetch_allow=(f"127.0.0.1:{server.port}",))


def build_feed_schedule(settings: Settings, database: Database, on_news: OnNews = lambda _: None) -> Schedule:
    return feed_schedule(settings, database, ActiveRules(settings), FeedListReader(settings), on_news=on_news)


def test_sample_mode_has_no_schedule_that_uses_the_network(sqlite_database: Database, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    result = topic_schedules(settings, sqlite_database, ActiveRules(settings))
    assert [schedule.name for schedule in result] == [REPORTS, "topics-index", SAMPLE_NEWS]


def test_live_mode_polls_feeds_groups_articles_and_writes_reports(
    sqlite_database: Database, tmp_path: Path, server: ProviderServer
) -> None:
    settings = build_live_settings(tmp_path, server)
    result = {
        schedule.name: schedule
        for schedule in topic_schedules(settings, sqlite_database, ActiveRules(settings))
    }
    assert sorted(result) == [
        "news-retention",
        "topics-cited-pages",
        "topics-feeds",
        "topics-grouping",
        "topics-index",
        REPORTS,
    ]
    result["topics-feeds"].run(NOW)
    assert len(stored_topics(sqlite_database, "live")) == 1


def test_posts_are_read_with_a_valid_token_and_other_schedules_work_without(
    sqlite_database: Database, tmp_path: Path, server: ProviderServer
) -> None:
    base = build_live_settings(tmp_path, server)

    def build_schedules(token: str) -> dict[str, Schedule]:
        settings = base.model_copy(update={"x_bearer_token": SecretStr(token), "x_base_url": x.url})
        result = topic_schedules(settings, sqlite_database, ActiveRules(settings))
        return {schedule.name: schedule for schedule in result}

    with XServer() as x:
        x.x.found["news.example/1"] = [post(11, "x", NOW, likes=9)]
        result = build_schedules(TOKEN)
        result["topics-feeds"].run(NOW)
        result["topics-posts"].run(NOW)
        (topic,) = stored_topics(sqlite_database, "live")
        assert [item.url for item in topic.media if item.kind == "tweet"] == ["https://x.com/i/web/status/11"]
        broken = build_schedules("two\nlines")
    assert (result.keys() - broken.keys(), broken.keys() - result.keys()) == ({"topics-posts"}, set())


def test_old_articles_are_deleted_on_schedule(
    sqlite_database: Database, tmp_path: Path, server: ProviderServer
) -> None:
    settings = build_live_settings(tmp_path, server)
    result = {
        schedule.name: schedule
        for schedule in topic_schedules(settings, sqlite_database, ActiveRules(settings))
    }
    result["topics-feeds"].run(NOW)
    (tmp_path / "feeds.yaml").write_text("disable: all\n")
    result["topics-feeds"].run(NOW + timedelta(hours=1))
    for days, left in ((30, 1), (31, 0)):
        result["news-retention"].run(NOW + timedelta(days=days))
        with sqlite_database.read() as connection:
            assert len(connection.execute(sa.select(news_items.c.id)).all()) == left


def test_the_news_callback_runs_only_after_new_articles(
    sqlite_database: Database, tmp_path: Path, server: ProviderServer
) -> None:
    notified: list[datetime] = []
    schedule = build_feed_schedule(build_live_settings(tmp_path, server), sqlite_database, notified.append)
    for minutes in (0, 1, 30):
        schedule.run(NOW + timedelta(minutes=minutes))
    assert (schedule.every_seconds, notified) == (60, [NOW])
    assert len(server.seen("/mine")) == 2


def test_a_changed_feed_list_applies_from_the_next_tick_unless_it_has_an_error(
    sqlite_database: Database, tmp_path: Path, server: ProviderServer
) -> None:
    schedule = build_feed_schedule(build_live_settings(tmp_path, server), sqlite_database)
    build_live_settings(tmp_path, server, "    oops: [\n")
    schedule.run(NOW)
    assert len(server.seen("/mine")) == 1
    (tmp_path / "feeds.yaml").write_text("disable: all\n")
    schedule.run(NOW + timedelta(hours=2))
    assert len(server.requests) == 1


def test_with_an_invalid_feed_list_the_shipped_one_is_used(tmp_path: Path, server: ProviderServer) -> None:
    listed = FeedListReader(build_live_settings(tmp_path, server, "disabled: []\n"))
    assert "mine" not in listed.current.by_id
    assert len(listed.current.enabled) > 20
    build_live_settings(tmp_path, server)
    listed.refresh()
    assert list(listed.current.enabled) == [listed.current.by_id["mine"]]
