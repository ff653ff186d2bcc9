"""Topics and their media as documents that source finding searches and cites.

What a program sent and what came out of feeds is evidence. Reports are not: they are written from figures of
this service, which nobody else bears out. Nor are the events of the archive told again, whose own documents
are in the store already.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents import document_rows, document_writer
from backend.documents.model import Document
from backend.entities.model import LANGUAGES
from backend.topics import canonical_urls
from backend.topics.model import Media, Topic
from backend.topics.store.media_store import url_key
from backend.topics.store.search_index import said
from backend.topics.tables import news_items, topic_media

LONGEST_TITLE = 120
"""Characters of a post that stand for its title."""
_AT_ONCE = 400


def keep(connection: Connection, topics: Sequence[Topic], now: datetime) -> None:
    """Bring the documents of stored topics, whole as they stand now, up to date."""
    telling = [topic for topic in topics if is_evidence(topic)]
    given = [document for topic in telling for document in _of_topic(topic)]
    given += _of_media(connection, [item for topic in telling for item in topic.media])
    document_writer.put(connection, document_rows.prepare(_changed(connection, given)), now=now)
    names = {_name(topic.id, language) for topic in topics for language in LANGUAGES}
    gone = names - {one.external_id for one in given if one.kind == "topic"}
    document_writer.delete(connection, "topic", gone)


def forget_topic(connection: Connection, topic_id: int) -> None:
    """Delete the documents of a topic that is told no more; its media may be another's."""
    document_writer.delete(connection, "topic", [_name(topic_id, language) for language in LANGUAGES])


def forget_media(connection: Connection, urls: Collection[str]) -> None:
    """Delete the documents of addresses that no topic has any more."""
    keys = {url_key(url) for url in urls}
    for part in _parts(sorted(keys)):
        held = sa.select(topic_media.c.url_key).where(topic_media.c.url_key.in_(part))
        document_writer.delete(connection, "article", set(part) - set(connection.execute(held).scalars()))


def is_evidence(topic: Topic) -> bool:
    return topic.realm != "sample" and topic.event is None


def _changed(connection: Connection, given: Sequence[Document]) -> list[Document]:
    """Those that are not stored so: to cut texts into terms again is what takes long."""
    stored: dict[tuple[str, str], Document] = {}
    for kind in ("topic", "article"):
        names = [one.external_id for one in given if one.kind == kind]
        there = document_rows.named(connection, kind, names)
        stored |= {(kind, name): replace(one, id=None, stored_at=None) for name, one in there.items()}
    return [one for one in given if stored.get((one.kind, one.external_id)) != replace(one, urls=(one.url,))]


def _of_topic(topic: Topic) -> Iterator[Document]:
    for language, text in topic.texts.items():
        yield Document(
            kind="topic",
            external_id=_name(topic.id, language),
            url=topic.url,
            title=text.title,
            text="\n".join(said(text)) or text.title,
            language=language,
            published_at=topic.published_at,
            date_precision="second",
            entities=topic.entities,
        )


def _of_media(connection: Connection, items: Iterable[Media]) -> list[Document]:
    """One document an address; of an article out of a feed with all that the feed gave of it."""
    told = {item.url: item for item in items if item.title or item.summary}
    fed = _fed(connection, told)
    return [
        Document(
            kind="article",
            external_id=url_key(url),
            url=url,
            title=item.title or item.summary[:LONGEST_TITLE],
            text=fed.get(url) or item.summary or item.title,
            language=item.language,
            published_at=item.published_at,
            date_precision=None if item.published_at is None else "second",
        )
        for url, item in told.items()
    ]


def _fed(connection: Connection, urls: Iterable[str]) -> dict[str, str]:
    """What feeds gave of the articles at these addresses, where they gave a text."""
    keys = {canonical_urls.key_of(url): url for url in urls}
    found: dict[str, str] = {}
    for part in _parts(sorted(keys)):
        look = sa.select(news_items.c.url_key, news_items.c.text).where(news_items.c.url_key.in_(part))
        found |= {keys[row.url_key]: row.text for row in connection.execute(look) if row.text}
    return found


def _name(topic_id: int | None, language: str) -> str:
    return f"{topic_id}:{language}"


def _parts(given: Sequence[str]) -> Iterator[Sequence[str]]:
    return (given[at : at + _AT_ONCE] for at in range(0, len(given), _AT_ONCE))
