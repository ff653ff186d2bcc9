"""Finds the links of an entry to official pages: of regulators, courts, projects, exchanges and explorers.

A link to the outlet's own site, to another outlet or to a whole site is no source of the news. A link that
may never be fetched, such as one to a private host, is left out, and the log says why.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import structlog

from backend.entities.model import Entity
from backend.sources.authority import Authorities
from backend.sources.retrieval import content_sanitizer
from backend.topics import canonical_urls
from backend.topics.feeds import entry_text
from backend.topics.feeds.link_roles import LinkRole, locate_links
from backend.topics.feeds.release_hosts import is_release_host

log = structlog.get_logger(__name__)

MAX_EXAMINED_LINKS = 60
"""Links of one entry that are examined."""
MAX_OFFICIAL_LINKS = 12
MAX_ANCHOR_CHARS = 200
_NON_ARTICLE_SEGMENTS = frozenset({
    "about", "about-us", "app", "apps", "careers", "contact", "converter", "download", "earn", "events",
    "feed", "how-to-buy", "invite", "join", "learn", "legal", "login", "markets", "newsletter", "price",
    "prices", "privacy", "referral", "register", "rss", "search", "signup", "sign-up", "sitemap", "store",
    "subscribe", "swap", "terms", "trade",
})  # fmt: skip
"""Parts of a path that lead to an offer or an overview and never to a statement."""
_POST_URL = re.compile(r"https?://(?:www\.|mobile\.)?(?:x|twitter)\.com/\w+/status/(?P<number>\d{15,19})\b")
_POST_TIME_SHIFT_BITS = 22
"""Bits of a post's number below its time."""
_POST_EPOCH_MILLISECONDS = 1_288_834_974_657
"""The time from which posts count milliseconds: 4 November 2010, as milliseconds of Unix time."""
_LOCALE_SEGMENT = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?", re.IGNORECASE)


class Link(NamedTuple):
    """A link of an article. ``anchor`` is its visible text on one line; ``context`` is the text around it."""

    url: str
    anchor: str
    context: str = ""
    role: LinkRole = LinkRole.OPENING


class OfficialLinks:
    """Selects the links that lead to official pages."""

    def __init__(self, entities: Mapping[str, Entity]) -> None:
        self._entities = entities
        self._authorities = Authorities(entities)

    def select(self, links: Iterable[Link], article_url: str) -> tuple[Link, ...]:
        """Return the links to official pages of other sites, each page once, in order of appearance."""
        own_host = _find_host(article_url)
        by_page: dict[str, Link] = {}
        for link in links:
            if _find_host(link.url) == own_host or not is_specific_page(link.url):
                continue
            if self.is_official(link.url):
                by_page.setdefault(canonical_urls.build_page_key(link.url), link)
        return tuple(by_page.values())[:MAX_OFFICIAL_LINKS]

    def is_official(self, url: str) -> bool:
        """True for a page of an authority or of an entity that is no outlet itself, for a press release and
        for a filing."""
        if is_release_host(url):
            return True
        authority = self._authorities.classify(url)
        owner = self._entities.get(authority.owner or "")
        return authority.is_official and (owner is None or owner.type != "media")


def extract_links(source: str, base: str) -> Iterator[Link]:
    """Generate the links of HTML with canonical URLs. Links outside the public web are logged."""
    tree = entry_text.parse_html(source)
    if tree is None:
        return
    elements = list(islice(tree.iter("a"), MAX_EXAMINED_LINKS))
    anchors = [
        " ".join(content_sanitizer.clean_text(str(element.text_content())).split()) for element in elements
    ]
    for element, anchor, place in zip(elements, anchors, locate_links(tree, elements), strict=True):
        target = element.get("href", "").strip()
        if not target or target.startswith(("#", "mailto:", "tel:", "javascript:")):
            continue
        url = canonical_urls.canonicalize(target, base)
        if url is None:
            log.info("link_left_out", host=_find_host(target), reason="not an address of the public web")
            continue
        yield Link(url, anchor[:MAX_ANCHOR_CHARS], content_sanitizer.clean_text(place.context), place.role)


def is_specific_page(url: str) -> bool:
    """True if a URL leads to one page; the front page of a site and its offers prove nothing."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    segments = [part.lower() for part in parts.path.split("/") if part]
    if segments and _LOCALE_SEGMENT.fullmatch(segments[0]):
        del segments[0]
    return bool(segments) and _NON_ARTICLE_SEGMENTS.isdisjoint(segments)


def find_post_time(url: str) -> datetime | None:
    """Return the time of a post on X, which its number contains; None for other pages."""
    match = _POST_URL.match(url)
    if match is None:
        return None
    milliseconds = (int(match["number"]) >> _POST_TIME_SHIFT_BITS) + _POST_EPOCH_MILLISECONDS
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def dump_links(links: Iterable[Link]) -> str:
    return json.dumps([list(link) for link in links], ensure_ascii=False, separators=(",", ":"))


def load_links(text: str) -> tuple[Link, ...]:
    return tuple(
        Link(url, anchor, context, LinkRole(role))
        for url, anchor, context, role in map(_fill_missing_fields, json.loads(text))
    )


def _fill_missing_fields(stored: list[Any]) -> tuple[str, str, str, int]:
    """Return the fields of a stored link; one of an earlier release has no context and no role."""
    url, anchor, context, role = [*stored, "", LinkRole.OPENING][:4] if len(stored) < 4 else stored
    return url, anchor, context, role


def _find_host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
