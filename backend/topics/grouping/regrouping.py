"""Groups the news of the last 72 hours into topics; ids stay stable, and merged topics redirect.

The grouping is computed from a read of the store, outside of any write transaction, and written in one. The
writer first locks a row and checks whether another process has regrouped the same items meanwhile; if so, the
grouping is computed again. If nothing changed, nothing is written.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.articles.engine import RuleSet
from backend.entities.model import Language
from backend.store.database import Database, bump
from backend.topics.feeds import article_store, cited_pages
from backend.topics.feeds.feed_list import Feed
from backend.topics.grouping import news_window
from backend.topics.grouping.categories import PriceMoveCheck, assume_no_price_move
from backend.topics.grouping.clustering import cluster_headlines
from backend.topics.grouping.headline_features import build_headline
from backend.topics.grouping.news_window import NewsArticle
from backend.topics.grouping.publishers import PublisherCatalogue
from backend.topics.grouping.topic_builder import TopicContext, build_topic
from backend.topics.grouping.topic_ids import assign_ids
from backend.topics.model import NEWS_WINDOW, SCORE_CHANGE_THRESHOLD, Media, Realm, Topic
from backend.topics.store import topic_rows, topic_store
from backend.topics.tables import news_items, topics

LOCK = "topics-grouping"
"""The change counter whose row the writer of a regrouping locks."""
MAX_ATTEMPTS = 3
BATCH_SIZE = 500


@dataclass(frozen=True, slots=True)
class RegroupResult:
    """The result of a regrouping: the numbers of items and topics in the window, and of topics that are new,
    changed, or merged into others. ``set_aside`` counts the items that report no single event."""

    items: int
    topics: int
    added: int = 0
    changed: int = 0
    merged: int = 0
    set_aside: int = 0


class _ConcurrentRegroupError(Exception):
    """Another process has regrouped these items meanwhile."""


def regroup(
    database: Database,
    rules: RuleSet,
    *,
    now: datetime,
    feeds: Iterable[Feed] = (),
    moved: PriceMoveCheck = assume_no_price_move,
    realm: Realm = "live",
    subtitles: Mapping[Language, str] = MappingProxyType({}),
) -> RegroupResult:
    """Group the news items of the window that ends at ``now`` and store their topics, of ``realm``.

    ``feeds`` determine the publishers and their kinds; for other items the URL does. ``moved`` detects large
    price moves. ``subtitles`` are those of every topic. A repeated call without new items changes nothing.
    Raises ``RuntimeError`` if other processes regroup the same items at every attempt.
    """
    publishers = PublisherCatalogue(rules.entities, feeds)
    context = TopicContext(rules, publishers, now, moved, realm=realm, subtitles=subtitles)
    for _ in range(MAX_ATTEMPTS):
        plan = _build_plan(database, context)
        if plan.has_no_changes:
            return plan.result
        try:
            with database.write() as connection:
                bump(connection, LOCK)
                return _write_plan(connection, plan, now)
        except _ConcurrentRegroupError:
            continue
    raise RuntimeError("Other processes keep regrouping the same news. Check for schedules that run twice.")


def group_members(
    rules: RuleSet, items: Sequence[NewsArticle], publishers: PublisherCatalogue | None = None
) -> list[list[NewsArticle]]:
    """Group ``items`` by event; groups are ordered by their earliest member. ``publishers`` tell which of
    them are releases of an authority."""
    headlines = [
        build_headline(
            rules,
            item.title,
            item.language,
            item.published_at,
            item.text,
            release_of=publishers.get_publisher_key(item)
            if publishers is not None and publishers.is_official_body(item)
            else "",
        )
        for item in items
    ]
    groups_by_label: dict[int, list[NewsArticle]] = {}
    for member, label in zip(items, cluster_headlines(headlines), strict=True):
        groups_by_label.setdefault(label, []).append(member)
    return [groups_by_label[label] for label in sorted(groups_by_label)]


@dataclass(frozen=True, slots=True)
class _Plan:
    """The changes to write. ``topics`` holds the topic of each group, None if it is stored unchanged; ``ids``
    their ids, None for new ones; ``groups`` their members. ``merged`` maps ids to the index of the group that
    they are merged into."""

    stored_topic_ids: Mapping[int, int | None]
    """The topic of each item of the window, as read from the store."""
    topics: Sequence[Topic | None]
    ids: Sequence[int | None]
    groups: Sequence[Sequence[NewsArticle]]
    merged: Mapping[int, int]
    removed_urls: Mapping[int, set[str]]
    """URLs of items that moved to another topic or to none, by their former topic."""
    set_aside: Sequence[NewsArticle] = ()
    """Items that report no single event; they belong to no topic."""
    detached_ids: frozenset[int] = frozenset()
    """Items that are set aside and belonged to a topic that has other members."""

    @property
    def has_no_changes(self) -> bool:
        return not (
            self.removed_urls
            or self.merged
            or self.detached_ids
            or any(self.topics)
            or any(self.find_moved_members(self.ids))
        )

    @property
    def result(self) -> RegroupResult:
        written_ids = [topic.id for topic in self.topics if topic is not None]
        changed = {number for number in written_ids if number is not None} | set(self.removed_urls)
        return RegroupResult(
            len(self.stored_topic_ids),
            len(self.groups),
            written_ids.count(None),
            len(changed),
            len(self.merged),
            len(self.set_aside),
        )

    def find_moved_members(self, ids: Sequence[int | None]) -> dict[int, int]:
        """Return the new topic of each member that moves to another topic."""
        return {
            member.id: topic_id
            for topic_id, group in zip(ids, self.groups, strict=True)
            for member in group
            if topic_id is not None and member.topic_id != topic_id
        }


def _build_plan(database: Database, context: TopicContext) -> _Plan:
    with database.read() as connection:
        since = context.now - NEWS_WINDOW
        items = news_window.load_window(connection, since, context.now, context.realm)
        representatives = news_window.load_representatives(connection, since, items, context.realm)
        current_topics = _resolve_topics(
            connection, {item.topic_id for item in [*items, *representatives] if item.topic_id is not None}
        )
    reports = [item for item in items if context.find_kind(item) is None]
    set_aside = [item for item in items if context.find_kind(item) is not None]
    representing = {member.id for member in representatives}
    groups = [
        group
        for group in group_members(context.rules, [*representatives, *reports], context.publishers)
        if any(member.id not in representing for member in group)
    ]
    assigned_ids = assign_ids(
        [[current_topics.get(member.topic_id or 0) for member in group] for group in groups]
    )
    group_of = {
        number: index for index, number in enumerate(assigned_ids.group_ids) if number is not None
    } | assigned_ids.merged
    with database.read() as connection:
        older = news_window.load_topic_members(connection, sorted(group_of), items) if group_of else []
        stored = {topic.id: topic for topic in topic_rows.read_topics(connection, sorted(group_of))}
        urls = (link.url for member in (*items, *older) for link in member.links)
        context = replace(context, pages=cited_pages.load_pages(connection, urls))
    all_members = [list(group) for group in groups]
    grouped_representatives = {member.id for group in groups for member in group} & representing
    for member in older:
        if member.id in grouped_representatives or context.find_kind(member) is not None:
            continue
        all_members[group_of[current_topics.get(member.topic_id or 0, member.topic_id or 0)]].append(member)
    built = [
        build_topic(context, group, number)
        for group, number in zip(all_members, assigned_ids.group_ids, strict=True)
    ]
    removed_urls: dict[int, set[str]] = {}
    for group, number in zip(all_members, assigned_ids.group_ids, strict=True):
        for member in group:
            former = current_topics.get(member.topic_id or 0)
            if former is not None and former != number and former in assigned_ids.group_ids:
                removed_urls.setdefault(former, set()).add(member.url)
    detached = [item for item in set_aside if current_topics.get(item.topic_id or 0) in group_of]
    for member in detached:
        former = current_topics[member.topic_id or 0]
        if former in assigned_ids.group_ids:
            removed_urls.setdefault(former, set()).add(member.url)
    return _Plan(
        {item.id: item.topic_id for item in items},
        [None if _is_unchanged(topic, stored.get(topic.id)) else topic for topic in built],
        assigned_ids.group_ids,
        all_members,
        assigned_ids.merged,
        removed_urls,
        set_aside,
        frozenset(member.id for member in detached),
    )


def _resolve_topics(connection: Connection, ids: set[int]) -> dict[int, int]:
    """Map each existing id to the topic that it redirects to, or to itself."""
    current_ids: dict[int, int] = {}
    sorted_ids = sorted(ids)
    target = sa.func.coalesce(topics.c.merged_into, topics.c.id).label("target")
    for at in range(0, len(sorted_ids), BATCH_SIZE):
        selected = sa.select(topics.c.id, target).where(topics.c.id.in_(sorted_ids[at : at + BATCH_SIZE]))
        current_ids |= {row.id: row.target for row in connection.execute(selected)}
    return current_ids


def _write_plan(connection: Connection, plan: _Plan, now: datetime) -> RegroupResult:
    if _load_topic_ids(connection, plan.stored_topic_ids) != plan.stored_topic_ids:
        raise _ConcurrentRegroupError
    changed = [index for index, topic in enumerate(plan.topics) if topic is not None]
    changed_topics = [topic for topic in plan.topics if topic is not None]
    ids = list(plan.ids)
    for index, number in zip(
        changed, topic_store.store_topics(connection, changed_topics, now=now, replace=True), strict=True
    ):
        ids[index] = number
    for merged_id, index in plan.merged.items():
        topic_store.merge_topic(connection, merged_id, _require_id(ids[index]), now=now)
    for topic_id, urls in plan.removed_urls.items():
        kept_urls = {member.url for member in plan.groups[ids.index(topic_id)]}
        for kind in ("article", "primary_source"):
            topic_store.remove_media(connection, topic_id, kind, urls - kept_urls, now=now)
    article_store.assign_topics(
        connection, {**plan.find_moved_members(ids), **dict.fromkeys(plan.detached_ids)}
    )
    return plan.result


def _load_topic_ids(
    connection: Connection, stored_topic_ids: Mapping[int, int | None]
) -> dict[int, int | None]:
    topic_ids: dict[int, int | None] = {}
    numbers = sorted(stored_topic_ids)
    for at in range(0, len(numbers), BATCH_SIZE):
        selected = sa.select(news_items.c.id, news_items.c.topic_id)
        part = selected.where(news_items.c.id.in_(numbers[at : at + BATCH_SIZE]))
        topic_ids |= {row.id: row.topic_id for row in connection.execute(part)}
    return topic_ids


def _require_id(topic_id: int | None) -> int:
    if topic_id is None:
        raise LookupError("The target of a merge has no id.")
    return topic_id


def _is_unchanged(built: Topic, stored: Topic | None) -> bool:
    """True if the stored topic equals the built one, apart from a small change of its coverage."""
    if stored is None:
        return False
    fields = ("category", "published_at", "url", "cover_img", "entities")
    if any(getattr(built, name) != getattr(stored, name) for name in fields):
        return False
    if built.texts != {code: text for code, text in stored.texts.items() if text.origin != "model"}:
        return False
    if abs(built.coverage - stored.coverage) > SCORE_CHANGE_THRESHOLD * max(stored.coverage, 0.01):
        return False
    return {_get_content(item) for item in built.media} <= {_get_content(item) for item in stored.media}


def _get_content(item: Media) -> tuple[object, ...]:
    return (item.kind, item.url, item.title, item.summary, item.published_at, item.site_name, item.language)
