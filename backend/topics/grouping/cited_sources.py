"""Selects the pages among the links of a topic's articles that are its primary sources.

A page of an authority always counts. Of the pages of companies only those with the best link role count: a
link on *announced* ranks before a link in the opening, and both rank before background. A press release or a
filing counts for the company that is named beside its link. Evergreen pages (holdings, documentation) and
explainers are no news.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

from backend.entities.model import LANGUAGES, Entity
from backend.topics import canonical_urls
from backend.topics.feeds.cited_pages import CitedPage
from backend.topics.feeds.entry_links import Link, find_post_time, is_specific_page
from backend.topics.feeds.link_roles import LinkRole, classify_plain_url
from backend.topics.feeds.release_hosts import is_release_host
from backend.topics.grouping.news_window import NewsArticle
from backend.topics.grouping.publishers import PublisherCatalogue
from backend.topics.grouping.title_tokens import words
from backend.topics.model import Media

MAX_PAGE_AGE = timedelta(days=60)
"""A cited page that is older than the topic by more than this is background, not a source of the event."""
MAX_POST_AGE = timedelta(days=3)
"""A post on X that is older than the topic by more than this is about another event."""
MAX_CITED_PAGES = 5
"""Cited pages among the primary sources of one topic."""
MIN_SHARED_WORDS = 2
"""Words that a page of a company must share with the titles of a topic if its link is background."""
_ISSUER_TYPES = frozenset({"company", "exchange", "organization", "protocol"})
_NEWS_SEGMENTS = frozenset({
    "announcement", "announcements", "investors", "media", "news", "newsroom", "press", "press-release",
    "press-releases", "pressroom", "releases", "updates",
})  # fmt: skip
_EVERGREEN_SEGMENTS = frozenset({
    "academy", "dashboard", "developers", "docs", "documentation", "education", "faq", "faqs", "features",
    "glossary", "guide", "guides", "help", "holdings", "pricing", "product", "products", "proof-of-reserves",
    "resources", "solutions", "stats", "tag", "tags", "topics", "transparency", "whitepaper",
})  # fmt: skip
_EVERGREEN_HOST = re.compile(r"^(?:docs?|help|learn|academy|developers?)\.")
_EXPLAINER = re.compile(r"^(?:what-(?:is|are)|how-(?:to|do|does|it)|why-|guide-to|beginners?-)")
_PLAIN_WORD = re.compile(r"[a-z]+")
_VISIBLE_URL = re.compile(r"https?://[^\s<>\"'（）()「」『』【】、。，；]{4,500}")


@dataclass(frozen=True, slots=True)
class _CitedLink:
    link: Link
    site_name: str
    is_company: bool


def find_cited_sources(
    publishers: PublisherCatalogue,
    entities: Mapping[str, Entity],
    pages: Mapping[str, CitedPage],
    members: Sequence[NewsArticle],
    about: Sequence[str],
) -> Iterator[Media]:
    """Generate the primary sources that ``members`` link to. A page that was read has its own title, passage
    and date; another one has the name of its host as title."""
    links = _list_cited_links(publishers, entities, members, about)
    told = {word for member in members for word in words(member.title)}
    best = max((cited.link.role for cited in links if cited.is_company), default=LinkRole.BACKGROUND)
    count = 0
    for cited in links:
        if cited.is_company and (
            cited.link.role < best or (cited.link.role == LinkRole.BACKGROUND and not _is_about(cited, told))
        ):
            continue
        page = pages.get(canonical_urls.build_page_key(cited.link.url))
        if page and page.published_at and page.published_at < members[0].published_at - MAX_PAGE_AGE:
            continue
        posted_at = find_post_time(cited.link.url)
        if posted_at is not None and posted_at < members[0].published_at - MAX_POST_AGE:
            continue
        yield Media(
            kind="primary_source",
            url=cited.link.url,
            title=(page.title if page else "")
            or canonical_urls.get_host(cited.link.url).removeprefix("www."),
            summary=page.passage if page else "",
            published_at=page.published_at if page else posted_at,
            site_name=cited.site_name,
        )
        count += 1
        if count == MAX_CITED_PAGES:
            return


def is_evergreen_page(url: str) -> bool:
    """True for a page of a company that tells no news: documentation, holdings, an explainer."""
    parts = urlsplit(url)
    segments = [part.lower() for part in parts.path.split("/") if part]
    if not _NEWS_SEGMENTS.isdisjoint(segments):
        return False
    if _EVERGREEN_HOST.match(parts.hostname or "") or not _EVERGREEN_SEGMENTS.isdisjoint(segments):
        return True
    is_plain_word = len(segments) == 1 and _PLAIN_WORD.fullmatch(segments[0]) is not None
    return is_plain_word or any(_EXPLAINER.match(segment) for segment in segments)


def _list_cited_links(
    publishers: PublisherCatalogue,
    entities: Mapping[str, Entity],
    members: Sequence[NewsArticle],
    about: Sequence[str],
) -> list[_CitedLink]:
    """List the links to pages of authorities, and of the entities that the topic or the linking member names,
    each page once."""
    seen_pages = {canonical_urls.build_page_key(member.url) for member in members}
    found: list[_CitedLink] = []
    for member in members:
        named = dict.fromkeys((*about, *member.entity_ids))
        for link in _list_links(member):
            key = canonical_urls.build_page_key(link.url)
            if key in seen_pages:
                continue
            if is_release_host(link.url):
                issuer = _find_issuer(link, [entities[name] for name in named if name in entities])
                site_name = issuer.name(member.language) if issuer else ""
                is_company = True
            elif publishers.is_primary_source_url(link.url, named):
                site_name = publishers.find_owner_name(link.url, member.language)
                is_company = not publishers.is_official_body_url(link.url)
            else:
                continue
            if not site_name or (is_company and is_evergreen_page(link.url)):
                continue
            seen_pages.add(key)
            found.append(_CitedLink(link, site_name, is_company))
    return found


def _find_issuer(link: Link, named: Sequence[Entity]) -> Entity | None:
    """Find the company that issued a press release or a filing: the one named in the text or the address of
    its link, or else beside it."""
    slug = " ".join(words(re.sub(r"[^A-Za-z0-9]+", " ", urlsplit(link.url).path)))
    companies = [entity for entity in named if entity.type in _ISSUER_TYPES and entity.official_domains]
    for text in (f"{link.anchor}\n{slug}", link.context):
        for company in companies:
            names = {company.name(language) for language in LANGUAGES}
            if any(
                re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", text, re.IGNORECASE)
                for name in names
            ):
                return company
    return None


def _is_about(cited: _CitedLink, told: set[str]) -> bool:
    """True if the text and the address of a link share words with the titles, beside the owner's name."""
    path = re.sub(r"[^a-z]+", " ", urlsplit(cited.link.url).path.lower())
    own = {*words(cited.link.anchor), *words(path)} - set(words(cited.site_name))
    return len(told & own) >= MIN_SHARED_WORDS


def _list_links(member: NewsArticle) -> Iterator[Link]:
    """Generate the links of a member, and the URLs that stand in its text."""
    yield from member.links
    for match in _VISIBLE_URL.finditer(member.text):
        url = canonical_urls.canonicalize(match.group().rstrip(".,;:!?]}*_"))
        if url is not None and is_specific_page(url):
            yield Link(url, "", role=classify_plain_url(match.start()))
