"""The newest runs of profiles as they are sent, kept in memory within a budget of bytes.

What is kept belongs to one version of a profile; a profile with new runs is joined anew when it is asked
for. When there is no room, what nobody has asked for during the last minute makes way; what does not fit
then is joined for one answer and let go, so that a listing larger than the budget is still answered,
the part that is kept as quickly as ever.
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
"""Bytes that keeping something costs beside its own."""


class Key(NamedTuple):
    kind: Kind
    realm: Realm
    profile: str


@dataclass(frozen=True, slots=True)
class Joined:
    """Entries with commas between them, and where each begins."""

    body: bytes
    starts: "array[int]"

    @classmethod
    def of(cls, entries: Sequence[bytes]) -> "Joined":
        starts = array("I", accumulate([len(entry) + 1 for entry in entries], initial=0))
        starts.pop()  # where one more would begin
        return cls(b",".join(entries), starts)

    def newest(self, limit: int) -> bytes:
        """The last ``limit`` of them."""
        if limit >= len(self.starts):
            return self.body
        return self.body[self.starts[-limit] :]


Value = Joined | Packed | bytes
V = TypeVar("V", Joined, Packed, bytes)


@dataclass(slots=True)
class _Kept:
    version: int
    value: Any
    size: int
    asked_at: float


class Tails:
    """Safe to share between threads. ``budget`` is in bytes."""

    def __init__(self, budget: int, clock: Monotonic = time.monotonic) -> None:
        self._budget = budget
        self._clock = clock
        self._lock = Lock()
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()
        self._size = 0

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return self._size

    @property
    def fullness(self) -> float:
        """What share of the budget is taken."""
        return self._size / self._budget

    def find(self, key: Key, version: int) -> Any:
        """What is kept of this version, else null."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.version != version:
                return None
            kept.asked_at = self._clock()
            self._kept.move_to_end(key)
            return kept.value

    def offer(self, key: Key, version: int, value: Value) -> None:
        """Keep ``value`` if there is room, unless a newer version is kept already."""
        size = _size(value) + _OVERHEAD
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
                self._kept[key] = _Kept(version, value, size, now)
                self._size += size

    def _drop(self, key: Key) -> None:
        self._size -= self._kept.pop(key).size


def _size(value: Value) -> int:
    if isinstance(value, Joined):
        return len(value.body) + value.starts.itemsize * len(value.starts)
    return len(value.deflated if isinstance(value, Packed) else value)
