"""The made-up news of sample mode."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from backend.articles.rules.active_rules import ActiveRules
from backend.entities.model import LANGUAGES, Language
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.grouping.regrouping import regroup
from backend.topics.insights.model import InsightFacts
from backend.topics.insights.service import InsightService
from backend.topics.model import NEWS_WINDOW, Category, Topic
from backend.topics.sample_news.publishing import SampleNewsPublisher
from backend.topics.sample_news.stories import (
    CYCLE_DAYS,
    Story,
    fill_dates,
    list_due_stories,
    load_feeds,
    load_subtitles,
)
from backend.topics.service import visible_realms
from backend.topics.tables import news_items, topics
from tests.backend.topics.conftest import stored_topics
from tests.support.store import databases

DAY = next(
    day
    for day in (date(2026, 3, 1) + timedelta(days=n) for n in range(9))
    if day.toordinal() % CYCLE_DAYS == 0
)
"""A first day of the cycle of stories."""
NIGHT = [
    datetime(DAY.year, DAY.month, DAY.day, 23, tzinfo=UTC) + timedelta(days=n) for n in range(CYCLE_DAYS)
]
"""The end of each day of the cycle."""
SET_ASIDE = "week-roundup"


class News:
    """A store, and the news that is published into it."""

    def __init__(self, database: Database, home: Path) -> None:
        self.database = database
        self.settings = Settings(home=home)
        self.rules = ActiveRules(self.settings)
        self.publisher = SampleNewsPublisher(self.settings, database, self.rules)

    def find_topic(self, name: str) -> Topic:
        (found,) = [topic for topic in stored_topics(self.database, "sample") if f"/{name}-" in topic.url]
        return found

    def collect_facts(self, topic: Topic, now: datetime, language: Language = "en") -> InsightFacts:
        realms = visible_realms(self.settings)
        service = InsightService(self.settings, self.database, self.rules, realms, now=lambda: now)
        return service.facts(topic, language)


@pytest.fixture(scope="module")
def cycle(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[News, dict[str, Topic], dict[str, InsightFacts]]]:
    """The news of a whole cycle, published day by day: the topic of each story at the end of its day, and the
    facts of its English insight."""
    home = tmp_path_factory.mktemp("news")
    with databases.create_database("sqlite", home) as url:
        database = Database(url)
        news = News(database, home)
        found: dict[str, Topic] = {}
        facts: dict[str, InsightFacts] = {}
        for now in NIGHT:
            news.publisher.publish(now)
            for story in list_stories_of(now):
                if story.name != SET_ASIDE:
                    found[story.name] = news.find_topic(story.name)
                    facts[story.name] = news.collect_facts(found[story.name], now)
        yield news, found, facts
        database.dispose()


@pytest.fixture
def news(sqlite_database: Database, tmp_path: Path) -> News:
    return News(sqlite_database, tmp_path)


Cycle = tuple[News, dict[str, Topic], dict[str, InsightFacts]]


def list_stories_of(now: datetime) -> list[Story]:
    return [story for story in list_due_stories(now) if story.day == now.date()]


def test_the_same_moment_has_the_same_news_and_none_of_the_future() -> None:
    for hour in range(0, CYCLE_DAYS * 24, 5):
        now = NIGHT[0] + timedelta(hours=hour)
        due = list_due_stories(now)
        assert due == list_due_stories(now)
        times = [entry.published_at for story in due for _, entry in story.reports]
        times += [post.published_at for story in due for post in story.posts]
        assert all(at is not None and at <= now for at in times)


def test_each_day_has_new_stories_and_a_story_ends_before_it_comes_again() -> None:
    counts = [len(list_stories_of(now)) for now in NIGHT]
    assert sum(counts) >= 12
    assert min(counts) >= 2
    assert timedelta(days=CYCLE_DAYS - 1) > NEWS_WINDOW
    for now in NIGHT:
        names = Counter(story.name for story in list_due_stories(now))
        assert set(names.values()) == {1}


def test_every_story_has_reports_and_posts_in_three_languages() -> None:
    for now in NIGHT:
        for story in list_stories_of(now):
            if story.name != SET_ASIDE:
                assert {feed.language for feed, _ in story.reports} == set(LANGUAGES)
                assert {post.language for post in story.posts} == set(LANGUAGES)


def test_outlets_are_named_as_samples_and_their_hosts_belong_to_nobody() -> None:
    named = {"en": "Sample ", "ja": "サンプル", "zh": "示例"}
    for (_, language), feed in load_feeds().items():
        assert feed.name.startswith(named[language])
        assert re.match(r"https://sample-[a-z]+\.example/", feed.url)


@pytest.mark.parametrize(
    ("language", "written"),
    [("en", "March 4 Wednesday February"), ("ja", "3月4日 水曜日 2月"), ("zh", "3月4日 周三 2月")],
)
def test_dates_in_a_text_are_relative_to_the_day_of_publication(language: Language, written: str) -> None:
    assert fill_dates("{date+3} {weekday+3} {month-1}", date(2026, 3, 1), language) == written


def test_every_story_becomes_one_topic_in_three_languages_that_says_it_is_made_up(cycle: Cycle) -> None:
    _, found, _ = cycle
    assert len(found) == len({topic.id for topic in found.values()}) >= 12
    for topic in found.values():
        assert set(topic.texts) == set(LANGUAGES)
        assert {code: text.subtitle for code, text in topic.texts.items()} == dict(load_subtitles())
        assert topic.realm == "sample"
        assert topic.external_id is None


def test_every_report_of_a_story_is_in_its_topic_and_round_ups_are_in_none(cycle: Cycle) -> None:
    _, found, _ = cycle
    for now in NIGHT:
        for story in list_stories_of(now):
            urls = {entry.url for _, entry in story.reports}
            if story.name == SET_ASIDE:
                assert not urls.intersection(item.url for topic in found.values() for item in topic.media)
            else:
                told = {item.url for item in found[story.name].media if item.kind != "tweet"}
                assert told == urls
                assert sum(item.kind == "tweet" for item in found[story.name].media) == len(story.posts)


def test_news_of_every_category_is_among_the_stories(cycle: Cycle) -> None:
    assert {topic.category for topic in cycle[1].values()} == set(Category)


def test_insights_find_differing_figures_denials_open_questions_and_dates_in_the_texts(cycle: Cycle) -> None:
    facts = cycle[2]
    assert all(one.sources and one.points for one in facts.values())
    assert sum(bool(one.differences) for one in facts.values()) >= 4
    assert sum(bool(one.unknowns) for one in facts.values()) >= 8
    assert sum(bool(one.no_comments) for one in facts.values()) >= 2
    assert all(one.next_dates for one in facts.values())
    assert facts["exchange-fine"].denials
    assert facts["stablecoin-reserve"].denials
    assert [source.name for source in facts["exchange-fine"].sources if source.official] == [
        "Sample Authority"
    ]


def test_a_story_that_goes_on_names_its_earlier_topic_in_every_language(news: News) -> None:
    for now in NIGHT[:2]:
        news.publisher.publish(now)
    first, second = news.find_topic("bridge-exploit"), news.find_topic("bridge-refund")
    for language in LANGUAGES:
        facts = news.collect_facts(second, NIGHT[1], language)
        assert [related.id for related in facts.related] == [first.id]


def test_publishing_again_changes_nothing(news: News) -> None:
    news.publisher.publish(NIGHT[0])
    before = stored_topics(news.database, "sample")
    counters = [news.database.read_counter(name) for name in ("news", "topics")]
    News(news.database, news.settings.home).publisher.publish(NIGHT[0])
    assert stored_topics(news.database, "sample") == before
    assert [news.database.read_counter(name) for name in ("news", "topics")] == counters


def test_old_stories_are_deleted_with_their_articles(news: News) -> None:
    news.publisher.publish(NIGHT[0])
    old_urls = {topic.url for topic in stored_topics(news.database, "sample")}
    later = NIGHT[0] + NEWS_WINDOW + timedelta(days=1)
    news.publisher.publish(later)
    assert old_urls.isdisjoint(topic.url for topic in stored_topics(news.database, "sample"))
    with news.database.read() as connection:
        oldest = connection.execute(sa.select(sa.func.min(news_items.c.published_at))).scalar_one()
    assert oldest >= later - NEWS_WINDOW


def test_reports_that_were_stored_but_not_grouped_are_grouped_by_the_next_call(news: News) -> None:
    news.publisher.publish(NIGHT[0])
    expected = len(stored_topics(news.database, "sample"))
    with news.database.write() as connection:
        connection.execute(sa.update(news_items).values(topic_id=None))
        connection.execute(sa.delete(topics).where(topics.c.realm == "sample"))
    news.publisher.publish(NIGHT[0])
    assert len(stored_topics(news.database, "sample")) == expected


def test_live_mode_groups_none_of_it_and_does_not_show_it(news: News) -> None:
    news.publisher.publish(NIGHT[0])
    result = regroup(news.database, news.rules.current, now=NIGHT[0])
    assert result.items == result.topics == 0
    assert stored_topics(news.database, "live") == []
    assert "sample" not in visible_realms(Settings(mode="live"))
