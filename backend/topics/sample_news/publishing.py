"""Stores the made-up news that is due and groups it into topics, with the functions that serve live news."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

import sqlalchemy as sa
import structlog

from backend.articles.engine import RuleSet
from backend.articles.rules.active_rules import ActiveRules
from backend.markets.sources_by_mode import build_realm
from backend.settings import Settings
from backend.store.database import Database
from backend.topics import canonical_urls
from backend.topics.feeds import article_store
from backend.topics.feeds.entry_analysis import build_drafts
from backend.topics.feeds.feed_list import Feed
from backend.topics.feeds.parsing import Entry, ParsedFeed
from backend.topics.feeds.polling_interval import PollingHints
from backend.topics.grouping.article_kinds import find_kind
from backend.topics.grouping.news_window import is_of_realm
from backend.topics.grouping.price_moves import PriceMoves
from backend.topics.grouping.regrouping import regroup
from backend.topics.model import Media
from backend.topics.sample_news.stories import Story, list_due_stories, load_feeds, load_subtitles
from backend.topics.store import topic_store
from backend.topics.store.media_store import hash_url
from backend.topics.tables import news_items, topic_media, topics

log = structlog.get_logger(__name__)


class SampleNewsPublisher:
    """Publishes made-up news for one process."""

    def __init__(self, settings: Settings, database: Database, rules: ActiveRules) -> None:
        self._settings = settings
        self._database = database
        self._rules = rules

    def publish(self, now: datetime) -> None:
        """Store the reports and posts that are due, and delete the stories that no longer are."""
        due = list_due_stories(now)
        rules = self._rules.current
        self._delete_old(due)
        self._store_articles([report for story in due for report in story.reports], rules, now)
        if self._has_ungrouped():
            price_moves = PriceMoves(self._database, build_realm(self._settings), rules.entities, now=now)
            regrouped = regroup(
                self._database,
                rules,
                now=now,
                feeds=load_feeds().values(),
                moved=price_moves,
                realm="sample",
                subtitles=load_subtitles(),
            )
            log.info("sample_news_grouped", **asdict(regrouped))
        self._store_posts(due, now)

    def _has_ungrouped(self) -> bool:
        """True if a stored report has no topic yet. Round-ups and opinions never get one."""
        columns = (news_items.c.title, news_items.c.language, news_items.c.text, news_items.c.url)
        with self._database.read() as connection:
            selected = sa.select(*columns).where(is_of_realm("sample"), news_items.c.topic_id.is_(None))
            return any(find_kind(*row) is None for row in connection.execute(selected))

    def _store_articles(self, reports: Sequence[tuple[Feed, Entry]], rules: RuleSet, now: datetime) -> None:
        """Store the reports that are not stored yet, each by the feed of its outlet."""
        stored_keys = self._load_keys()
        new_entries: dict[Feed, list[Entry]] = {}
        for feed, entry in reports:
            if canonical_urls.build_page_key(entry.url) not in stored_keys:
                new_entries.setdefault(feed, []).append(entry)
        official_ids = {feed.id for feed in load_feeds().values() if feed.is_official}
        drafts = {
            feed.id: build_drafts(
                feed, ParsedFeed(feed.name, None, tuple(entries), 0, PollingHints()), rules, now=now
            ).drafts
            for feed, entries in new_entries.items()
        }
        if drafts:
            with self._database.write() as connection:
                for feed_id, new in drafts.items():
                    article_store.store_articles(connection, feed_id, new, official=official_ids, now=now)

    def _load_keys(self) -> set[str]:
        with self._database.read() as connection:
            selected = sa.select(news_items.c.url_key).where(is_of_realm("sample"))
            return set(connection.execute(selected).scalars())

    def _delete_old(self, due: Iterable[Story]) -> None:
        """Delete the articles that are not due, and the topics that have no article left."""
        due_keys = {canonical_urls.build_page_key(entry.url) for story in due for _, entry in story.reports}
        if old_keys := self._load_keys() - due_keys:
            with self._database.write() as connection:
                connection.execute(sa.delete(news_items).where(news_items.c.url_key.in_(old_keys)))
                remaining = sa.select(news_items.c.topic_id).where(
                    is_of_realm("sample"), news_items.c.topic_id.is_not(None)
                )
                old_topics = sa.select(topics.c.id).where(
                    topics.c.realm == "sample",
                    topics.c.event.is_(None),
                    topics.c.merged_into.is_(None),
                    topics.c.id.not_in(remaining),
                )
                topic_store.delete_topics(connection, list(connection.execute(old_topics).scalars()))

    def _store_posts(self, due: Iterable[Story], now: datetime) -> None:
        """Add the posts of each story to the topic of its first report that has one."""
        posts = {story.reports[0][1].url: list(story.posts) for story in due if story.posts}
        with self._database.read() as connection:
            topic_ids = _load_topic_ids(connection, posts)
            stored_keys = _load_post_keys(connection, topic_ids.values())
        new_posts: dict[int, list[Media]] = {}
        for url, topic_id in topic_ids.items():
            new_posts[topic_id] = [post for post in posts[url] if hash_url(post.url) not in stored_keys]
        if any(new_posts.values()):
            with self._database.write() as connection:
                for topic_id, items in new_posts.items():
                    if items:
                        topic_store.add_media(connection, topic_id, items, now=now)


def _load_topic_ids(connection: sa.engine.Connection, urls: Collection[str]) -> Mapping[str, int]:
    """Map the URLs of articles to their topics."""
    keys = {canonical_urls.build_page_key(url): url for url in urls}
    selected = sa.select(news_items.c.url_key, news_items.c.topic_id).where(
        news_items.c.url_key.in_(keys), news_items.c.topic_id.is_not(None)
    )
    return {keys[row.url_key]: row.topic_id for row in connection.execute(selected)}


def _load_post_keys(connection: sa.engine.Connection, topic_ids: Collection[int]) -> set[str]:
    selected = sa.select(topic_media.c.url_key).where(
        topic_media.c.topic_id.in_(topic_ids), topic_media.c.kind == "tweet"
    )
    return set(connection.execute(selected).scalars())
