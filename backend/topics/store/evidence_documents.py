"""Stores topics and their media as documents that source finding searches and cites.

Topics from API clients and feeds are evidence. Reports are not, because they repeat figures of this service
that nobody else confirms. Retold archive events are not, because their own documents are already stored.
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
from backend.topics.store.media_store import hash_url
from backend.topics.store.search_index import list_body_texts
from backend.topics.tables import news_items, topic_media

MAX_TITLE_CHARS = 120
"""Characters of a post that serve as its title."""
BATCH_SIZE = 400


def update_documents(connection: Connection, topics: Sequence[Topic], now: datetime) -> None:
    """Update the documents of stored topics, which are given whole."""
    evidence = [topic for topic in topics if is_evidence(topic)]
    documents = [document for topic in evidence for document in _build_topic_documents(topic)]
    documents += _build_media_documents(connection, [item for topic in evidence for item in topic.media])
    document_writer.write_documents(
        connection, document_rows.prepare_documents(_select_changed(connection, documents)), now=now
    )
    possible = {_build_name(topic.id, language) for topic in topics for language in LANGUAGES}
    obsolete = possible - {document.external_id for document in documents if document.kind == "topic"}
    document_writer.delete_documents(connection, "topic", obsolete)


def delete_topic(connection: Connection, topic_id: int) -> None:
    """Delete the documents of a topic. Its media stay, because other topics may share them."""
    document_writer.delete_documents(
        connection, "topic", [_build_name(topic_id, language) for language in LANGUAGES]
    )


def delete_media(connection: Connection, urls: Collection[str]) -> None:
    """Delete the documents of URLs that no topic has any more."""
    keys = {hash_url(url) for url in urls}
    for part in _split_batches(sorted(keys)):
        referenced = sa.select(topic_media.c.url_key).where(topic_media.c.url_key.in_(part))
        document_writer.delete_documents(
            connection, "article", set(part) - set(connection.execute(referenced).scalars())
        )


def is_evidence(topic: Topic) -> bool:
    return topic.realm != "sample" and topic.event is None


def _select_changed(connection: Connection, documents: Sequence[Document]) -> list[Document]:
    """Return the documents that differ from the stored ones, because tokenizing texts again is slow."""
    stored: dict[tuple[str, str], Document] = {}
    for kind in ("topic", "article"):
        names = [document.external_id for document in documents if document.kind == kind]
        existing = document_rows.load_by_external_ids(connection, kind, names)
        stored |= {
            (kind, name): replace(document, id=None, stored_at=None) for name, document in existing.items()
        }
    return [
        document
        for document in documents
        if stored.get((document.kind, document.external_id)) != replace(document, urls=(document.url,))
    ]


def _build_topic_documents(topic: Topic) -> Iterator[Document]:
    for language, text in topic.texts.items():
        yield Document(
            kind="topic",
            external_id=_build_name(topic.id, language),
            url=topic.url,
            title=text.title,
            text="\n".join(list_body_texts(text)) or text.title,
            language=language,
            published_at=topic.published_at,
            date_precision="second",
            entities=topic.entities,
        )


def _build_media_documents(connection: Connection, items: Iterable[Media]) -> list[Document]:
    """Build one document for each URL. An article from a feed gets the feed's full text."""
    by_url = {item.url: item for item in items if item.title or item.summary}
    feed_texts = _load_feed_texts(connection, by_url)
    return [
        Document(
            kind="article",
            external_id=hash_url(url),
            url=url,
            title=item.title or item.summary[:MAX_TITLE_CHARS],
            text=feed_texts.get(url) or item.summary or item.title,
            language=item.language,
            published_at=item.published_at,
            date_precision=None if item.published_at is None else "second",
        )
        for url, item in by_url.items()
    ]


def _load_feed_texts(connection: Connection, urls: Iterable[str]) -> dict[str, str]:
    """Load the texts that feeds sent for the articles at these URLs, where they sent any."""
    keys = {canonical_urls.build_page_key(url): url for url in urls}
    texts_by_url: dict[str, str] = {}
    for part in _split_batches(sorted(keys)):
        selected = sa.select(news_items.c.url_key, news_items.c.text).where(news_items.c.url_key.in_(part))
        texts_by_url |= {keys[row.url_key]: row.text for row in connection.execute(selected) if row.text}
    return texts_by_url


def _build_name(topic_id: int | None, language: str) -> str:
    return f"{topic_id}:{language}"


def _split_batches(values: Sequence[str]) -> Iterator[Sequence[str]]:
    return (values[at : at + BATCH_SIZE] for at in range(0, len(values), BATCH_SIZE))
