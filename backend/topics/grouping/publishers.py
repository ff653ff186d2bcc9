"""Finds the publisher and the authority of articles, and groups articles by independent source."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from backend.documents.model import SourceType
from backend.entities.model import Entity, Language
from backend.sources.authority import AUTHORITY_SCORES, SCORES_ABOUT_OTHERS, Authorities, Authority
from backend.sources.claims.simhash import is_near
from backend.topics.canonical_urls import get_host
from backend.topics.feeds.feed_list import Feed
from backend.topics.feeds.near_duplicates import Fingerprint, FingerprintIndex
from backend.topics.grouping.news_window import NewsArticle
from backend.topics.model import SCORE_HALF_LIFE_HOURS

_OFFICIAL_BODY_TYPES: frozenset[SourceType] = frozenset({"regulator", "court", "government", "onchain"})
_FIRST_PARTY_TYPES: frozenset[SourceType] = frozenset({"official", "exchange"})
_UINT64_MASK = (1 << 64) - 1


class PublisherCatalogue:
    """Looks up publishers in the feeds and the entities.

    Create one for each regrouping, because it caches the authority of every URL without a limit.
    """

    def __init__(self, entities: Mapping[str, Entity], feeds: Iterable[Feed] = ()) -> None:
        self._entities = entities
        self._authorities = Authorities(entities)
        self._feeds = {feed.id: feed for feed in feeds}
        self._authority_by_url: dict[str, Authority] = {}

    def get_publisher_key(self, article: NewsArticle) -> str:
        """Return the key of the publisher. All feeds and domains of one owner have the same key."""
        if (feed := self._feeds.get(article.feed_id)) is not None:
            return feed.publisher
        return self._classify_url(article.url).owner or get_host(article.url) or article.feed_id

    def get_publisher_name(self, article: NewsArticle) -> str:
        """Return the name of the publisher for readers."""
        feed = self._feeds.get(article.feed_id)
        return feed.name if feed else self.find_owner_name(article.url, article.language)

    def find_owner_name(self, url: str, language: Language) -> str:
        """Return the name of the owner of ``url`` in ``language``; the host if the owner is unknown."""
        owner = self._classify_url(url).owner
        owner_entity = self._entities.get(owner) if owner is not None else None
        return owner_entity.name(language) if owner_entity else get_host(url)

    def find_authority(self, article: NewsArticle, topic_entity_ids: Collection[str] = ()) -> Authority:
        """Return the authority of the article's URL; if its owner is unknown, use the type of the feed.

        A project or exchange has a lower score if it is not among ``topic_entity_ids``, the entities of the
        topic; without them, it has its full score.
        """
        authority = self._classify_url(article.url)
        feed = self._feeds.get(article.feed_id)
        if authority.source_type == "unknown" and feed is not None:
            authority = Authority(feed.kind, AUTHORITY_SCORES[feed.kind], feed.publisher)
        if (
            authority.source_type in SCORES_ABOUT_OTHERS
            and topic_entity_ids
            and authority.owner not in topic_entity_ids
        ):
            return replace(authority, score=SCORES_ABOUT_OTHERS[authority.source_type])
        return authority

    def is_primary_source(self, article: NewsArticle, topic_entity_ids: Collection[str]) -> bool:
        """True if the article comes from an official body, or from an entity of the topic.

        A project or exchange is a primary source only about itself. In a topic without entities, every
        project or exchange counts.
        """
        authority = self.find_authority(article)
        is_about_owner = (
            not topic_entity_ids
            or authority.owner in topic_entity_ids
            or self.get_publisher_key(article) in topic_entity_ids
        )
        return authority.source_type in _OFFICIAL_BODY_TYPES or (
            authority.source_type in _FIRST_PARTY_TYPES and is_about_owner
        )

    def is_official_body(self, article: NewsArticle) -> bool:
        """True if the article comes from a regulator, a court, a government or a blockchain."""
        return self.find_authority(article).source_type in _OFFICIAL_BODY_TYPES

    def is_primary_source_url(self, url: str, topic_entity_ids: Collection[str]) -> bool:
        """True if a page that an article links to is a primary source.

        Unlike in :meth:`is_primary_source`, a project or exchange counts only if it is among
        ``topic_entity_ids``, and feeds are not consulted.
        """
        authority = self._classify_url(url)
        return authority.source_type in _OFFICIAL_BODY_TYPES or (
            authority.source_type in _FIRST_PARTY_TYPES and authority.owner in topic_entity_ids
        )

    def is_official_body_url(self, url: str) -> bool:
        """True for a page of a regulator, a court, a government or a blockchain."""
        return self._classify_url(url).source_type in _OFFICIAL_BODY_TYPES

    def _classify_url(self, url: str) -> Authority:
        """Return the authority of a URL without regard to what the article is about."""
        if url not in self._authority_by_url:
            self._authority_by_url[url] = self._authorities.classify(url)
        return self._authority_by_url[url]

    def group_by_source(self, articles: Sequence[NewsArticle]) -> list[list[NewsArticle]]:
        """Group ``articles`` by independent source: one owner, or near-duplicate texts, form one group."""
        groups: list[list[NewsArticle]] = []
        publisher_keys: list[set[str]] = []
        for article in sorted(articles, key=lambda item: (item.published_at, item.id)):
            key = self.get_publisher_key(article)
            matching_groups = [
                i for i, group in enumerate(groups) if key in publisher_keys[i] or _is_copied(article, group)
            ]
            if not matching_groups:
                groups.append([article])
                publisher_keys.append({key})
                continue
            first, *other_groups = matching_groups
            groups[first].append(article)
            publisher_keys[first].add(key)
            for other_group in reversed(other_groups):
                groups[first] += groups.pop(other_group)
                publisher_keys[first] |= publisher_keys.pop(other_group)
        return groups

    def compute_coverage(
        self, articles: Sequence[NewsArticle], topic_entity_ids: Collection[str], now: datetime
    ) -> float:
        """Compute the score that ranks topics when posts are not counted.

        It is the sum over independent sources of the highest authority score of the source, halved for every
        :data:`SCORE_HALF_LIFE_HOURS` since its newest article.
        """
        total = 0.0
        for group in self.group_by_source(articles):
            newest = max(article.published_at for article in group)
            hours = max((now - newest).total_seconds() / 3600, 0.0)
            weight = max(self.find_authority(article, topic_entity_ids).score for article in group)
            total += weight * 2 ** (-hours / SCORE_HALF_LIFE_HOURS)
        return round(total, 4)


def _is_copied(article: NewsArticle, group: Sequence[NewsArticle]) -> bool:
    """True if an article repeats the text of an article in ``group``."""
    own_hash = article.simhash & _UINT64_MASK
    if not any(is_near(own_hash, other.simhash & _UINT64_MASK) for other in group):
        return False
    return FingerprintIndex(_build_fingerprint(other) for other in group).is_repeated(
        _build_fingerprint(article)
    )


def _build_fingerprint(article: NewsArticle) -> Fingerprint:
    return Fingerprint(
        simhash=article.simhash,
        published_at=article.published_at,
        language=article.language,
        title=article.title,
        length=len(article.text),
        entity_ids=frozenset(article.entity_ids),
        quantities=frozenset(article.quantities),
        official=False,
        outlet=get_host(article.url),
    )
