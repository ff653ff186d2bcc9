"""Caches the newest runs of each profile in encoded form, ready to send. The cache is an LRU cache of chunks.

A chunk holds the runs of one profile. After new runs, it is out of date and is rebuilt at the next request.
If the cache is full, the least recently used chunks make room, but only if they were idle for a minute. A
chunk that does not fit is built for one response only. So a listing larger than the cache still works: cached
chunks are reused, and the others are rebuilt for each response.
"""

import time
from array import array
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from threading import Lock
from typing import Any, Literal, NamedTuple

from backend.timelines.model import Realm
from backend.timelines.responses.gzip_splicing import Packed

Encoding = Literal["json", "gzip", "arrow"]
MonotonicClock = Callable[[], float]
"""Returns seconds, as :func:`time.monotonic` does."""
MIN_IDLE_SECONDS_FOR_EVICTION = 60.0
"""Chunks that were used more recently are not evicted."""
CHUNK_OVERHEAD_BYTES = 500


class CacheKey(NamedTuple):
    encoding: Encoding
    realm: Realm
    profile: str


@dataclass(frozen=True, slots=True)
class JoinedRuns:
    """The JSON of runs joined by commas, and the offset of each run."""

    body: bytes
    starts: "array[int]"

    @classmethod
    def of(cls, runs: Sequence[bytes]) -> "JoinedRuns":
        starts = array("I", accumulate([len(run) + 1 for run in runs], initial=0))
        starts.pop()  # the offset after the last run
        return cls(b",".join(runs), starts)

    def newest(self, limit: int) -> bytes:
        """Return the JSON of the last ``limit`` runs."""
        if limit >= len(self.starts):
            return self.body
        return self.body[self.starts[-limit] :]


Value = JoinedRuns | Packed | bytes


@dataclass(slots=True)
class _CacheEntry:
    version: int
    value: Any
    size_bytes: int
    last_used_at: float


class ChunkCache:
    """Caches chunks. Thread-safe."""

    def __init__(self, max_bytes: int, clock: MonotonicClock = time.monotonic) -> None:
        self._max_bytes = max_bytes
        self._clock = clock
        self._lock = Lock()
        self._entries: OrderedDict[CacheKey, _CacheEntry] = OrderedDict()
        self._size_bytes = 0

    @property
    def size_bytes(self) -> int:
        return self._size_bytes

    @property
    def fullness(self) -> float:
        """Used share of the maximum size, from 0 to 1."""
        return self._size_bytes / self._max_bytes

    def get(self, key: CacheKey, version: int) -> Any:
        """Return the cached value of this version, or None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry.version != version:
                return None
            entry.last_used_at = self._clock()
            self._entries.move_to_end(key)
            return entry.value

    def put(self, key: CacheKey, version: int, value: Value) -> None:
        """Cache ``value`` if there is room and no newer version is cached."""
        size = _compute_size(value) + CHUNK_OVERHEAD_BYTES
        with self._lock:
            former = self._entries.get(key)
            if former is not None and former.version > version:
                return
            if former is not None:
                self._drop(key)
            now = self._clock()
            while self._size_bytes + size > self._max_bytes and self._entries:
                oldest_key, oldest = next(iter(self._entries.items()))
                if now - oldest.last_used_at < MIN_IDLE_SECONDS_FOR_EVICTION:
                    return
                self._drop(oldest_key)
            if self._size_bytes + size <= self._max_bytes:
                self._entries[key] = _CacheEntry(version, value, size, now)
                self._size_bytes += size

    def _drop(self, key: CacheKey) -> None:
        self._size_bytes -= self._entries.pop(key).size_bytes


def _compute_size(value: Value) -> int:
    if isinstance(value, JoinedRuns):
        return len(value.body) + value.starts.itemsize * len(value.starts)
    return len(value.deflated if isinstance(value, Packed) else value)
