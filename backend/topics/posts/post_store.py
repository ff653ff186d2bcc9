"""Stores the posts of topics and shows the best ones as media, which determine the topics' scores.

A post belongs to the first topic that it was found for. It is one media item of that topic, however often it
is found and whatever URL it has, so it counts once.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from backend.entities.model import LANGUAGES, Entity
from backend.store.database import Database, upsert
from backend.topics.model import RANKING_WINDOW, SCORE_CHANGE_THRESHOLD, Media, Topic
from backend.topics.posts import scoring
from backend.topics.posts.model import POST_RETENTION, Post, PublicMetrics
from backend.topics.store import topic_store
from backend.topics.store.topic_rows import parse_media
from backend.topics.tables import topic_media, topic_posts, topics

MAX_SHOWN_POSTS = 50
"""Posts of a topic that count and are shown: the ones with the most engagement."""
REFRESH_COUNTS_AFTER = timedelta(hours=1)
BATCH_SIZE = 500
MAX_DELETED_POSTS = 5_000
"""Posts that one call of :func:`delete_old_posts` deletes."""
_STATUS = re.compile(
    r"https?://(?:(?:www|mobile|m)\.)?(?:x|twitter)\.com/(?:i/web|\w{1,50})/status(?:es)?/(\d{1,20})(?:[/?#].*)?",
    re.IGNORECASE,
)


def store_posts(
    connection: Connection, topic: Topic, posts: Sequence[Post], entities: Mapping[str, Entity], now: datetime
) -> int:
    """Store posts found for ``topic``, or their new counts; returns the number of billed posts.

    A post that belongs to another topic stays there. X bills a post once a day (UTC), however often it is
    read.
    """
    known_rows = _load_known(connection, [post.id for post in posts])
    accounts = find_official_accounts(topic, entities)
    new = [
        {**_build_row(post, now), "topic_id": topic.id, "official": post.username.lower() in accounts}
        for post in posts
        if post.id not in known_rows
    ]
    upsert(connection, topic_posts, new)
    return len(new) + update_counts(connection, [post for post in posts if post.id in known_rows], now)


def update_counts(connection: Connection, posts: Sequence[Post], now: datetime) -> int:
    """Store the current counts of known posts; returns the number of billed posts."""
    known_rows = _load_known(connection, [post.id for post in posts])
    for post in posts:
        if post.id in known_rows:
            update = sa.update(topic_posts).where(topic_posts.c.post_id == post.id)
            connection.execute(update.values(**_build_counts(post, now)))
    return sum(1 for row in known_rows.values() if row.read_at.date() != now.date())


def list_stale_ids(
    connection: Connection, *, now: datetime, limit: int, billed_only: bool = False
) -> list[str]:
    """List up to ``limit`` ids of posts of ranked topics whose counts are older than an hour, oldest counts
    first. ``billed_only`` selects only posts that X has already billed today."""
    selected = (
        sa.select(topic_posts.c.post_id)
        .join(topics, topics.c.id == topic_posts.c.topic_id)
        .where(
            topics.c.published_at > now - RANKING_WINDOW,
            topic_posts.c.read_at <= now - REFRESH_COUNTS_AFTER,
        )
        .order_by(topic_posts.c.read_at, topic_posts.c.post_id)
        .limit(limit)
    )
    if billed_only:
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        selected = selected.where(topic_posts.c.read_at >= midnight)
    return list(connection.execute(selected).scalars())


def delete_posts(connection: Connection, post_ids: Iterable[str], now: datetime) -> None:
    """Delete posts that no longer exist on X, also from the media of their topics."""
    known_rows = _load_known(connection, sorted(post_ids))
    connection.execute(sa.delete(topic_posts).where(topic_posts.c.post_id.in_(sorted(known_rows))))
    shown_media = _load_shown(connection, sorted({row.topic_id for row in known_rows.values()}))
    for topic_id, items in shown_media.items():
        urls = [item.url for item in items if parse_post_id(item.url) in known_rows]
        topic_store.remove_media(connection, topic_id, "tweet", urls, now=now)


def mark_read(connection: Connection, post_ids: Iterable[str], now: datetime) -> None:
    """Mark posts as read now although X returned nothing for them, so they are not requested again at
    once."""
    unanswered = sa.update(topic_posts).where(topic_posts.c.post_id.in_(sorted(post_ids)))
    connection.execute(unanswered.values(read_at=now))


def find_topic_ids(connection: Connection, post_ids: Sequence[str]) -> set[int]:
    """Find the topics that these posts belong to."""
    return {row.topic_id for row in _load_known(connection, post_ids).values()}


def reassign_merged_posts(database: Database) -> None:
    """Move the posts of merged topics to the topics that replaced them."""
    selected = (
        sa.select(topic_posts.c.topic_id, topics.c.merged_into)
        .join(topics, topics.c.id == topic_posts.c.topic_id)
        .where(topics.c.merged_into.is_not(None))
        .distinct()
    )
    with database.read() as connection:
        merged = [(row.topic_id, row.merged_into) for row in connection.execute(selected)]
    if not merged:
        return
    with database.write() as connection:
        for topic_id, into in merged:
            statement = sa.update(topic_posts).where(topic_posts.c.topic_id == topic_id)
            connection.execute(statement.values(topic_id=into))


def update_scores(connection: Connection, now: datetime, *, topic_ids: Iterable[int] | None = None) -> int:
    """Update the media of ranked topics (only of ``of``, if given) to the current scores of their posts;
    returns the number of updated topics. A topic whose score hardly changed is not updated."""
    by_topic: dict[int, list[Row[Any]]] = {}
    selected = sa.select(topic_posts).join(topics, topics.c.id == topic_posts.c.topic_id)
    selected = selected.where(topics.c.published_at > now - RANKING_WINDOW, topics.c.merged_into.is_(None))
    if topic_ids is not None:
        selected = selected.where(topic_posts.c.topic_id.in_(sorted(set(topic_ids))))
    for row in connection.execute(selected):
        by_topic.setdefault(row.topic_id, []).append(row)
    shown_media = _load_shown(connection, sorted(by_topic))
    updated_count = 0
    for topic_id in sorted(by_topic):
        updated_count += _update_topic_media(
            connection, topic_id, by_topic[topic_id], shown_media.get(topic_id, []), now
        )
    return updated_count


def delete_old_posts(connection: Connection, now: datetime) -> int:
    """Delete posts whose counts are older than :data:`POST_RETENTION`; they stay as media. Returns the number
    of deleted posts, at most :data:`MAX_DELETED_POSTS`."""
    old_post_ids = (
        sa.select(topic_posts.c.post_id)
        .where(topic_posts.c.read_at < now - POST_RETENTION)
        .order_by(topic_posts.c.read_at)
        .limit(MAX_DELETED_POSTS)
    )
    return connection.execute(sa.delete(topic_posts).where(topic_posts.c.post_id.in_(old_post_ids))).rowcount


def find_official_accounts(topic: Topic, entities: Mapping[str, Entity]) -> frozenset[str]:
    """Find the official accounts of a topic's entities, in lower case and without the at sign."""
    topic_entities = (entities[entity_id] for entity_id in topic.entities if entity_id in entities)
    return frozenset(
        account.lstrip("@").lower() for entity in topic_entities for account in entity.official_x_accounts
    )


def parse_post_id(url: str) -> str | None:
    """Return the id of the post that a URL of X leads to, in any of its forms; None for other URLs."""
    match = _STATUS.fullmatch(url)
    return match[1] if match else None


def build_post_url(row: Row[Any]) -> str:
    """Build the URL of a post; without an author the id alone leads to it."""
    return f"https://x.com/{row.username or 'i/web'}/status/{row.post_id}"


def _update_topic_media(
    connection: Connection,
    topic_id: int,
    posts: Sequence[Row[Any]],
    shown_media: Sequence[Media],
    now: datetime,
) -> bool:
    post_ids = {row.post_id for row in posts}
    stored = {item.url: item for item in shown_media if parse_post_id(item.url) in post_ids}
    # An API client may have sent the post too, under another URL: then the topic keeps that URL alone.
    stored_url_by_id = {parse_post_id(url): url for url in sorted(stored)}
    expected = {
        item.url: item
        for item in (
            _build_media(row, stored_url_by_id.get(row.post_id), now) for row in _select_top_posts(posts)
        )
    }
    surplus_urls = stored.keys() - expected.keys()
    if not surplus_urls and _is_up_to_date(expected, stored):
        return False
    topic_store.add_media(connection, topic_id, list(expected.values()), now=now)
    if surplus_urls:
        topic_store.remove_media(connection, topic_id, "tweet", surplus_urls, now=now)
    return True


def _select_top_posts(posts: Sequence[Row[Any]]) -> list[Row[Any]]:
    """Select the posts with the most engagement; ties go to verified accounts, then to the older post."""
    return sorted(
        posts,
        key=lambda row: (-scoring.compute_engagement(_read_metrics(row)), not row.verified, int(row.post_id)),
    )[:MAX_SHOWN_POSTS]


def _is_up_to_date(expected: Mapping[str, Media], stored: Mapping[str, Media]) -> bool:
    """True if the stored items match, apart from a small change of their scores."""
    if expected.keys() != stored.keys():
        return False
    if any(_get_content(item) != _get_content(stored[url]) for url, item in expected.items()):
        return False
    new, old = (scoring.sum_scores(item.score for item in items.values()) for items in (expected, stored))
    return abs(new - old) <= SCORE_CHANGE_THRESHOLD * max(abs(old), 0.01)


def _get_content(item: Media) -> tuple[object, ...]:
    return (item.title, item.summary, item.published_at, item.language)


def _build_media(row: Row[Any], sent_as: str | None, now: datetime) -> Media:
    title = f"{row.name} (@{row.username})" if row.name and row.username else row.username
    return Media(
        kind="tweet",
        url=sent_as or build_post_url(row),
        title=title,
        summary=row.text,
        published_at=row.published_at,
        language=row.language if row.language in LANGUAGES else None,
        score=scoring.compute_score(_read_metrics(row), row.published_at, row.official, now),
    )


def _read_metrics(row: Row[Any]) -> PublicMetrics:
    return PublicMetrics(row.likes, row.reposts, row.quotes, row.replies)


def _load_shown(connection: Connection, topic_ids: Sequence[int]) -> dict[int, list[Media]]:
    """Load the posts among the media of topics."""
    posts_by_topic: dict[int, list[Media]] = {}
    for at in range(0, len(topic_ids), BATCH_SIZE):
        part = topic_media.c.topic_id.in_(topic_ids[at : at + BATCH_SIZE])
        for row in connection.execute(sa.select(topic_media).where(part, topic_media.c.kind == "tweet")):
            posts_by_topic.setdefault(row.topic_id, []).append(parse_media(row))
    return posts_by_topic


def _load_known(connection: Connection, post_ids: Sequence[str]) -> dict[str, Row[Any]]:
    selected = sa.select(topic_posts).where(topic_posts.c.post_id.in_(post_ids))
    return {row.post_id: row for row in connection.execute(selected)} if post_ids else {}


def _build_row(post: Post, now: datetime) -> dict[str, Any]:
    return {
        "post_id": post.id,
        "username": post.username,
        "name": post.name,
        "verified": post.verified,
        "text": post.text,
        "language": post.language or None,
        "published_at": post.published_at,
        **_build_counts(post, now),
    }


def _build_counts(post: Post, now: datetime) -> dict[str, Any]:
    metrics = post.metrics
    return {
        "likes": metrics.likes,
        "reposts": metrics.reposts,
        "quotes": metrics.quotes,
        "replies": metrics.replies,
        "read_at": now,
    }
