"""The news of the last 72 hours as topics, again and again: ids stay, what merges redirects.

The grouping is reckoned from a reading of the store, outside of any transaction, and written in one. Whoever
writes waits for a row of its own, and then looks whether anybody regrouped the same items meanwhile; if so,
all is reckoned anew. Where nothing changed, nothing is written.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.articles.engine import RuleSet
from backend.store.database import Database, bump
from backend.topics.feeds import article_store
from backend.topics.feeds.feed_list import Feed
from backend.topics.grouping import news_window
from backend.topics.grouping.categories import Moved, never_moved
from backend.topics.grouping.clustering import Headline, clusters
from backend.topics.grouping.headline_features import features
from backend.topics.grouping.news_window import Member
from backend.topics.grouping.outlets import Outlets
from backend.topics.grouping.topic_builder import TopicContext, build_topic
from backend.topics.grouping.topic_ids import identities
from backend.topics.model import NEWS_WINDOW, SCORE_CHANGE_THRESHOLD, Media, Topic
from backend.topics.store import topic_rows, topic_store
from backend.topics.tables import news_items, topics

LOCK = "topics-grouping"
"""The change counter whose row whoever writes a regrouping holds."""
ATTEMPTS = 3
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Regrouped:
    """What came of a regrouping: items of the window and their topics, how many topics are new, were
    written anew, and were merged into others."""

    items: int
    topics: int
    added: int = 0
    changed: int = 0
    merged: int = 0


class _Overtaken(Exception):
    """Another process regrouped these items meanwhile."""


def regroup(
    database: Database,
    rules: RuleSet,
    *,
    now: datetime,
    feeds: Iterable[Feed] = (),
    moved: Moved = never_moved,
) -> Regrouped:
    """Group the news items of the window that ends at ``now`` and store their topics, of realm ``live``.

    ``feeds`` tell who publishes what and how official that is; what they leave open the addresses tell.
    ``moved`` tells of large price moves. Repeating it without news changes nothing. Raises
    ``RuntimeError`` where others regroup the same items all the time.
    """
    context = TopicContext(rules, Outlets(rules.entities, feeds), now, moved)
    for _ in range(ATTEMPTS):
        plan = _planned(database, context)
        if plan.is_done:
            return plan.result
        try:
            with database.write() as connection:
                bump(connection, LOCK)
                return _written(connection, plan, now)
        except _Overtaken:
            continue
    raise RuntimeError("The news are regrouped by others all the time: look for schedules that run twice.")


def grouped(rules: RuleSet, items: Sequence[Member]) -> list[list[Member]]:
    """``items`` by the event that they tell, groups by their first member in time."""
    headlines = [
        Headline(one.title, one.language, one.published_at, features(rules, one.title, one.language))
        for one in items
    ]
    found: dict[int, list[Member]] = {}
    for member, label in zip(items, clusters(headlines), strict=True):
        found.setdefault(label, []).append(member)
    return [found[label] for label in sorted(found)]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be written: the topic of each group or None where it is stored so, their ids where they
    have some, the members that each is to have, ids to merge into which group, and what items left behind."""

    read: Mapping[int, int | None]
    """The topic of each item of the window, as it was read."""
    topics: Sequence[Topic | None]
    ids: Sequence[int | None]
    groups: Sequence[Sequence[Member]]
    merged: Mapping[int, int]
    left: Mapping[int, set[str]]
    """By topic, addresses of items that stand elsewhere now."""

    @property
    def is_done(self) -> bool:
        return not (self.left or self.merged or any(self.topics) or any(self.assigned(self.ids)))

    @property
    def result(self) -> Regrouped:
        written = [one.id for one in self.topics if one is not None]
        changed = {number for number in written if number is not None} | set(self.left)
        return Regrouped(
            len(self.read), len(self.groups), written.count(None), len(changed), len(self.merged)
        )

    def assigned(self, ids: Sequence[int | None]) -> dict[int, int]:
        """The topic of each member that stands in another one so far."""
        return {
            member.id: topic_id
            for topic_id, group in zip(ids, self.groups, strict=True)
            for member in group
            if topic_id is not None and member.topic_id != topic_id
        }


def _planned(database: Database, context: TopicContext) -> _Plan:
    with database.read() as connection:
        items = news_window.in_window(connection, context.now - NEWS_WINDOW, context.now)
        standing = _standing(connection, {one.topic_id for one in items if one.topic_id is not None})
    groups = grouped(context.rules, items)
    found = identities([[standing.get(one.topic_id or 0) for one in group] for group in groups])
    place = {number: index for index, number in enumerate(found.kept) if number is not None} | found.merged
    with database.read() as connection:
        older = news_window.of_topics(connection, sorted(place), items) if place else []
        stored = {one.id: one for one in topic_rows.read_topics(connection, sorted(place))}
    whole = [list(group) for group in groups]
    for member in older:
        whole[place[standing.get(member.topic_id or 0, member.topic_id or 0)]].append(member)
    built = [build_topic(context, group, number) for group, number in zip(whole, found.kept, strict=True)]
    left: dict[int, set[str]] = {}
    for group, number in zip(whole, found.kept, strict=True):
        for member in group:
            was = standing.get(member.topic_id or 0)
            if was is not None and was != number and was in found.kept:
                left.setdefault(was, set()).add(member.url)
    return _Plan(
        {one.id: one.topic_id for one in items},
        [None if _is_stored(one, stored.get(one.id)) else one for one in built],
        found.kept,
        whole,
        found.merged,
        left,
    )


def _standing(connection: Connection, ids: set[int]) -> dict[int, int]:
    """For each of ``ids`` that there is, the one that answers for it."""
    found: dict[int, int] = {}
    known = sorted(ids)
    stays = sa.func.coalesce(topics.c.merged_into, topics.c.id).label("stays")
    for at in range(0, len(known), _AT_ONCE):
        look = sa.select(topics.c.id, stays).where(topics.c.id.in_(known[at : at + _AT_ONCE]))
        found |= {row.id: row.stays for row in connection.execute(look)}
    return found


def _written(connection: Connection, plan: _Plan, now: datetime) -> Regrouped:
    if _topics_of(connection, plan.read) != plan.read:
        raise _Overtaken
    changed = [index for index, one in enumerate(plan.topics) if one is not None]
    given = [one for one in plan.topics if one is not None]
    ids = list(plan.ids)
    for index, number in zip(
        changed, topic_store.store_topics(connection, given, now=now, replace=True), strict=True
    ):
        ids[index] = number
    for gone, index in plan.merged.items():
        topic_store.merge_topic(connection, gone, _sure(ids[index]), now=now)
    for topic_id, urls in plan.left.items():
        stay = {member.url for member in plan.groups[ids.index(topic_id)]}
        for kind in ("article", "primary_source"):
            topic_store.remove_media(connection, topic_id, kind, urls - stay, now=now)
    article_store.assign_topics(connection, plan.assigned(ids))
    return plan.result


def _topics_of(connection: Connection, read: Mapping[int, int | None]) -> dict[int, int | None]:
    found: dict[int, int | None] = {}
    numbers = sorted(read)
    for at in range(0, len(numbers), _AT_ONCE):
        look = sa.select(news_items.c.id, news_items.c.topic_id)
        part = look.where(news_items.c.id.in_(numbers[at : at + _AT_ONCE]))
        found |= {row.id: row.topic_id for row in connection.execute(part)}
    return found


def _sure(topic_id: int | None) -> int:
    if topic_id is None:
        raise LookupError("a topic that others are merged into has no id")
    return topic_id


def _is_stored(built: Topic, stored: Topic | None) -> bool:
    """Whether a topic stands in the store as it is built, but for a little of its coverage."""
    if stored is None:
        return False
    fields = ("category", "published_at", "url", "cover_img", "entities")
    if any(getattr(built, name) != getattr(stored, name) for name in fields):
        return False
    if built.texts != {one: text for one, text in stored.texts.items() if text.origin != "model"}:
        return False
    if abs(built.coverage - stored.coverage) > SCORE_CHANGE_THRESHOLD * max(stored.coverage, 0.01):
        return False
    return {_content(one) for one in built.media} <= {_content(one) for one in stored.media}


def _content(item: Media) -> tuple[object, ...]:
    return (item.kind, item.url, item.title, item.summary, item.published_at, item.site_name, item.language)
