"""Identifies publishers, their authority, and how many independent ones report a topic."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from backend.documents.model import SourceType
from backend.entities.model import Entity
from backend.sources.authority import AUTHORITY_SCORES, SCORES_ABOUT_OTHERS, Authorities, Authority
from backend.sources.claims.simhash import is_near
from backend.topics.canonical_urls import get_host
from backend.topics.feeds.feed_list import Feed
from backend.topics.feeds.near_duplicates import Fingerprint, FingerprintIndex
from backend.topics.grouping.news_window import Member
from backend.topics.model import SCORE_HALF_LIFE_HOURS

_AUTHORITIES: frozenset[SourceType] = frozenset({"regulator", "court", "government", "onchain"})
_OWN_WORD: frozenset[SourceType] = frozenset({"official", "exchange"})
_UNSIGNED = (1 << 64) - 1


class Outlets:
    """Looks up publishers in the feeds and the catalogue. Create one for each regrouping, because it caches
    every URL."""

    def __init__(self, entities: Mapping[str, Entity], feeds: Iterable[Feed] = ()) -> None:
        self._entities = entities
        self._authorities = Authorities(entities)
        self._feeds = {feed.id: feed for feed in feeds}
        self._seen: dict[str, Authority] = {}

    def publisher(self, member: Member) -> str:
        """Return the publisher's key, which is the same for all feeds and domains of one owner."""
        if (feed := self._feeds.get(member.feed_id)) is not None:
            return feed.publisher
        return self._classify_url(member.url).owner or get_host(member.url) or member.feed_id

    def site_name(self, member: Member) -> str:
        """Return the publisher's name for readers."""
        feed = self._feeds.get(member.feed_id)
        return feed.name if feed else self.name_of(member.url, member)

    def name_of(self, url: str, member: Member) -> str:
        """Return the name of the owner of ``url`` in the language of ``member``; the host if the owner is
        unknown."""
        owner = self._classify_url(url).owner
        owner_entity = self._entities.get(owner) if owner is not None else None
        return owner_entity.name(member.language) if owner_entity else get_host(url)

    def authority(self, member: Member, about: Collection[str] = ()) -> Authority:
        """Return the authority of the URL; for an unknown owner, that of the feed's kind."""
        authority = self._classify_url(member.url)
        feed = self._feeds.get(member.feed_id)
        if authority.source_type == "unknown" and feed is not None:
            authority = Authority(feed.kind, AUTHORITY_SCORES[feed.kind], feed.publisher)
        foreign = authority.source_type in SCORES_ABOUT_OTHERS and about and authority.owner not in about
        return replace(authority, score=SCORES_ABOUT_OTHERS[authority.source_type]) if foreign else authority

    def is_primary(self, member: Member, about: Collection[str]) -> bool:
        """True if the member comes from an entity of the topic or from an authority. The pages of a project
        or exchange are primary sources only about itself."""
        authority = self.authority(member)
        is_own_page = authority.owner in about or self.publisher(member) in about or not about
        return authority.source_type in _AUTHORITIES or (authority.source_type in _OWN_WORD and is_own_page)

    def is_authority(self, member: Member) -> bool:
        """True if the member comes from a regulator, a court, a government or a blockchain."""
        return self.authority(member).source_type in _AUTHORITIES

    def is_primary_page(self, url: str, about: Collection[str]) -> bool:
        """True if a page that a member links to is a primary source, by the same rule."""
        authority = self._classify_url(url)
        return authority.source_type in _AUTHORITIES or (
            authority.source_type in _OWN_WORD and authority.owner in about
        )

    def _classify_url(self, url: str) -> Authority:
        """Return the authority of a URL, whatever its subject."""
        if url not in self._seen:
            self._seen[url] = self._authorities.classify(url)
        return self._seen[url]

    def independent(self, members: Sequence[Member]) -> list[list[Member]]:
        """Group ``members`` by source: members of one owner and near-duplicate texts form one group."""
        groups: list[list[Member]] = []
        names: list[set[str]] = []
        for member in sorted(
            members, key=lambda sorted_member: (sorted_member.published_at, sorted_member.id)
        ):
            name = self.publisher(member)
            matching_groups = [
                i for i, group in enumerate(groups) if name in names[i] or _is_copied(member, group)
            ]
            if not matching_groups:
                groups.append([member])
                names.append({name})
                continue
            first, *other_groups = matching_groups
            groups[first].append(member)
            names[first].add(name)
            for other_group in reversed(other_groups):
                groups[first] += groups.pop(other_group)
                names[first] |= names.pop(other_group)
        return groups

    def coverage(self, members: Sequence[Member], about: Collection[str], now: datetime) -> float:
        """Return Σ authority · 2^(-age / 12 h) over independent publishers, with the age of each one's newest
        member. It ranks topics where no posts are counted."""
        total = 0.0
        for group in self.independent(members):
            newest = max(member.published_at for member in group)
            hours = max((now - newest).total_seconds() / 3600, 0.0)
            weight = max(self.authority(member, about).score for member in group)
            total += weight * 2 ** (-hours / SCORE_HALF_LIFE_HOURS)
        return round(total, 4)


def _is_copied(member: Member, group: Sequence[Member]) -> bool:
    """True if a member repeats the text of a member in ``group``."""
    own_hash = member.simhash & _UNSIGNED
    if not any(is_near(own_hash, group_member.simhash & _UNSIGNED) for group_member in group):
        return False
    return FingerprintIndex(_print(group_member) for group_member in group).is_repeated(_print(member))


def _print(member: Member) -> Fingerprint:
    return Fingerprint(
        simhash=member.simhash,
        published_at=member.published_at,
        language=member.language,
        title=member.title,
        length=len(member.text),
        entities=frozenset(member.entities),
        figures=frozenset(member.figures),
        official=False,
        outlet=get_host(member.url),
    )
