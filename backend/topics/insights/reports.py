"""Loads what each publisher of a topic reports."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents.model import SourceType
from backend.entities.model import LANGUAGES, Entity, Language
from backend.sources.authority import Authorities
from backend.sources.retrieval.content_sanitizer import clean_text, has_instructions
from backend.topics.feeds.entry_links import load_links
from backend.topics.feeds.release_hosts import is_release_host
from backend.topics.grouping.title_tokens import words
from backend.topics.insights.model import Report
from backend.topics.model import Media, Topic
from backend.topics.tables import news_items

MAX_TEXT_CHARS = 6_000
"""Characters of a text that are examined."""
MAX_REPORTS = 30
_AUTHORITIES: frozenset[SourceType] = frozenset({"regulator", "court", "government", "onchain"})
_ISSUERS = frozenset({"company", "exchange", "organization", "protocol"})
MIN_SHARED_WORDS = 3
"""Words that a cited page must share with the titles of a topic to count as a source of the event."""


def load_reports(
    connection: Connection,
    topic: Topic,
    language: Language,
    entities: Mapping[str, Entity],
    authorities: Authorities,
    base_url: str,
) -> list[Report]:
    """Load the reports of a topic in order of time: its articles and primary sources, without posts and
    without pages of this service. Publishers have their names in ``language``."""
    texts = _load_texts(connection, topic)
    told_words = {word for item in topic.media if item.kind == "article" for word in words(item.title)}
    told_words.update(word for text in topic.texts.values() for word in words(text.title))
    about = set(topic.entities)
    reports = []
    for item in topic.media:
        if item.kind == "tweet" or item.url.startswith(base_url):
            continue
        authority = authorities.classify(item.url, about=about)
        owner = entities.get(authority.owner or "")
        text = clean_text(texts.get(item.url) or item.summary)[:MAX_TEXT_CHARS]
        is_link = _is_cited_page(topic, item) and (
            len(told_words.intersection(words(f"{item.title}\n{text}"))) < MIN_SHARED_WORDS or not text
        )
        is_safe = not is_link and not has_instructions(f"{item.title}\n{text}")
        if owner is None and is_release_host(item.url):
            owner = _find_issuer(f"{item.site_name or ''}\n{item.title}\n{text}", topic, entities)
        is_release = owner is not None and is_release_host(item.url)
        reports.append(
            Report(
                source=owner.name(language)
                if owner
                else item.site_name or item.url.split("/")[2].removeprefix("www."),
                url=item.url,
                official=authority.is_official or is_release or _is_from_official_feed(topic, item),
                title=item.title if is_safe and not _is_address(item.title, item.url) else "",
                text=text if is_safe else "",
                language=item.language or language,
                published_at=item.published_at or topic.published_at,
                owner=owner.id if owner else authority.owner,
                is_dated=item.published_at is not None,
                is_link=is_link,
                is_about_event=is_release
                or authority.source_type in _AUTHORITIES
                or bool((told_words - _list_name_words(owner)).intersection(_list_link_words(item))),
            )
        )
    return sorted(reports, key=lambda report: report.published_at)[:MAX_REPORTS]


def find_linked_owners(connection: Connection, topic: Topic, authorities: Authorities) -> set[str]:
    """Find the owners of the official pages that the articles of a topic link to, shown or not."""
    if topic.id is None or not topic.is_grouped:
        return set()
    selected = sa.select(news_items.c.links).where(news_items.c.topic_id == topic.id)
    links = (link for text in connection.execute(selected).scalars() for link in load_links(text))
    return {owner for link in links if (owner := authorities.classify(link.url).owner) is not None}


def _find_issuer(text: str, topic: Topic, entities: Mapping[str, Entity]) -> Entity | None:
    """Find the organisation that issued a press release: the one that its text names first."""
    named = [
        (text.find(name), entity)
        for entity_id in topic.entities
        if (entity := entities.get(entity_id)) is not None and entity.type in _ISSUERS
        for name in {entity.name(language) for language in LANGUAGES}
        if name in text
    ]
    return min(named, key=lambda found: found[0])[1] if named else None


def _is_address(title: str, url: str) -> bool:
    """True if a page without a title is shown by its address."""
    return "/" in title and title in url


def _list_name_words(owner: Entity | None) -> frozenset[str]:
    return frozenset(words(owner.name("en"))) if owner else frozenset()


def _list_link_words(item: Media) -> frozenset[str]:
    """List the words of a link's text and address."""
    path = re.sub(r"[^a-z]+", " ", urlsplit(item.url).path.lower())
    return frozenset((*words(item.title), *words(path)))


def select_in_language(reports: Sequence[Report], language: Language) -> list[Report]:
    return [report for report in reports if report.language == language]


def _is_cited_page(topic: Topic, item: Media) -> bool:
    """True for a page that was found as a link in the articles of a topic, not for an archived record."""
    return topic.is_grouped and item.kind == "primary_source" and item.language is None


def _is_from_official_feed(topic: Topic, item: Media) -> bool:
    """True for an article of an official feed, whose host the catalogue may not know."""
    return topic.is_grouped and item.kind == "primary_source" and item.language is not None


def _load_texts(connection: Connection, topic: Topic) -> dict[str, str]:
    """Return the full texts of the topic's articles by URL."""
    if topic.id is None or not topic.is_grouped:
        return {}
    selected = sa.select(news_items.c.url, news_items.c.text).where(news_items.c.topic_id == topic.id)
    return {row.url: row.text for row in connection.execute(selected)}
