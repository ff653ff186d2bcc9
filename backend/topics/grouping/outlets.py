"""Who published a member, and how many of a topic's publishers speak for themselves."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from urllib.parse import urlsplit

from backend.documents.model import SourceType
from backend.entities.model import Entity
from backend.sources.authority import AUTHORITY_SCORES, SCORES_ABOUT_OTHERS, Authorities, Authority
from backend.sources.claims.simhash import is_near
from backend.topics.feeds.feed_list import Feed
from backend.topics.feeds.near_duplicates import Print, Prints
from backend.topics.grouping.news_window import Member

HALF_LIFE_HOURS = 12.0
_AUTHORITIES: frozenset[SourceType] = frozenset({"regulator", "court", "government", "onchain"})
_OWN_WORD: frozenset[SourceType] = frozenset({"official", "exchange"})
_UNSIGNED = (1 << 64) - 1


class Outlets:
    """What the feeds and the catalogue tell of publishers. Made anew for each regrouping, since it remembers
    every address that it was asked about."""

    def __init__(self, entities: Mapping[str, Entity], feeds: Iterable[Feed] = ()) -> None:
        self._entities = entities
        self._authorities = Authorities(entities)
        self._feeds = {feed.id: feed for feed in feeds}
        self._seen: dict[str, Authority] = {}

    def publisher(self, member: Member) -> str:
        """One word for whoever answers for a member: all feeds and domains of one owner have the same."""
        if (feed := self._feeds.get(member.feed_id)) is not None:
            return feed.publisher
        return self._classified(member.url).owner or host(member.url) or member.feed_id

    def site_name(self, member: Member) -> str:
        """The publisher's name as its readers know it."""
        feed = self._feeds.get(member.feed_id)
        return feed.name if feed else self.name_of(member.url, member)

    def name_of(self, url: str, member: Member) -> str:
        """The name of who answers for ``url``, in the language of ``member``; the host of nobody known."""
        owner = self._classified(url).owner
        known = self._entities.get(owner) if owner is not None else None
        return known.name(member.language) if known else host(url)

    def authority(self, member: Member, about: Collection[str] = ()) -> Authority:
        """By the address; where nobody is known to answer for that, by what its feed is said to be."""
        found = self._classified(member.url)
        feed = self._feeds.get(member.feed_id)
        if found.source_type == "unknown" and feed is not None:
            found = Authority(feed.kind, AUTHORITY_SCORES[feed.kind], feed.publisher)
        foreign = found.source_type in SCORES_ABOUT_OTHERS and about and found.owner not in about
        return replace(found, score=SCORES_ABOUT_OTHERS[found.source_type]) if foreign else found

    def is_primary(self, member: Member, about: Collection[str]) -> bool:
        """Whether a member is the word of somebody whom the topic is about, or of an authority: a project's
        and an exchange's pages are primary sources of themselves alone."""
        found = self.authority(member)
        own = found.owner in about or self.publisher(member) in about or not about
        return found.source_type in _AUTHORITIES or (found.source_type in _OWN_WORD and own)

    def is_primary_page(self, url: str, about: Collection[str]) -> bool:
        """The same of an address that a member links to."""
        found = self._classified(url)
        return found.source_type in _AUTHORITIES or (found.source_type in _OWN_WORD and found.owner in about)

    def _classified(self, url: str) -> Authority:
        """Who answers for an address, whatever it tells of."""
        if url not in self._seen:
            self._seen[url] = self._authorities.classify(url)
        return self._seen[url]

    def independent(self, members: Sequence[Member]) -> list[list[Member]]:
        """``members`` by whose word they are: one owner's, and texts that are nearly one, stand together."""
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
        """Σ authority · 2^(-age / 12 h) over independent publishers, each by the newest of its members:
        how much a topic is told of. It ranks topics where no posts are counted."""
        total = 0.0
        for group in self.independent(members):
            newest = max(member.published_at for member in group)
            hours = max((now - newest).total_seconds() / 3600, 0.0)
            weight = max(self.authority(member, about).score for member in group)
            total += weight * 2 ** (-hours / HALF_LIFE_HOURS)
        return round(total, 4)


def host(url: str) -> str:
    """The host of an address without ``www.``; empty where there is none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _is_copied(member: Member, group: Sequence[Member]) -> bool:
    """Whether a member repeats the text of one in ``group``."""
    mine = member.simhash & _UNSIGNED
    if not any(is_near(mine, other.simhash & _UNSIGNED) for other in group):
        return False
    return Prints(_print(other) for other in group).repeats(_print(member))


def _print(member: Member) -> Print:
    return Print(
        simhash=member.simhash,
        published_at=member.published_at,
        language=member.language,
        title=member.title,
        length=len(member.text),
        entities=frozenset(member.entities),
        figures=frozenset(member.figures),
        official=False,
    )
