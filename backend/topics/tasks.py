"""Defines the schedules of topics. Each tick runs once across all processes."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import datetime, timedelta

import structlog

from backend.articles.engine import RuleSet
from backend.articles.rules.active_rules import ActiveRules
from backend.jobs.schedules import HOUR, Schedule
from backend.language_model.client import LanguageModel
from backend.markets.sources_by_mode import build_realm
from backend.settings import Settings
from backend.store.database import Database
from backend.topics import retention
from backend.topics.feeds.cited_pages import delete_old_pages, read_cited_pages
from backend.topics.feeds.feed_list import Feed, FeedList, InvalidFeedListError, load_configured, load_feeds
from backend.topics.feeds.fetching import refresh_feeds
from backend.topics.generated_texts.writer import Writer
from backend.topics.grouping.price_moves import PriceMoves
from backend.topics.grouping.regrouping import RegroupResult, regroup
from backend.topics.posts import post_store, search_schedule
from backend.topics.posts.fetching import fetch_posts
from backend.topics.posts.x_api import XApi
from backend.topics.reports.publishing import ReportPublisher
from backend.topics.sample_news.publishing import SampleNewsPublisher
from backend.topics.service import visible_realms
from backend.topics.store import topic_store

log = structlog.get_logger(__name__)

OnNews = Callable[[datetime], None]
REPORTS = "topics-reports"
SAMPLE_NEWS = "topics-sample-news"
MODEL_TEXTS = "topics-model-texts"
MAX_INDEXED_PER_TICK = 10_000
"""Topics of an earlier version that one tick indexes."""


def topic_schedules(settings: Settings, database: Database, rules: ActiveRules) -> list[Schedule]:
    """Return the schedules of the mode. Both modes write reports. Sample mode also publishes made-up news.
    Live mode also polls feeds, groups their articles into topics, reads posts on them, and writes texts with
    a model."""
    reporter = ReportPublisher(settings, database, rules)

    def report(now: datetime) -> None:
        rules.refresh()
        reporter.publish(now)

    reports = Schedule(REPORTS, 300, report, "Write the market reports that are due.")

    def index_outdated(now: datetime) -> None:
        indexed = topic_store.index_outdated(database, now=now, limit=MAX_INDEXED_PER_TICK)
        if indexed:
            log.info("topics_indexed", topics=indexed)

    index_schedule = Schedule(
        "topics-index", 300, index_outdated, "Index the topics that an earlier version stored."
    )
    if settings.mode == "replay":  # recorded figures are no news
        return [index_schedule]
    if settings.mode == "sample":
        return [reports, index_schedule, sample_news_schedule(settings, database, rules)]
    feed_list_reader = FeedListReader(settings)

    def group(now: datetime) -> None:
        regrouped = group_news(settings, database, rules.current, feed_list_reader.current.enabled, now=now)
        log.info("news_grouped", **asdict(regrouped))

    description = "Group the news of three days again, because coverage decays without new items."
    return [
        reports,
        index_schedule,
        feed_schedule(settings, database, rules, feed_list_reader, on_news=group),
        cited_page_schedule(settings, database, rules, on_news=group),
        Schedule("topics-grouping", 600, group, description),
        *post_schedules(settings, database, rules),
        retention_schedule(settings, database, feed_list_reader),
        *model_schedules(settings, database, rules),
    ]


def sample_news_schedule(settings: Settings, database: Database, rules: ActiveRules) -> Schedule:
    """Return the schedule that publishes the made-up news of sample mode."""
    publisher = SampleNewsPublisher(settings, database, rules)
    return Schedule(SAMPLE_NEWS, 300, publisher.publish, "Publish the made-up news that is due.")


def group_news(
    settings: Settings, database: Database, rules: RuleSet, feeds: Iterable[Feed], *, now: datetime
) -> RegroupResult:
    """Group the news of the window that ends at ``now`` into topics."""
    price_moves = PriceMoves(database, build_realm(settings), rules.entities, now=now)
    return regroup(database, rules, now=now, feeds=feeds, moved=price_moves)


def model_schedules(settings: Settings, database: Database, rules: ActiveRules) -> list[Schedule]:
    """Return the schedule that writes due texts every minute; none without a configured model."""
    model = LanguageModel.from_settings(settings, database)
    if model is None or not settings.model_topics:
        return []
    writer = Writer(settings, database, rules, model, visible_realms(settings))

    def write(now: datetime) -> None:
        rules.refresh()
        writer.write(now)

    return [
        Schedule(MODEL_TEXTS, 60, write, "Have the language model write due texts, within its cost limit.")
    ]


class FeedListReader:
    """Reads the configured feeds on request. While the user's file has an error, the last valid list stays in
    use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._problem = ""
        self.current: FeedList = load_feeds()
        self.refresh()

    def refresh(self) -> None:
        """Read the list again. The same error is logged once."""
        try:
            self.current, self._problem = load_configured(self._settings), ""
        except InvalidFeedListError as refused:
            if str(refused) != self._problem:
                self._problem = str(refused)
                log.warning("feeds_rejected", errors=[str(error) for error in refused.errors[:5]])


def post_schedules(settings: Settings, database: Database, rules: ActiveRules) -> list[Schedule]:
    """Return the schedule that reads posts; none without a token. A token that cannot be sent is logged."""
    try:
        api = XApi.from_settings(settings)
    except ValueError as error:
        log.error("x_not_available", reason=str(error))
        return []
    if api is None:
        return []

    is_first = True

    def read(now: datetime) -> None:
        nonlocal is_first
        rules.refresh()
        fetch_result = fetch_posts(
            settings, database, rules.current.entities, api, now=now, is_first=is_first
        )
        is_first = False
        if fetch_result.pages or fetch_result.counted or fetch_result.refused:
            log.info("posts_fetched", **asdict(fetch_result))

    return [Schedule("topics-posts", 60, read, "Run due searches for posts, and refresh their counts.")]


def cited_page_schedule(
    settings: Settings, database: Database, rules: ActiveRules, *, on_news: OnNews
) -> Schedule:
    """Return the schedule that reads the official pages that articles link to. ``on_news`` is called when
    pages were read."""

    def read(now: datetime) -> None:
        report = read_cited_pages(settings, database, rules.current.entities, now=now)
        if report.read or report.failed:
            log.info("cited_pages_read", **asdict(report))
        if report.read:
            on_news(now)

    return Schedule("topics-cited-pages", 120, read, "Read the official pages that articles link to.")


def retention_schedule(settings: Settings, database: Database, listed: FeedListReader) -> Schedule:
    def delete_old(now: datetime) -> None:
        keep = timedelta(days=settings.news_keep_days)
        enabled_feeds = {feed.id for feed in listed.current.enabled}
        deleted = {
            "articles": retention.delete_unneeded_articles(database, enabled_feeds, max_age=keep, now=now)
        }
        with database.write() as connection:
            search_schedule.delete_old_searches(connection, now)
            deleted["posts"] = post_store.delete_old_posts(connection, now)
            deleted["cited_pages"] = delete_old_pages(connection, now)
        if any(deleted.values()):
            log.info("old_news_deleted", **deleted)

    return Schedule(
        "news-retention", HOUR, delete_old, "Delete articles and posts that are no longer needed."
    )


def feed_schedule(
    settings: Settings, database: Database, rules: ActiveRules, listed: FeedListReader, *, on_news: OnNews
) -> Schedule:
    """Return the schedule that polls due feeds every minute. ``on_news`` is called when articles are new or
    changed."""

    def refresh(now: datetime) -> None:
        listed.refresh()
        rules.refresh()
        report = refresh_feeds(settings, database, rules, now=now, configured=listed.current)
        if report.results:
            log.info("feeds_refreshed", **report.as_dict())
        if report.has_changes:
            on_news(now)

    return Schedule("topics-feeds", 60, refresh, "Poll due feeds, and store new articles.")
