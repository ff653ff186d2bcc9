"""The posts of topics as they are stored, and as media that make their topics' scores.

A post belongs to the one topic that it was found for first, and is one item of that topic's media however
often and under whatever address it comes: what is counted is counted once.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.entities.model import LANGUAGES, Entity
from backend.store.database import Database, upsert
from backend.topics.model import Media, Topic
from backend.topics.posts import scoring
from backend.topics.posts.model import Metrics, Post
from backend.topics.queries.ranking import RANKING_WINDOW
from backend.topics.store import topic_store
from backend.topics.store.topic_rows import parse_media
from backend.topics.tables import topic_media, topic_posts, topics

MOST_SHOWN = 50
"""Posts of a topic that count and are shown: those with most engagement."""
SAME_SCORE = 0.05
"""A sum of scores that moved by less than this share is left as it is stored: they fade all the time."""
COUNTED_AGAIN_AFTER = timedelta(hours=1)
FORGET_AFTER = timedelta(days=8)
"""A search reaches a week back: what is forgotten then is not found again."""
BATCH = 500
_STATUS = re.compile(
    r"https?://(?:(?:www|mobile|m)\.)?(?:x|twitter)\.com/(?:i/web|\w{1,50})/status(?:es)?/(\d{1,20})(?:[/?#].*)?",
    re.IGNORECASE,
)


def record(
    connection: Connection, topic: Topic, posts: Sequence[Post], entities: Mapping[str, Entity], now: datetime
) -> int:
    """Store posts found for ``topic``, or counted anew; gives how many of them X bills.

    A post that another topic has stays there. X bills a post once a day (UTC), however often it is read.
    """
    known = _known(connection, [post.id for post in posts])
    accounts = accounts_of(topic, entities)
    new = [
        {**_told(post, now), "topic_id": topic.id, "official": post.username.lower() in accounts}
        for post in posts
        if post.id not in known
    ]
    upsert(connection, topic_posts, new)
    return len(new) + count_again(connection, [post for post in posts if post.id in known], now)


def count_again(connection: Connection, posts: Sequence[Post], now: datetime) -> int:
    """Store what X counts now of posts that are known; gives how many it bills."""
    known = _known(connection, [post.id for post in posts])
    for post in posts:
        if post.id in known:
            one = sa.update(topic_posts).where(topic_posts.c.post_id == post.id)
            connection.execute(one.values(**_counted(post, now)))
    return sum(1 for row in known.values() if row.read_at.date() != now.date())


def stale(connection: Connection, *, now: datetime, many: int, free: bool) -> list[str]:
    """Ids of posts of the ranking's topics that were not counted for an hour, those that were counted longest
    ago first. ``free``: those alone that X bills no more today."""
    look = (
        sa.select(topic_posts.c.post_id)
        .join(topics, topics.c.id == topic_posts.c.topic_id)
        .where(
            topics.c.published_at > now - RANKING_WINDOW,
            topic_posts.c.read_at <= now - COUNTED_AGAIN_AFTER,
        )
        .order_by(topic_posts.c.read_at, topic_posts.c.post_id)
        .limit(many)
    )
    if free:
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        look = look.where(topic_posts.c.read_at >= midnight)
    return list(connection.execute(look).scalars())


def take_away(connection: Connection, post_ids: Iterable[str], now: datetime) -> None:
    """Delete posts that are no longer on X, from the media of their topics too."""
    known = _known(connection, sorted(post_ids))
    connection.execute(sa.delete(topic_posts).where(topic_posts.c.post_id.in_(sorted(known))))
    shown = _shown(connection, sorted({row.topic_id for row in known.values()}))
    for topic_id, items in shown.items():
        urls = [item.url for item in items if status_of(item.url) in known]
        topic_store.remove_media(connection, topic_id, "tweet", urls, now=now)


def rest(connection: Connection, post_ids: Iterable[str], now: datetime) -> None:
    """Let posts of which X said nothing be: they count as asked for now."""
    silent = sa.update(topic_posts).where(topic_posts.c.post_id.in_(sorted(post_ids)))
    connection.execute(silent.values(read_at=now))


def topics_of(connection: Connection, post_ids: Sequence[str]) -> set[int]:
    """Whose these posts are."""
    return {row.topic_id for row in _known(connection, post_ids).values()}


def follow_merges(database: Database) -> None:
    """Give the posts of merged topics to those that answer for them."""
    look = (
        sa.select(topic_posts.c.topic_id, topics.c.merged_into)
        .join(topics, topics.c.id == topic_posts.c.topic_id)
        .where(topics.c.merged_into.is_not(None))
        .distinct()
    )
    with database.read() as connection:
        merged = [(row.topic_id, row.merged_into) for row in connection.execute(look)]
    if not merged:
        return
    with database.write() as connection:
        for topic_id, into in merged:
            moved = sa.update(topic_posts).where(topic_posts.c.topic_id == topic_id)
            connection.execute(moved.values(topic_id=into))


def score(connection: Connection, now: datetime, *, of: Iterable[int] | None = None) -> int:
    """Bring the media of the ranking's topics (of those in ``of``, if given) up to what their posts score
    now; gives how many topics were written. A topic whose score hardly moved is not."""
    by_topic: dict[int, list[Row[Any]]] = {}
    look = sa.select(topic_posts).join(topics, topics.c.id == topic_posts.c.topic_id)
    look = look.where(topics.c.published_at > now - RANKING_WINDOW, topics.c.merged_into.is_(None))
    if of is not None:
        look = look.where(topic_posts.c.topic_id.in_(sorted(set(of))))
    for row in connection.execute(look):
        by_topic.setdefault(row.topic_id, []).append(row)
    shown = _shown(connection, sorted(by_topic))
    written = 0
    for topic_id in sorted(by_topic):
        written += _brought_up(connection, topic_id, by_topic[topic_id], shown.get(topic_id, []), now)
    return written


def forget(connection: Connection, now: datetime) -> int:
    """Delete what was counted of posts long ago; they stay as media. Gives how many, at most a batch."""
    old = (
        sa.select(topic_posts.c.post_id)
        .where(topic_posts.c.read_at < now - FORGET_AFTER)
        .order_by(topic_posts.c.read_at)
        .limit(BATCH * 10)
    )
    return connection.execute(sa.delete(topic_posts).where(topic_posts.c.post_id.in_(old))).rowcount


def accounts_of(topic: Topic, entities: Mapping[str, Entity]) -> frozenset[str]:
    """The official accounts of those whom a topic is about, in lower case and without the at sign."""
    named = (entities[one] for one in topic.entities if one in entities)
    return frozenset(
        account.lstrip("@").lower() for entity in named for account in entity.official_x_accounts
    )


def status_of(url: str) -> str | None:
    """The id of the post that an address of X leads to, however it is written."""
    found = _STATUS.fullmatch(url)
    return found[1] if found else None


def address(row: Row[Any]) -> str:
    """Where a post stands; by its id alone where X does not tell whose it is."""
    return f"https://x.com/{row.username or 'i/web'}/status/{row.post_id}"


def _brought_up(
    connection: Connection, topic_id: int, posts: Sequence[Row[Any]], shown: Sequence[Media], now: datetime
) -> bool:
    ours = {row.post_id for row in posts}
    stored = {item.url: item for item in shown if status_of(item.url) in ours}
    # A program may have sent the post too, under another address: then it stands under that one alone.
    sent = {status_of(url): url for url in sorted(stored)}
    wanted = {item.url: item for item in (_media(row, sent.get(row.post_id), now) for row in _chosen(posts))}
    surplus = stored.keys() - wanted.keys()
    if not surplus and _is_shown(wanted, stored):
        return False
    topic_store.add_media(connection, topic_id, list(wanted.values()), now=now)
    if surplus:
        topic_store.remove_media(connection, topic_id, "tweet", surplus, now=now)
    return True


def _chosen(posts: Sequence[Row[Any]]) -> list[Row[Any]]:
    """Those with most engagement; of equals verified accounts, then the older post."""
    return sorted(
        posts, key=lambda row: (-scoring.engagement(_metrics(row)), not row.verified, int(row.post_id))
    )[:MOST_SHOWN]


def _is_shown(wanted: Mapping[str, Media], stored: Mapping[str, Media]) -> bool:
    """Whether the items stand in the store, but for a little of their scores."""
    if wanted.keys() != stored.keys():
        return False
    if any(_content(item) != _content(stored[url]) for url, item in wanted.items()):
        return False
    new, old = (scoring.total(item.score for item in items.values()) for items in (wanted, stored))
    return abs(new - old) <= SAME_SCORE * max(abs(old), 0.01)


def _content(item: Media) -> tuple[object, ...]:
    return (item.title, item.summary, item.published_at, item.language)


def _media(row: Row[Any], sent_as: str | None, now: datetime) -> Media:
    title = f"{row.name} (@{row.username})" if row.name and row.username else row.username
    return Media(
        kind="tweet",
        url=sent_as or address(row),
        title=title,
        summary=row.text,
        published_at=row.published_at,
        language=row.language if row.language in LANGUAGES else None,
        score=scoring.score(_metrics(row), row.published_at, row.official, now),
    )


def _metrics(row: Row[Any]) -> Metrics:
    return Metrics(row.likes, row.reposts, row.quotes, row.replies)


def _shown(connection: Connection, topic_ids: Sequence[int]) -> dict[int, list[Media]]:
    """The posts among the media of topics."""
    found: dict[int, list[Media]] = {}
    for at in range(0, len(topic_ids), BATCH):
        part = topic_media.c.topic_id.in_(topic_ids[at : at + BATCH])
        for row in connection.execute(sa.select(topic_media).where(part, topic_media.c.kind == "tweet")):
            found.setdefault(row.topic_id, []).append(parse_media(row))
    return found


def _known(connection: Connection, post_ids: Sequence[str]) -> dict[str, Row[Any]]:
    look = sa.select(topic_posts).where(topic_posts.c.post_id.in_(post_ids))
    return {row.post_id: row for row in connection.execute(look)} if post_ids else {}


def _told(post: Post, now: datetime) -> dict[str, Any]:
    return {
        "post_id": post.id,
        "username": post.username,
        "name": post.name,
        "verified": post.verified,
        "text": post.text,
        "language": post.language or None,
        "published_at": post.published_at,
        **_counted(post, now),
    }


def _counted(post: Post, now: datetime) -> dict[str, Any]:
    counted = post.metrics
    return {
        "likes": counted.likes,
        "reposts": counted.reposts,
        "quotes": counted.quotes,
        "replies": counted.replies,
        "read_at": now,
    }
