"""Caches the newest runs of profiles as response pieces, within a budget of bytes.

An entry belongs to one version of a profile; a profile with new runs is built again at the next request. If
the cache is full, entries that were not requested during the last minute are evicted. A piece that still does
not fit is built for one response only. So a listing larger than the budget is still sent, and its cached part
is as fast as before.
"""

import time
from array import array
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from threading import Lock
from typing import Any, Literal, NamedTuple, TypeVar

from backend.timelines.model import Realm
from backend.timelines.responses.gzip_splicing import Packed

Kind = Literal["json", "gzip", "arrow"]
Monotonic = Callable[[], float]
IDLE_SECONDS = 60.0
_OVERHEAD = 500
"""Memory overhead of a cache entry, in bytes."""


class CacheKey(NamedTuple):
    kind: Kind
    realm: Realm
    profile: str


@dataclass(frozen=True, slots=True)
class JoinedEntries:
    """Entries joined by commas, and the offset of each."""

    body: bytes
    starts: "array[int]"

    @classmethod
    def of(cls, entries: Sequence[bytes]) -> "JoinedEntries":
        starts = array("I", accumulate([len(entry) + 1 for entry in entries], initial=0))
        starts.pop()  # the offset after the last entry
        return cls(b",".join(entries), starts)

    def newest(self, limit: int) -> bytes:
        """Return the last ``limit`` entries."""
        if limit >= len(self.starts):
            return self.body
        return self.body[self.starts[-limit] :]


Value = JoinedEntries | Packed | bytes
V = TypeVar("V", JoinedEntries, Packed, bytes)


@dataclass(slots=True)
class _CacheEntry:
    version: int
    value: Any
    size: int
    asked_at: float


class PieceCache:
    """Caches pieces. Thread-safe. ``budget`` is in bytes."""

    def __init__(self, budget: int, clock: Monotonic = time.monotonic) -> None:
        self._budget = budget
        self._clock = clock
        self._lock = Lock()
        self._kept: OrderedDict[CacheKey, _CacheEntry] = OrderedDict()
        self._size = 0

    @property
    def size(self) -> int:
        """Size of the cached entries, in bytes."""
        return self._size

    @property
    def fullness(self) -> float:
        """Used share of the budget."""
        return self._size / self._budget

    def find(self, key: CacheKey, version: int) -> Any:
        """Find the cached value of this version, else null."""
        with self._lock:
            entry = self._kept.get(key)
            if entry is None or entry.version != version:
                return None
            entry.asked_at = self._clock()
            self._kept.move_to_end(key)
            return entry.value

    def put(self, key: CacheKey, version: int, value: Value) -> None:
        """Cache ``value`` if there is room and no newer version is cached."""
        size = _compute_size(value) + _OVERHEAD
        with self._lock:
            former = self._kept.get(key)
            if former is not None and former.version > version:
                return
            if former is not None:
                self._drop(key)
            now = self._clock()
            while self._size + size > self._budget and self._kept:
                oldest, idle = next(iter(self._kept.items()))
                if now - idle.asked_at < IDLE_SECONDS:
                    return
                self._drop(oldest)
            if self._size + size <= self._budget:
                self._kept[key] = _CacheEntry(version, value, size, now)
                self._size += size

    def _drop(self, key: CacheKey) -> None:
        self._size -= self._kept.pop(key).size


def _compute_size(value: Value) -> int:
    if isinstance(value, JoinedEntries):
        return len(value.body) + value.starts.itemsize * len(value.starts)
    return len(value.deflated if isinstance(value, Packed) else value)
