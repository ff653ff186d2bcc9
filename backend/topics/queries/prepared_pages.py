"""Caches rendered topic lists until a topic changes.

The cache is bounded in entries and bytes and evicts the least recently used page. A page may also expire at a
fixed time, as the ranking of the last 24 hours does. When topics change, the pages that were built or
registered last are rebuilt before they replace the old ones, so no reader waits.
"""

from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from threading import Lock
from typing import NamedTuple

from backend.formats.timestamps import Clock
from backend.http.prepared_responses import Prepared

MAX_PAGES = 512
MAX_BYTES = 16 * 1024 * 1024
MAX_REGISTERED_PAGES = 16
"""Pages that are rebuilt after each change."""
RequestKey = tuple[str, bytes]
"""A path and a query string, exactly as received."""


class RenderedPage(NamedTuple):
    """A rendered page with its headers. It expires at ``expires_at`` even if no topic changes."""

    body: bytes
    expires_at: datetime | None = None
    headers: tuple[tuple[bytes, bytes], ...] = ()
    negotiated: bool = False
    """Whether the list has other media types too."""


PageRenderer = Callable[[], RenderedPage]
"""Renders a page from the current topics."""


class _CachedPage(NamedTuple):
    response: Prepared
    expires_at: datetime | None


class PageCache:
    """The pages of one state of the topics. Each new state gets a new cache."""

    def __init__(self) -> None:
        self.pages: OrderedDict[RequestKey, _CachedPage] = OrderedDict()
        self.bytes = 0

    def store(self, key: RequestKey, page: _CachedPage) -> None:
        previous = self.pages.pop(key, None)
        self.bytes += len(page.response.body) - (len(previous.response.body) if previous else 0)
        self.pages[key] = page
        while len(self.pages) > MAX_PAGES or self.bytes > MAX_BYTES:
            _, oldest = self.pages.popitem(last=False)
            self.bytes -= len(oldest.response.body)


class PreparedPages:
    """Serves cached pages and rebuilds them after changes. Thread-safe."""

    def __init__(self, now: Clock) -> None:
        self._now = now
        self._lock = Lock()
        self._cache = PageCache()
        self._registered: OrderedDict[RequestKey, PageRenderer] = OrderedDict()

    @property
    def version(self) -> object:
        """Identifies the state of the topics. It changes with every change of a topic."""
        return self._cache

    def find(self, path: str, query: bytes) -> Prepared | None:
        """Return the cached page for exactly this path and query string, if any."""
        with self._lock:
            cache = self._cache
            page = cache.pages.get((path, query))
            if page is None:
                return None
            cache.pages.move_to_end((path, query))
        if page.expires_at is not None and self._now() >= page.expires_at:
            return None
        return page.response

    def render(self, key: RequestKey, renderer: PageRenderer) -> Prepared:
        """Render and cache the page, so that :meth:`find` returns it now and after changes."""
        # Read before the database: if topics change meanwhile, the outdated page goes into a cache that is
        # no longer used.
        cache = self._cache
        page = _render_cached(renderer)
        with self._lock:
            cache.store(key, page)
        self.register(key, renderer)
        return page.response

    def register(self, key: RequestKey, renderer: PageRenderer) -> None:
        """Rebuild this page after each change, even if it was never requested."""
        with self._lock:
            self._registered[key] = renderer
            self._registered.move_to_end(key)
            if len(self._registered) > MAX_REGISTERED_PAGES:
                self._registered.popitem(last=False)

    def rebuild(self) -> None:
        """Rebuild the pages that were rendered or registered last, then replace the cache.

        Called after a change by any process.
        """
        with self._lock:
            old_cache, to_rebuild = self._cache, list(self._registered.items())
        cache = PageCache()
        for key, renderer in to_rebuild:
            cache.store(key, _render_cached(renderer))
        with self._lock:
            if self._cache is old_cache:  # else this process has stored a topic meanwhile
                self._cache = cache

    def clear(self) -> None:
        """Drop all pages after a change by this process, so that its client sees the change at once."""
        with self._lock:
            self._cache = PageCache()


def _render_cached(renderer: PageRenderer) -> _CachedPage:
    page = renderer()
    response = Prepared(page.body, extra=page.headers, negotiated=page.negotiated)
    response.compress()
    return _CachedPage(response, page.expires_at)
