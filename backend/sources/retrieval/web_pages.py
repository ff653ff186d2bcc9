"""Reads the visible text of web pages through the SSRF guard and caches it for a day."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from email.message import Message

from lxml.html import HtmlElement

from backend.formats.timestamps import Clock, utc_now
from backend.sources.retrieval import content_sanitizer
from backend.store import response_cache
from backend.store.database import Database
from backend.upstream import Fetched, UpstreamFailure, guarded_fetch

PAGE_CACHE_TIME = timedelta(hours=24)
FAILURE_CACHE_TIME = timedelta(minutes=10)
FETCH_TIMEOUT_SECONDS = 8.0
MAX_PAGE_BYTES = 2 * 1024 * 1024
MAX_TEXT_CHARS = 100_000
"""Characters of a page that are read."""
MAX_ELEMENTS = 10_000
"""Above this number the whole text is taken. Extraction of the main text takes quadratic time: two megabytes
of adversarial HTML take minutes."""
ACCEPTED_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown")


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was read. ``published`` is an ISO date, if the page states one."""

    url: str
    title: str
    text: str
    published: str | None


def restore_page(fields: Mapping[str, str | None]) -> Page:
    """Return the page that ``dataclasses.asdict`` converted to plain data."""
    return Page(str(fields["url"]), str(fields["title"]), str(fields["text"]), fields["published"] or None)


class PageFailed(Exception):
    """A page could not be read; ``message`` is a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class PageReader:
    """Reads pages for one process. Pages and recent failures are cached in the store for all processes."""

    def __init__(
        self,
        database: Database,
        *,
        allow: Sequence[str] = (),
        now: Clock = utc_now,
    ) -> None:
        self._database = database
        self._allow = tuple(allow)
        self._now = now

    def read(self, url: str, *, seconds: float = FETCH_TIMEOUT_SECONDS) -> Page:
        """Return the page at ``url``, cached or fetched within ``seconds``. Raises :class:`PageFailed`."""
        key = response_cache.key_of("page", url)
        match response_cache.find(self._database, key, now=self._now()):
            case {"failed": str(reason)}:
                raise PageFailed(reason)
            case {
                "page": {
                    "url": str(at),
                    "title": str(title),
                    "text": str(text),
                    "published": (str() | None) as day,
                }
            }:
                return Page(at, title, text, day)
        try:
            page = self._fetch(url, seconds)
        except PageFailed as failure:
            self._cache(key, {"failed": failure.message}, FAILURE_CACHE_TIME)
            raise
        self._cache(key, {"page": asdict(page)}, PAGE_CACHE_TIME)
        return page

    def _fetch(self, url: str, seconds: float) -> Page:
        try:
            document = guarded_fetch(
                url,
                accept=ACCEPTED_TYPES,
                max_bytes=MAX_PAGE_BYTES,
                deadline_seconds=min(seconds, FETCH_TIMEOUT_SECONDS),
                allow=self._allow,
            )
        except UpstreamFailure as failure:
            raise PageFailed(failure.message) from None
        page = extract_page(document)
        if not page.text:
            raise PageFailed(f"{url} contains no readable text.")
        return page

    def _cache(self, key: str, body: object, keep_for: timedelta) -> None:
        response_cache.keep(self._database, key, "page", body, keep_for=keep_for, now=self._now())


def extract_page(document: Fetched) -> Page:
    """Extract title, visible main text and date of a fetched document; the text is empty if there is none."""
    charset = _find_charset(document)
    if document.content_type in ("text/plain", "text/markdown"):
        return _build_page(document.url, "", document.body.decode(charset or "utf-8", "replace"), None)
    tree = _parse_html(document.body, charset)
    if tree is None:
        return _build_page(document.url, "", "", None)
    if sum(1 for _ in tree.iter()) > MAX_ELEMENTS:
        return _build_page(document.url, tree.findtext(".//title") or "", _join_text(tree), None)
    import trafilatura  # takes a third of a second to import; not every process reads pages

    extracted = trafilatura.bare_extraction(
        tree, url=document.url, with_metadata=True, include_comments=False
    )
    if extracted is None or isinstance(
        extracted, dict
    ):  # a dict is returned only with an option that is not used
        return _build_page(document.url, "", "", None)
    return _build_page(document.url, extracted.title or "", extracted.text or "", extracted.date)


def _parse_html(body: bytes, charset: str | None) -> HtmlElement | None:
    """Parse the HTML. A charset of the server is decoded here, because the parser supports fewer of them."""
    if charset is None:
        return content_sanitizer.parse_visible_html(body)
    return content_sanitizer.parse_visible_html(
        body.decode(charset, "replace").encode("utf-8", "replace"), "utf-8"
    )


def _join_text(tree: HtmlElement) -> str:
    body = tree.find("body")
    return "\n".join(text for text in (tree if body is None else body).itertext() if text.strip())


def _build_page(url: str, title: str, text: str, published: str | None) -> Page:
    return Page(
        url,
        content_sanitizer.clean_text(title)[:500],
        content_sanitizer.clean_text(text[:MAX_TEXT_CHARS]),
        _parse_date(published),
    )


def _parse_date(published: str | None) -> str | None:
    try:
        return datetime.fromisoformat(published).date().isoformat() if published else None
    except ValueError:
        return None


def _find_charset(document: Fetched) -> str | None:
    header = Message()
    header["content-type"] = document.headers.get("content-type", "")
    name = header.get_content_charset()
    try:
        # Some codecs, such as idna, cannot decode malformed bytes: test both directions.
        return name if name and "x".encode(name).decode(name, "replace") else None
    except (LookupError, ValueError):
        return None
