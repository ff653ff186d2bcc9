"""Reading a page of the web: fetched through the guarded door, its visible text alone, kept for a day."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from email.message import Message

from lxml.html import HtmlElement

from backend.formats.timestamps import Clock, utc_now
from backend.sources.retrieval import content_sanitizer
from backend.store import response_cache
from backend.store.database import Database
from backend.upstream import Fetched, UpstreamFailure, guarded_fetch

KEPT_FOR = timedelta(hours=24)
FAILURES_KEPT_FOR = timedelta(minutes=10)
SECONDS = 8.0
MOST_BYTES = 2 * 1024 * 1024
LONGEST_TEXT = 100_000
"""Characters of a page that are read."""
MOST_ELEMENTS = 10_000
"""Of a page with more the text is taken as it stands: to tell its main text from the rest takes time that
grows with the square of its size, so that two megabytes made for it take minutes."""
TYPES = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown")


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was read. ``published`` is an ISO day where the page says so."""

    url: str
    title: str
    text: str
    published: str | None


class PageFailed(Exception):
    """A page that could not be read; ``message`` is a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Pages:
    """Reads pages for one process; what was read, and what failed lately, is shared through the store."""

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

    def read(self, url: str, *, seconds: float = SECONDS) -> Page:
        """The page at ``url``, within ``seconds``. Raises :class:`PageFailed`."""
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
            page = self._fetched(url, seconds)
        except PageFailed as failure:
            self._keep(key, {"failed": failure.message}, FAILURES_KEPT_FOR)
            raise
        self._keep(key, {"page": asdict(page)}, KEPT_FOR)
        return page

    def _fetched(self, url: str, seconds: float) -> Page:
        try:
            document = guarded_fetch(
                url, accept=TYPES, max_bytes=MOST_BYTES, deadline=min(seconds, SECONDS), allow=self._allow
            )
        except UpstreamFailure as failure:
            raise PageFailed(failure.message) from None
        page = extracted(document)
        if not page.text:
            raise PageFailed(f"{url} holds no text that could be read.")
        return page

    def _keep(self, key: str, body: object, keep_for: timedelta) -> None:
        response_cache.keep(self._database, key, "page", body, keep_for=keep_for, now=self._now())


def extracted(document: Fetched) -> Page:
    """The title, visible main text and day of a fetched document; empty text where there is none."""
    charset = _charset(document)
    if document.content_type in ("text/plain", "text/markdown"):
        return _page(document.url, "", document.body.decode(charset or "utf-8", "replace"), None)
    tree = _tree(document.body, charset)
    if tree is None:
        return _page(document.url, "", "", None)
    if sum(1 for _ in tree.iter()) > MOST_ELEMENTS:
        return _page(document.url, tree.findtext(".//title") or "", _all_text(tree), None)
    import trafilatura  # costs a third of a second, which processes that read no page need not pay

    found = trafilatura.bare_extraction(tree, url=document.url, with_metadata=True, include_comments=False)
    if found is None or isinstance(found, dict):  # a mapping comes with an option that is not used
        return _page(document.url, "", "", None)
    return _page(document.url, found.title or "", found.text or "", found.date)


def _tree(body: bytes, charset: str | None) -> HtmlElement | None:
    """Decoded here where the server names the encoding, since the parser knows fewer of them."""
    if charset is None:
        return content_sanitizer.visible_tree(body)
    return content_sanitizer.visible_tree(body.decode(charset, "replace").encode("utf-8", "replace"), "utf-8")


def _all_text(tree: HtmlElement) -> str:
    body = tree.find("body")
    return "\n".join(text for text in (tree if body is None else body).itertext() if text.strip())


def _page(url: str, title: str, text: str, published: str | None) -> Page:
    return Page(
        url,
        content_sanitizer.plain(title)[:500],
        content_sanitizer.plain(text[:LONGEST_TEXT]),
        _day(published),
    )


def _day(published: str | None) -> str | None:
    try:
        return datetime.fromisoformat(published).date().isoformat() if published else None
    except ValueError:
        return None


def _charset(document: Fetched) -> str | None:
    header = Message()
    header["content-type"] = document.headers.get("content-type", "")
    name = header.get_content_charset()
    try:
        # There and back: some codecs, such as idna, cannot decode what is broken.
        return name if name and "x".encode(name).decode(name, "replace") else None
    except (LookupError, ValueError):
        return None
