"""Identifies publishers, their authority, and how many independent ones report a topic."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from urllib.parse import urlsplit

from backend.documents.model import SourceType
from backend.entities.model import Entity
from backend.sources.authority import AUTHORITY_SCORES, SCORES_ABOUT_OTHERS, Authorities, Authority
from backend.sources.claims.simhash import is_near
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
        return self._classified(member.url).owner or host(member.url) or member.feed_id

    def site_name(self, member: Member) -> str:
        """Return the publisher's name for readers."""
        feed = self._feeds.get(member.feed_id)
        return feed.name if feed else self.name_of(member.url, member)

    def name_of(self, url: str, member: Member) -> str:
        """Return the name of the owner of ``url`` in the language of ``member``; the host if the owner is
        unknown."""
        owner = self._classified(url).owner
        known = self._entities.get(owner) if owner is not None else None
        return known.name(member.language) if known else host(url)

    def authority(self, member: Member, about: Collection[str] = ()) -> Authority:
        """Return the authority of the URL; for an unknown owner, that of the feed's kind."""
        found = self._classified(member.url)
        feed = self._feeds.get(member.feed_id)
        if found.source_type == "unknown" and feed is not None:
            found = Authority(feed.kind, AUTHORITY_SCORES[feed.kind], feed.publisher)
        foreign = found.source_type in SCORES_ABOUT_OTHERS and about and found.owner not in about
        return replace(found, score=SCORES_ABOUT_OTHERS[found.source_type]) if foreign else found

    def is_primary(self, member: Member, about: Collection[str]) -> bool:
        """True if the member comes from an entity of the topic or from an authority. The pages of a project
        or exchange are primary sources only about itself."""
        found = self.authority(member)
        own = found.owner in about or self.publisher(member) in about or not about
        return found.source_type in _AUTHORITIES or (found.source_type in _OWN_WORD and own)

    def is_primary_page(self, url: str, about: Collection[str]) -> bool:
        """True if a page that a member links to is a primary source, by the same rule."""
        found = self._classified(url)
        return found.source_type in _AUTHORITIES or (found.source_type in _OWN_WORD and found.owner in about)

    def _classified(self, url: str) -> Authority:
        """Return the authority of a URL, whatever its subject."""
        if url not in self._seen:
            self._seen[url] = self._authorities.classify(url)
        return self._seen[url]

    def independent(self, members: Sequence[Member]) -> list[list[Member]]:
        """Group ``members`` by source: members of one owner and near-duplicate texts form one group."""
        groups: list[list[Member]] = []
        names: list[set[str]] = []
        for member in sorted(members, key=lambda one: (one.published_at, one.id)):
            name = self.publisher(member)
            same = [i for i, group in enumerate(groups) if name in names[i] or _is_copied(member, group)]
            if not same:
                groups.append([member])
                names.append({name})
                continue
            first, *others = same
            groups[first].append(member)
            names[first].add(name)
            for other in reversed(others):
                groups[first] += groups.pop(other)
                names[first] |= names.pop(other)
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


def host(url: str) -> str:
    """Return the host of a URL without ``www.``; empty where there is none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _is_copied(member: Member, group: Sequence[Member]) -> bool:
    """True if a member repeats the text of a member in ``group``."""
    mine = member.simhash & _UNSIGNED
    if not any(is_near(mine, other.simhash & _UNSIGNED) for other in group):
        return False
    return FingerprintIndex(_print(other) for other in group).is_repeated(_print(member))


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
    )
