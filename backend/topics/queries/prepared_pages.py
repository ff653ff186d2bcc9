"""Caches rendered topic lists until a topic changes.

The cache is bounded in entries and bytes and evicts the least recently used page. A page may also expire at a
fixed time, as the ranking of the last 24 hours does. When topics change, the last pages built or registered
are rebuilt before they replace the old ones, so that no reader waits.
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
MAX_PREBUILT_PAGES = 16
"""Pages that are rebuilt after each change."""
RequestKey = tuple[str, bytes]
"""A path and a query string, exactly as received."""


class BuiltPage(NamedTuple):
    """A body, the time at which it expires without any change, and its own headers."""

    body: bytes
    until: datetime | None = None
    headers: tuple[tuple[bytes, bytes], ...] = ()


BuildPage = Callable[[], BuiltPage]


class _CachedPage(NamedTuple):
    answer: Prepared
    until: datetime | None


class PageCache:
    """The pages of one state of the topics. Each new state gets a new cache."""

    def __init__(self) -> None:
        self.pages: OrderedDict[RequestKey, _CachedPage] = OrderedDict()
        self.bytes = 0

    def store(self, key: RequestKey, page: _CachedPage) -> None:
        previous = self.pages.pop(key, None)
        self.bytes += len(page.answer.body) - (len(previous.answer.body) if previous else 0)
        self.pages[key] = page
        while len(self.pages) > MAX_PAGES or self.bytes > MAX_BYTES:
            _, oldest = self.pages.popitem(last=False)
            self.bytes -= len(oldest.answer.body)


class PreparedPages:
    """Serves cached pages and rebuilds them after changes. Thread-safe."""

    def __init__(self, now: Clock) -> None:
        self._now = now
        self._lock = Lock()
        self._cache = PageCache()
        self._prebuilt: OrderedDict[RequestKey, BuildPage] = OrderedDict()

    def find(self, path: str, query: bytes) -> Prepared | None:
        """Return the cached page for exactly this path and query string, if any."""
        with self._lock:
            cache = self._cache
            found = cache.pages.get((path, query))
            if found is None:
                return None
            cache.pages.move_to_end((path, query))
        if found.until is not None and self._now() >= found.until:
            return None
        return found.answer

    def answer(self, key: RequestKey, build: BuildPage) -> Prepared:
        """Build and cache the page, so that ``find`` returns it now and after changes."""
        # Taken before the database is read: if topics change meanwhile, the outdated page lands in a
        # cache that is no longer used.
        cache = self._cache
        page = _build_cached(build)
        with self._lock:
            cache.store(key, page)
        self.prebuild(key, build)
        return page.answer

    def prebuild(self, key: RequestKey, build: BuildPage) -> None:
        """Rebuild this page after each change, whether or not it was requested."""
        with self._lock:
            self._prebuilt[key] = build
            self._prebuilt.move_to_end(key)
            if len(self._prebuilt) > MAX_PREBUILT_PAGES:
                self._prebuilt.popitem(last=False)

    def reload(self) -> None:
        """Rebuild the most recently built or registered pages, then swap the caches.

        Called after a change by any process.
        """
        with self._lock:
            old_cache, to_build = self._cache, list(self._prebuilt.items())
        cache = PageCache()
        for key, build in to_build:
            cache.store(key, _build_cached(build))
        with self._lock:
            if self._cache is old_cache:  # otherwise this process has stored a topic meanwhile
                self._cache = cache

    def clear(self) -> None:
        """Drop all pages after a change by this process, so that its client sees the change at once."""
        with self._lock:
            self._cache = PageCache()


def _build_cached(build: BuildPage) -> _CachedPage:
    built = BuiltPage(*build())
    answer = Prepared(built.body, extra=built.headers)
    answer.compress()
    return _CachedPage(answer, built.until)
