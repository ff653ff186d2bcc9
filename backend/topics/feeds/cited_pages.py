"""Reads the official pages that articles link to, and stores title, quoted passage and date of each.

Pages are fetched through the guarded client in live mode only, a few in each round, and each once. A page
that fails is tried again with growing pauses; its link stays a source of its topic, with its anchor text. No
request runs inside a transaction.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Connection

from backend.documents.tokenizer import query_terms, terms
from backend.entities.model import Entity
from backend.settings import Settings
from backend.sources.claims.claim_splitting import sentences
from backend.sources.retrieval.content_sanitizer import has_instructions
from backend.sources.retrieval.web_pages import Page, PageFailed, PageReader
from backend.store.database import Database, bump
from backend.topics import canonical_urls
from backend.topics.feeds.article_store import CHANGE_COUNTER
from backend.topics.feeds.entry_links import Link, OfficialLinks, load_links
from backend.topics.model import NEWS_WINDOW
from backend.topics.tables import cited_pages, news_items

log = structlog.get_logger(__name__)

MAX_PAGES_PER_ROUND = 10
UNREADABLE_HOSTS = frozenset({"x.com", "twitter.com"})
"""Hosts that show their pages only to people who are signed in."""
MAX_FAILURES = 4
RETRY_PAUSE = timedelta(hours=1)
"""Pause after the first failure; each further one makes it four times as long."""
CLAIM_TIME = timedelta(minutes=10)
"""While a process reads a page, no other one does."""
KEEP_TIME = timedelta(days=30)
MAX_PASSAGE_CHARS = 400
MIN_PASSAGE_CHARS = 40
"""Shorter sentences of a page are headings and labels."""
_BATCH_SIZE = 400


@dataclass(frozen=True, slots=True)
class CitedPage:
    """A page that was read. ``published_at`` is the day that the page states, if any."""

    title: str
    passage: str
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class CitedPagesReport:
    """The numbers of pages of a round that were read and that failed."""

    read: int = 0
    failed: int = 0


def load_pages(connection: Connection, urls: Iterable[str]) -> dict[str, CitedPage]:
    """Load the pages that were read, by page key (:func:`canonical_urls.build_page_key`)."""
    keys = sorted({canonical_urls.build_page_key(url) for url in urls})
    pages = {}
    for at in range(0, len(keys), _BATCH_SIZE):
        part = cited_pages.c.url_key.in_(keys[at : at + _BATCH_SIZE])
        for row in connection.execute(sa.select(cited_pages).where(part, cited_pages.c.read_at.is_not(None))):
            pages[row.url_key] = CitedPage(row.title, row.passage, row.published_at)
    return pages


def read_cited_pages(
    settings: Settings,
    database: Database,
    entities: Mapping[str, Entity],
    *,
    now: datetime,
    read: Callable[[str], Page] | None = None,
) -> CitedPagesReport:
    """Read the official pages that are due. ``read`` fetches a page and raises :class:`PageFailed`."""
    if settings.is_offline:
        return CitedPagesReport()
    with database.write() as connection:
        due = _claim_due(connection, now)
    if not due:
        return CitedPagesReport()
    reader = read or PageReader(database, allow=settings.fetch_allow, now=lambda: now).read
    official_links = OfficialLinks(entities)
    read_count = 0
    for row in due:
        try:
            page = reader(row.url)
            if not official_links.is_official(page.url):
                raise PageFailed(f"{row.url} redirects to a page that is not official.")
        except PageFailed as failure:
            log.info("cited_page_failed", url=row.url, reason=failure.message)
            _store_failure(database, row, failure.message, now)
            continue
        _store_page(database, row, page, now)
        read_count += 1
    return CitedPagesReport(read_count, len(due) - read_count)


def choose_passage(text: str, context: str) -> str:
    """Choose the sentences of a page that share most terms with ``context``, as they stand on the page.

    Returns the first full sentence if none shares a term, and empty text for a page that gives instructions
    to readers of its text.
    """
    if has_instructions(text):
        return ""
    candidates = [sentence.strip() for sentence in sentences(text)]
    fitting = [
        (position, sentence)
        for position, sentence in enumerate(candidates)
        if MIN_PASSAGE_CHARS <= len(sentence) <= MAX_PASSAGE_CHARS
    ]
    if not fitting:
        return ""
    wanted = set(query_terms([context]))
    position, best = max(fitting, key=lambda one: (len(wanted.intersection(terms(one[1]))), -one[0]))
    following = candidates[position + 1] if position + 1 < len(candidates) else ""
    joined = f"{best} {following}" if best.isascii() else f"{best}{following}"
    fits = len(following) >= MIN_PASSAGE_CHARS and len(joined) <= MAX_PASSAGE_CHARS and joined in text
    return joined if fits else best


def delete_old_pages(connection: Connection, now: datetime) -> int:
    old = cited_pages.c.linked_at < now - KEEP_TIME
    return connection.execute(sa.delete(cited_pages).where(old)).rowcount


def _claim_due(connection: Connection, now: datetime) -> Sequence[sa.Row[Any]]:
    """Add the pages that recent articles link to, and claim those that are due."""
    _add_linked_pages(connection, now)
    selected = (
        sa.select(cited_pages)
        .where(cited_pages.c.due_at <= now)
        .order_by(cited_pages.c.due_at, cited_pages.c.url_key)
        .limit(MAX_PAGES_PER_ROUND)
    )
    due = connection.execute(selected).all()
    keys = [row.url_key for row in due]
    claimed = sa.update(cited_pages).where(cited_pages.c.url_key.in_(keys))
    connection.execute(claimed.values(due_at=now + CLAIM_TIME))
    return due


def _add_linked_pages(connection: Connection, now: datetime) -> None:
    selected = sa.select(news_items.c.title, news_items.c.links).where(
        news_items.c.published_at >= now - NEWS_WINDOW, news_items.c.links != "[]"
    )
    found: dict[str, tuple[Link, str]] = {}
    for row in connection.execute(selected):
        for link in load_links(row.links):
            if urlsplit(link.url).hostname not in UNREADABLE_HOSTS:
                found.setdefault(canonical_urls.build_page_key(link.url), (link, row.title))
    known: set[str] = set()
    keys = sorted(found)
    for at in range(0, len(keys), _BATCH_SIZE):
        part = cited_pages.c.url_key.in_(keys[at : at + _BATCH_SIZE])
        known.update(connection.execute(sa.select(cited_pages.c.url_key).where(part)).scalars())
    rows = [
        {
            "url_key": key,
            "url": link.url,
            "context": f"{title}\n{link.anchor}",
            "linked_at": now,
            "due_at": now,
            "failures": 0,
            "title": "",
            "passage": "",
        }
        for key, (link, title) in found.items()
        if key not in known
    ]
    if rows:
        connection.execute(sa.insert(cited_pages), rows)


def _store_page(database: Database, row: sa.Row[Any], page: Page, now: datetime) -> None:
    published = datetime.fromisoformat(page.published).replace(tzinfo=UTC) if page.published else None
    values = {
        "title": page.title,
        "passage": choose_passage(page.text, row.context),
        "published_at": published if published is None or published <= now else None,
        "read_at": now,
        "due_at": None,
        "problem": None,
    }
    with database.write() as connection:
        connection.execute(sa.update(cited_pages).where(cited_pages.c.url_key == row.url_key).values(values))
        bump(connection, CHANGE_COUNTER)


def _store_failure(database: Database, row: sa.Row[Any], reason: str, now: datetime) -> None:
    failures = row.failures + 1
    due_at = now + RETRY_PAUSE * 4 ** (failures - 1) if failures < MAX_FAILURES else None
    values = {"failures": failures, "problem": reason, "due_at": due_at}
    with database.write() as connection:
        connection.execute(sa.update(cited_pages).where(cited_pages.c.url_key == row.url_key).values(values))
